/* GSL: steppers of gsl_odeiv2 with a fixed step, and its drivers with a tolerance. */
/* SPDX-License-Identifier: MIT */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <stdlib.h>
#include <string.h>

#include "solver.h"

struct gsl {
    const struct solver *solver;
    const struct problem *problem;
    gsl_odeiv2_system system;
    gsl_odeiv2_step *step;
    gsl_odeiv2_driver *driver; /* passes the tolerance to implicit steppers */
    double *y, *error, *before, *after, *aq;
    long evaluations;
};

/* Address of a stepper; GSL's steppers are variables, not constants. */
struct choice {
    const gsl_odeiv2_step_type **type;
    bool needs_driver;
};

static int slopes(double t, const double y[], double f[], void *data) {
    struct gsl *self = data;
    const int n = self->problem->n;
    (void)t;
    self->evaluations++;
    memcpy(f, y + n, (size_t)n * sizeof *f);
    self->problem->acceleration(n, y, y + n, f + n);
    return GSL_SUCCESS;
}

static int jacobian(double t, const double y[], double *J, double dfdt[], void *data) {
    struct gsl *self = data;
    const int n = self->problem->n;
    (void)t;
    self->evaluations++;
    memset(J, 0, 4 * (size_t)n * (size_t)n * sizeof *J);
    memset(dfdt, 0, 2 * (size_t)n * sizeof *dfdt);
    self->problem->derivative(n, y, y + n, self->aq, self->aq + n * n);
    for (int i = 0; i < n; i++) {
        J[i * 2 * n + n + i] = 1;
        for (int j = 0; j < n; j++) {
            J[(n + i) * 2 * n + j] = self->aq[i * n + j];
            if (!self->problem->is_separable)
                J[(n + i) * 2 * n + n + j] = self->aq[n * n + i * n + j];
        }
    }
    return GSL_SUCCESS;
}

static void *gsl_open(const struct solver *solver, const struct problem *problem,
                      const struct run *run) {
    const struct choice *choice = solver->data;
    const size_t n = (size_t)problem->n;
    struct gsl *self = calloc(1, sizeof *self);
    if (!self) abort();
    gsl_set_error_handler_off();
    self->solver = solver;
    self->problem = problem;
    self->system = (gsl_odeiv2_system){slopes, jacobian, 2 * n, self};
    self->y = calloc(8 * n, sizeof *self->y);
    self->error = self->y + 2 * n;
    self->before = self->y + 4 * n;
    self->after = self->y + 6 * n;
    if (!problem->is_chain) self->aq = calloc(2 * n * n, sizeof *self->aq);
    if (!self->y) abort();
    self->step = gsl_odeiv2_step_alloc(*choice->type, 2 * n);
    if (choice->needs_driver) {
        self->driver =
            gsl_odeiv2_driver_alloc_y_new(&self->system, *choice->type, run->step, 1e-12, 1e-12);
        gsl_odeiv2_step_set_driver(self->step, self->driver);
    }
    return self;
}

static bool run_steps(struct gsl *self, const struct run *run) {
    const size_t bytes = 2 * (size_t)self->problem->n * sizeof(double);
    gsl_odeiv2_step_reset(self->step);
    slopes(0, self->y, self->before, self);
    for (long k = 0; k < run->steps; k++) {
        if (gsl_odeiv2_step_apply(self->step, (double)k * run->step, run->step, self->y,
                                  self->error, self->before, self->after,
                                  &self->system) != GSL_SUCCESS)
            return false;
        memcpy(self->before, self->after, bytes);
    }
    return true;
}

/* The tolerance of a driver is fixed at its creation. */
static bool run_adaptive(struct gsl *self, const struct run *run) {
    const struct choice *choice = self->solver->data;
    double t = 0;
    if (!self->solver->is_adaptive) {
        gsl_odeiv2_driver_reset_hstart(self->driver, run->step);
        return gsl_odeiv2_driver_apply_fixed_step(
                   self->driver, &t, run->step, (unsigned long)run->steps, self->y) == GSL_SUCCESS;
    }
    gsl_odeiv2_driver *driver = gsl_odeiv2_driver_alloc_y_new(
        &self->system, *choice->type, run->until * 1e-4, run->tolerance, run->tolerance);
    const int status = gsl_odeiv2_driver_apply(driver, &t, run->until, self->y);
    gsl_odeiv2_driver_free(driver);
    return status == GSL_SUCCESS;
}

static bool gsl_run(void *data, struct run *run) {
    struct gsl *self = data;
    const struct problem *problem = self->problem;
    const size_t bytes = (size_t)problem->n * sizeof(double);
    memcpy(self->y, problem->q, bytes);
    memcpy(self->y + problem->n, problem->v, bytes);
    self->evaluations = 0;
    const bool is_done = self->solver->is_adaptive ? run_adaptive(self, run) : run_steps(self, run);
    memcpy(run->q, self->y, bytes);
    memcpy(run->v, self->y + problem->n, bytes);
    run->evaluations = self->evaluations;
    return is_done;
}

static void gsl_close(void *data) {
    struct gsl *self = data;
    if (self->step) gsl_odeiv2_step_free(self->step);
    if (self->driver) gsl_odeiv2_driver_free(self->driver);
    free(self->y);
    free(self->aq);
    free(self);
}

#define ROW(name, adaptive, type, driver)                                                          \
    {                                                                                              \
        .package = "gsl", .method = name, .is_adaptive = adaptive, .open = gsl_open,               \
        .run = gsl_run, .close = gsl_close,                                                        \
        .data = &(const struct choice){&gsl_odeiv2_step_##type, driver},                           \
    }

const struct solver solver_gsl[] = {
    ROW("rk2", false, rk2, false),
    ROW("rk4", false, rk4, false),
    ROW("rk8pd", false, rk8pd, false),
    ROW("rk2imp", false, rk2imp, true),
    ROW("rk8pd adaptive", true, rk8pd, false),
    ROW("msadams", true, msadams, false),
    ROW("bsimp", true, bsimp, false),
    {0},
};
