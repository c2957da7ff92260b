/* The inside of one integration: what its loop holds, and that as bytes. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TRAJECTORY_LOOP_H
#define STUDY_TRAJECTORY_LOOP_H

#include "base/arena.h"
#include "engine/monitor.h"
#include "study/section/event_finder.h"
#include "study/tangent_dynamics.h"
#include "study/trajectory.h"

/* What the loop holds beside the result. */
struct trajectory_loop {
    struct trajectory *result;
    const struct trajectory_settings *settings;
    const struct noe_system *system;
    struct noe_work *work;
    struct noe_work *part;         /* for parts of steps, where a crossing may end the run */
    struct noe_observation moment; /* of the current state */
    bool has_stops;                /* such crossings there are */
    struct event_finder crossing;
    struct tangent tangent;     /* where something of it is observed, */
    real *values;               /* and the quantities with it */
    struct noe_monitor monitor; /* the drift */
    long looks, next_look;      /* at the step's matrix: so many, and at which step again */
    real *row;
    double began, kept; /* seconds: the clock at the start, and when the run was last kept */
    double spent;       /* those of earlier processes */
    void *image;        /* room for the bytes that are kept */
};

/* Measures or carves the arrays of the loop and of its result. */
void trajectory_layout(struct arena *arena, struct trajectory_loop *loop);
/* The clock. */
double trajectory_seconds(void);

/* Takes the memory for what is kept, if anything is. */
enum noe_status trajectory_snapshot_allocate(struct trajectory_loop *loop);
/* Hands the present to settings->keep, if there is one. */
enum noe_status trajectory_snapshot_keep(struct trajectory_loop *loop);
/* Goes on from settings->resume. */
enum noe_status trajectory_snapshot_load(struct trajectory_loop *loop);

#endif
