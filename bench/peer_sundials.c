/* SUNDIALS: fixed-step Runge-Kutta methods of ARKODE, adaptive ones, and CVODE. */
/* SPDX-License-Identifier: MIT */
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "forces.h"
#include "solver.h"

enum kind { ERK, DIRK, CVODE };

/* The choice of a method. */
struct choice {
    enum kind kind;
    int table; /* ERK: table of ARKODE, or CLASSICAL; CVODE: the family */
};
enum { CLASSICAL = -1 };
static const double newton_tolerance = 1e-10;

struct sundials {
    const struct solver *solver;
    const struct problem *problem;
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    void *memory;
    long evaluations; /* evaluations of the forces and of their derivatives */
    double *aq;       /* derivatives: n x n each of a_q and a_v, or three diagonals */
};

/* --- y' = f(y) with y = (q, v); for a chain with an implicit method y = (q_1, v_1, q_2, ...). */

static int slopes(double t, N_Vector y, N_Vector f, void *data) {
    struct sundials *self = data;
    const struct problem *problem = self->problem;
    const double *z = N_VGetArrayPointer(y);
    double *out = N_VGetArrayPointer(f);
    const int n = problem->n;
    (void)t;
    self->evaluations++;
    memcpy(out, z + n, (size_t)n * sizeof *z);
    problem->acceleration(n, z, z + n, out + n);
    return 0;
}

static int chain_slopes(double t, N_Vector y, N_Vector f, void *data) {
    struct sundials *self = data;
    const int n = self->problem->n;
    const double *z = N_VGetArrayPointer(y);
    double *out = N_VGetArrayPointer(f), left = 0;
    (void)t;
    self->evaluations++;
    for (int i = 0; i < n; i++) {
        const double right = i + 1 < n ? CHAIN_SPRING * (z[2 * i + 2] - z[2 * i]) : 0;
        out[2 * i] = z[2 * i + 1];
        out[2 * i + 1] = right - left - CHAIN_GRAVITY * sin(z[2 * i]);
        left = right;
    }
    return 0;
}

static int jacobian(double t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector x1,
                    N_Vector x2, N_Vector x3) {
    struct sundials *self = data;
    const int n = self->problem->n;
    const double *z = N_VGetArrayPointer(y);
    double *aq = self->aq, *av = aq + n * n;
    (void)t, (void)f, (void)x1, (void)x2, (void)x3;
    self->evaluations++;
    SUNMatZero(J);
    self->problem->derivative(n, z, z + n, aq, av);
    for (int i = 0; i < n; i++) {
        SM_ELEMENT_D(J, i, n + i) = 1;
        for (int j = 0; j < n; j++) SM_ELEMENT_D(J, n + i, j) = aq[i * n + j];
        for (int j = 0; j < n && !self->problem->is_separable; j++)
            SM_ELEMENT_D(J, n + i, n + j) = av[i * n + j];
    }
    return 0;
}

static int chain_jacobian(double t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector x1,
                          N_Vector x2, N_Vector x3) {
    struct sundials *self = data;
    const int n = self->problem->n;
    const double *z = N_VGetArrayPointer(y);
    (void)t, (void)f, (void)x1, (void)x2, (void)x3;
    self->evaluations++;
    SUNMatZero(J);
    for (int i = 0; i < n; i++) {
        const int q = 2 * i, v = q + 1, springs = (i > 0) + (i + 1 < n);
        SM_ELEMENT_B(J, q, v) = 1;
        SM_ELEMENT_B(J, v, q) = -springs * CHAIN_SPRING - CHAIN_GRAVITY * cos(z[q]);
        if (i > 0) SM_ELEMENT_B(J, v, q - 2) = CHAIN_SPRING;
        if (i + 1 < n) SM_ELEMENT_B(J, v, q + 2) = CHAIN_SPRING;
    }
    return 0;
}

/* --- Opening. */

static enum kind kind_of(const struct sundials *self) {
    return ((const struct choice *)self->solver->data)->kind;
}

static bool is_interleaved(const struct sundials *self) {
    return self->problem->is_chain && kind_of(self) == DIRK;
}

static void set_start(struct sundials *self) {
    const struct problem *problem = self->problem;
    double *y = N_VGetArrayPointer(self->y);
    for (int i = 0; i < problem->n; i++) {
        y[is_interleaved(self) ? 2 * i : i] = problem->q[i];
        y[is_interleaved(self) ? 2 * i + 1 : problem->n + i] = problem->v[i];
    }
}

/* The classical method of order 4, which ARKODE 6.4 does not list. */
static ARKodeButcherTable classical(void) {
    double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    double A[16] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
    return ARKodeButcherTable_Create(4, 4, 0, c, A, b, NULL);
}

/* ERKStep would be leaner, but in 6.4 it reuses the last stage as the next step's first whenever
 * c_s = 1 and loses its order; ARKStep does not. */
static void open_erk(struct sundials *self, const struct choice *choice) {
    self->memory = ARKStepCreate(slopes, NULL, 0, self->y, self->context);
    ARKodeButcherTable table = choice->table == CLASSICAL
                                   ? classical()
                                   : ARKodeButcherTable_LoadERK((ARKODE_ERKTableID)choice->table);
    ARKStepSetTables(self->memory, table->q, table->p, NULL, table);
    ARKodeButcherTable_Free(table);
}

static void make_linear(struct sundials *self) {
    const int size = 2 * self->problem->n;
    if (is_interleaved(self)) {
        self->matrix = SUNBandMatrix(size, 2, 3, self->context);
        self->linear = SUNLinSol_Band(self->y, self->matrix, self->context);
    } else {
        self->matrix = SUNDenseMatrix(size, size, self->context);
        self->linear = SUNLinSol_Dense(self->y, self->matrix, self->context);
        self->aq = calloc((size_t)size * (size_t)size / 2, sizeof(double));
        if (!self->aq) abort();
    }
}

/* The implicit midpoint rule as a diagonally implicit method of one stage. */
static void open_dirk(struct sundials *self) {
    double c[1] = {0.5}, A[1] = {0.5}, b[1] = {1};
    const bool is_chain = is_interleaved(self);
    self->memory = ARKStepCreate(NULL, is_chain ? chain_slopes : slopes, 0, self->y, self->context);
    ARKodeButcherTable table = ARKodeButcherTable_Create(1, 2, 0, c, A, b, NULL);
    ARKStepSetTables(self->memory, 2, 0, table, NULL);
    ARKodeButcherTable_Free(table);
    make_linear(self);
    ARKStepSetLinearSolver(self->memory, self->linear, self->matrix);
    ARKStepSetJacFn(self->memory, is_chain ? chain_jacobian : jacobian);
    ARKStepSetMaxNonlinIters(self->memory, 20);
}

static void set_arkode(struct sundials *self, const struct run *run) {
    ARKStepSetErrFile(self->memory, NULL); /* failures are reported by the status */
    ARKStepSetUserData(self->memory, self);
    ARKStepSetMaxNumSteps(self->memory, -1);
    ARKStepSetInterpolantType(self->memory, ARK_INTERP_LAGRANGE); /* no extra force evaluations */
    if (self->solver->is_adaptive) return;
    ARKStepSStolerances(self->memory, newton_tolerance, newton_tolerance);
    ARKStepSetFixedStep(self->memory, run->step);
}

static void open_cvode(struct sundials *self, const struct choice *choice) {
    self->memory = CVodeCreate(choice->table, self->context);
    CVodeInit(self->memory, slopes, 0, self->y);
    CVodeSetErrFile(self->memory, NULL);
    CVodeSetUserData(self->memory, self);
    CVodeSetMaxNumSteps(self->memory, -1);
    CVodeSStolerances(self->memory, 1e-6, 1e-6);
    make_linear(self);
    CVodeSetLinearSolver(self->memory, self->linear, self->matrix);
    CVodeSetJacFn(self->memory, jacobian);
}

static void *sundials_open(const struct solver *solver, const struct problem *problem,
                           const struct run *run) {
    const struct choice *choice = solver->data;
    struct sundials *self = calloc(1, sizeof *self);
    if (!self) abort();
    self->solver = solver;
    self->problem = problem;
    SUNContext_Create(NULL, &self->context);
    self->y = N_VNew_Serial(2 * problem->n, self->context);
    set_start(self);
    switch (choice->kind) {
    case ERK: open_erk(self, choice); break;
    case DIRK: open_dirk(self); break;
    case CVODE: open_cvode(self, choice); return self;
    }
    set_arkode(self, run);
    return self;
}

/* --- Running. */

static bool run_arkode(struct sundials *self, double until, const struct run *run) {
    double t;
    if (self->solver->is_adaptive) {
        ARKStepReInit(self->memory, slopes, NULL, 0, self->y);
        ARKStepSStolerances(self->memory, run->tolerance, run->tolerance);
    } else {
        ARKStepReset(self->memory, 0, self->y);
    }
    ARKStepSetStopTime(self->memory, until);
    return ARKStepEvolve(self->memory, until, self->y, &t, ARK_NORMAL) >= 0;
}

static bool run_cvode(struct sundials *self, const struct run *run) {
    double t;
    CVodeReInit(self->memory, 0, self->y);
    CVodeSStolerances(self->memory, run->tolerance, run->tolerance);
    CVodeSetStopTime(self->memory, run->until);
    return CVode(self->memory, run->until, self->y, &t, CV_NORMAL) >= 0;
}

static bool sundials_run(void *data, struct run *run) {
    struct sundials *self = data;
    const int n = self->problem->n;
    const double until = self->solver->is_adaptive ? run->until : run->step * (double)run->steps;
    self->evaluations = 0;
    set_start(self);
    const bool is_done =
        kind_of(self) == CVODE ? run_cvode(self, run) : run_arkode(self, until, run);
    const double *y = N_VGetArrayPointer(self->y);
    for (int i = 0; i < n; i++) {
        run->q[i] = y[is_interleaved(self) ? 2 * i : i];
        run->v[i] = y[is_interleaved(self) ? 2 * i + 1 : n + i];
    }
    run->evaluations = self->evaluations;
    return is_done;
}

static void sundials_close(void *data) {
    struct sundials *self = data;
    if (kind_of(self) == CVODE)
        CVodeFree(&self->memory);
    else
        ARKStepFree(&self->memory);
    if (self->linear) SUNLinSolFree(self->linear);
    if (self->matrix) SUNMatDestroy(self->matrix);
    N_VDestroy(self->y);
    SUNContext_Free(&self->context);
    free(self->aq);
    free(self);
}

#define ROW(name, adaptive, kind, table)                                                           \
    {                                                                                              \
        .package = "sundials", .method = name, .is_adaptive = adaptive, .open = sundials_open,     \
        .run = sundials_run, .close = sundials_close, .data = &(const struct choice){kind, table}, \
    }

const struct solver solver_sundials[] = {
    ROW("erk heun", false, ERK, ARKODE_HEUN_EULER_2_1_2),
    ROW("erk rk4", false, ERK, CLASSICAL),
    ROW("erk fehlberg8", false, ERK, ARKODE_FEHLBERG_13_7_8),
    ROW("dirk midpoint", false, DIRK, 0),
    ROW("erk dopri5 adaptive", true, ERK, ARKODE_DORMAND_PRINCE_7_4_5),
    ROW("erk verner6 adaptive", true, ERK, ARKODE_VERNER_8_5_6),
    ROW("erk fehlberg8 adaptive", true, ERK, ARKODE_FEHLBERG_13_7_8),
    ROW("cvode adams", true, CVODE, CV_ADAMS),
    ROW("cvode bdf", true, CVODE, CV_BDF),
    {0},
};
