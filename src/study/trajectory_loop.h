/* Internal state of an integration, and its snapshot. */
/* SPDX-License-Identifier: MIT */
#ifndef STUDY_TRAJECTORY_LOOP_H
#define STUDY_TRAJECTORY_LOOP_H

#include "base/arena.h"
#include "engine/monitor.h"
#include "study/section/event_finder.h"
#include "study/tangent_dynamics.h"
#include "study/trajectory.h"

/* State of the loop besides the result. */
struct trajectory_loop {
    struct trajectory *result;
    const struct trajectory_settings *settings;
    const struct noe_system *system;
    struct noe_work *work;
    struct noe_work *part;         /* takes substeps if an event may stop the run */
    struct noe_observation moment; /* observation of the current state */
    bool has_stops;                /* there are events that stop the run */
    struct event_finder crossing;
    struct tangent tangent;     /* tangent vectors, if observed */
    real *values;               /* observed quantities, including tangent quantities */
    struct noe_monitor monitor; /* drift over all steps */
    long looks, next_look;      /* number of condition measurements, and step of the next one */
    real *row;
    double began, kept; /* clock in seconds: at the start, and at the last checkpoint */
    double spent;       /* seconds spent by earlier processes */
    double aside;       /* seconds spent on condition numbers */
    bool is_cut;        /* the last step was shortened to end at `until` */
    void *image;        /* buffer of the snapshot */
};

/* Measures or carves the arrays of the loop and of its result. */
void trajectory_layout(struct arena *arena, struct trajectory_loop *loop);
/* Wall-clock time in seconds. */
double trajectory_seconds(void);

/* Allocates the snapshot buffer, if there are checkpoints. */
enum noe_status trajectory_snapshot_allocate(struct trajectory_loop *loop);
/* Passes a snapshot to settings->keep, if it is set. */
enum noe_status trajectory_snapshot_keep(struct trajectory_loop *loop);
/* Restores the snapshot settings->resume. */
enum noe_status trajectory_snapshot_load(struct trajectory_loop *loop);

#endif
