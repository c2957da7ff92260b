/* PETSc: time steppers TS with a fixed step, and its Runge-Kutta method of order 8 with a
 * tolerance. */
/* SPDX-License-Identifier: MIT */
#include <petscts.h>
#include <stdlib.h>

#include "solver.h"

enum kind { SYMPLECTIC, CLASSICAL, MIDPOINT, ADAPTIVE };

struct petsc {
    const struct solver *solver;
    const struct problem *problem;
    TS ts;
    Vec y;
    Mat J;
    IS position, momentum;
    double *aq;
    long evaluations;
};

/* y' = f(y) with y = (q, v). */
static PetscErrorCode slopes(TS ts, PetscReal t, Vec y, Vec f, void *data) {
    struct petsc *self = data;
    const int n = self->problem->n;
    const double *z;
    double *out;
    (void)ts, (void)t;
    self->evaluations++;
    VecGetArrayRead(y, &z);
    VecGetArray(f, &out);
    for (int i = 0; i < n; i++) out[i] = z[n + i];
    self->problem->acceleration(n, z, z + n, out + n);
    VecRestoreArrayRead(y, &z);
    VecRestoreArray(f, &out);
    return 0;
}

/* The two halves of a separable system: q' = v from the velocities, v' = a from the positions. */
static PetscErrorCode drift(TS ts, PetscReal t, Vec v, Vec f, void *data) {
    (void)ts, (void)t, (void)data;
    return VecCopy(v, f);
}

static PetscErrorCode kick(TS ts, PetscReal t, Vec q, Vec f, void *data) {
    struct petsc *self = data;
    const double *z;
    double *out;
    (void)ts, (void)t;
    self->evaluations++;
    VecGetArrayRead(q, &z);
    VecGetArray(f, &out);
    self->problem->acceleration(self->problem->n, z, z, out);
    VecRestoreArrayRead(q, &z);
    VecRestoreArray(f, &out);
    return 0;
}

static PetscErrorCode jacobian(TS ts, PetscReal t, Vec y, Mat J, Mat P, void *data) {
    struct petsc *self = data;
    const int n = self->problem->n, separable = self->problem->is_separable;
    const double *z;
    (void)ts, (void)t, (void)P;
    self->evaluations++;
    VecGetArrayRead(y, &z);
    self->problem->derivative(n, z, z + n, self->aq, self->aq + n * n);
    VecRestoreArrayRead(y, &z);
    MatZeroEntries(J); /* the stepper has shifted its diagonal */
    for (int i = 0; i < n; i++) {
        MatSetValue(J, i, n + i, 1, INSERT_VALUES);
        for (int j = 0; j < n; j++) {
            const double av = separable ? 0 : self->aq[n * n + i * n + j];
            MatSetValue(J, n + i, j, self->aq[i * n + j], INSERT_VALUES);
            MatSetValue(J, n + i, n + j, av, INSERT_VALUES);
        }
    }
    MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY);
    return MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY);
}

static enum kind kind_of(const struct petsc *self) {
    return *(const enum kind *)self->solver->data;
}

static void set_symplectic(struct petsc *self) {
    const int n = self->problem->n;
    ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &self->position);
    ISCreateStride(PETSC_COMM_SELF, n, n, 1, &self->momentum);
    TSSetType(self->ts, TSBASICSYMPLECTIC);
    TSBasicSymplecticSetType(self->ts, TSBASICSYMPLECTICVELVERLET);
    TSRHSSplitSetIS(self->ts, "position", self->position);
    TSRHSSplitSetIS(self->ts, "momentum", self->momentum);
    TSRHSSplitSetRHSFunction(self->ts, "position", NULL, drift, self);
    TSRHSSplitSetRHSFunction(self->ts, "momentum", NULL, kick, self);
}

/* The implicit midpoint rule with a dense direct solver. */
static void set_midpoint(struct petsc *self) {
    const int n = self->problem->n;
    SNES snes;
    KSP ksp;
    PC pc;
    MatCreateSeqDense(PETSC_COMM_SELF, 2 * n, 2 * n, NULL, &self->J);
    self->aq = calloc(2 * (size_t)n * (size_t)n, sizeof *self->aq);
    TSSetType(self->ts, TSTHETA);
    TSThetaSetTheta(self->ts, 0.5);
    TSSetRHSJacobian(self->ts, self->J, self->J, jacobian, self);
    TSGetSNES(self->ts, &snes);
    SNESSetTolerances(snes, 1e-12, 1e-10, 1e-12, 50, 10000);
    SNESGetKSP(snes, &ksp);
    KSPSetType(ksp, KSPPREONLY);
    KSPGetPC(ksp, &pc);
    PCSetType(pc, PCLU);
}

static void set_method(struct petsc *self) {
    TSAdapt adapt;
    switch (kind_of(self)) {
    case SYMPLECTIC: set_symplectic(self); break;
    case MIDPOINT: set_midpoint(self); break;
    case CLASSICAL:
        TSSetType(self->ts, TSRK);
        TSRKSetType(self->ts, TSRK4);
        break;
    case ADAPTIVE:
        TSSetType(self->ts, TSRK);
        TSRKSetType(self->ts, TSRK8VR);
        return;
    }
    TSGetAdapt(self->ts, &adapt);
    TSAdaptSetType(adapt, TSADAPTNONE);
}

static void *petsc_open(const struct solver *solver, const struct problem *problem,
                        const struct run *run) {
    struct petsc *self = calloc(1, sizeof *self);
    (void)run;
    if (!self) abort();
    PetscInitializeNoArguments();
    self->solver = solver;
    self->problem = problem;
    VecCreateSeq(PETSC_COMM_SELF, 2 * problem->n, &self->y);
    TSCreate(PETSC_COMM_SELF, &self->ts);
    TSSetProblemType(self->ts, TS_NONLINEAR);
    TSSetRHSFunction(self->ts, NULL, slopes, self);
    set_method(self);
    TSSetMaxSNESFailures(self->ts, -1);
    return self;
}

static void set_span(struct petsc *self, const struct run *run) {
    const bool is_adaptive = self->solver->is_adaptive;
    TSSetTime(self->ts, 0);
    TSSetStepNumber(self->ts, 0);
    TSSetTimeStep(self->ts, is_adaptive ? run->until * 1e-4 : run->step);
    TSSetMaxSteps(self->ts, is_adaptive ? 100000000 : (PetscInt)run->steps);
    TSSetMaxTime(self->ts, is_adaptive ? run->until : 2 * run->step * (double)run->steps);
    TSSetExactFinalTime(self->ts,
                        is_adaptive ? TS_EXACTFINALTIME_MATCHSTEP : TS_EXACTFINALTIME_STEPOVER);
    if (is_adaptive) TSSetTolerances(self->ts, run->tolerance, NULL, run->tolerance, NULL);
}

static bool petsc_run(void *data, struct run *run) {
    struct petsc *self = data;
    const int n = self->problem->n;
    double *z;
    TSConvergedReason reason;
    VecGetArray(self->y, &z);
    for (int i = 0; i < n; i++) {
        z[i] = self->problem->q[i];
        z[n + i] = self->problem->v[i];
    }
    VecRestoreArray(self->y, &z);
    self->evaluations = 0;
    set_span(self, run);
    const PetscErrorCode status = TSSolve(self->ts, self->y);
    TSGetConvergedReason(self->ts, &reason);
    VecGetArray(self->y, &z);
    for (int i = 0; i < n; i++) {
        run->q[i] = z[i];
        run->v[i] = z[n + i];
    }
    VecRestoreArray(self->y, &z);
    run->evaluations = self->evaluations;
    return status == 0 && reason > 0;
}

static void petsc_close(void *data) {
    struct petsc *self = data;
    TSDestroy(&self->ts);
    VecDestroy(&self->y);
    MatDestroy(&self->J);
    ISDestroy(&self->position);
    ISDestroy(&self->momentum);
    free(self->aq);
    free(self);
}

#define ROW(name, choice)                                                                          \
    {                                                                                              \
        .package = "petsc", .method = name, .is_adaptive = choice == ADAPTIVE,                     \
        .needs_separable = choice == SYMPLECTIC, .open = petsc_open, .run = petsc_run,             \
        .close = petsc_close, .data = &(const enum kind){choice},                                  \
    }

const struct solver solver_petsc[] = {
    ROW("symplectic 2", SYMPLECTIC),
    ROW("rk4", CLASSICAL),
    ROW("midpoint", MIDPOINT),
    ROW("rk8vr", ADAPTIVE),
    {0},
};
