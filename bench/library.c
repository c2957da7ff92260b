/* The library as a solver: opens and steps a model for all benchmarks. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods/method.h"
#include "model/jit/simd_callbacks.h"
#include "noether_model.h"
#include "solver.h"

struct library {
    const struct problem *task;
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error; /* message of the last failure */
    const char *note; /* the reason why no specialised stepper was compiled; NULL if there is one */
};

static void *failed(struct library *self, const struct noe_error *error) {
    fprintf(stderr, "noether: %s: %s\n", self->task->name, error->text);
    free(self);
    return NULL;
}

static void *bench_open(const struct solver *solver, const struct problem *task,
                        const struct run *run) {
    struct library *self = calloc(1, sizeof *self);
    struct noe_error error;
    const struct noe_system *system = solver->data;
    if (!self) abort();
    self->task = task;
    if (!system) {
        if (noe_model_open_text(&self->model, task->name, task->model, NULL, &error) != NOE_OK)
            return failed(self, &error);
        system = self->model->system;
    }
    if (noe_problem_init(&self->problem, system, solver->method, run->step, &error) != NOE_OK)
        return failed(self, &error);
    if (self->model && kernel_is_fixed_point(&self->problem))
        model_compile_simd(self->model, NULL, NULL); /* else stages are evaluated one by one */
    if (solver->is_generic)
        self->note = "generic";
    else if (!self->model)
        self->note = NULL;
    else if (noe_problem_specialise(&self->problem, self->model, NULL, &error) != NOE_OK)
        self->note = "falls back";
    if (noe_work_create(&self->work, &self->problem, &error) != NOE_OK) return failed(self, &error);
    return self;
}

static bool bench_run(void *data, struct run *run) {
    struct library *self = data;
    const size_t bytes = (size_t)self->task->n * sizeof(double);
    struct noe_error *error = &self->error;
    struct noe_observation moment;
    if (noe_work_start(self->work, 0, self->task->q, self->task->v, error) != NOE_OK ||
        noe_work_steps(self->work, run->steps, error) != NOE_OK ||
        noe_work_observe(self->work, &moment, error) != NOE_OK) {
        run->note = error->text;
        return false;
    }
    memcpy(run->q, noe_work_state(self->work)->q, bytes);
    memcpy(run->v, moment.v, bytes);
    run->note = self->note;
    run->evaluations = noe_work_stats(self->work).evaluations;
    return true;
}

static void bench_close(void *data) {
    struct library *self = data;
    noe_work_free(self->work);
    noe_problem_clear(&self->problem);
    noe_model_free(self->model);
    free(self);
}

static struct solver solver(const char *package, const char *method) {
    return (struct solver){
        .package = package,
        .method = method,
        .needs_separable = strncmp(method, "splitting", 9) == 0,
        .open = bench_open,
        .run = bench_run,
        .close = bench_close,
    };
}

struct solver solver_library(const char *method) {
    return solver("noether", method);
}

struct solver solver_generic(const char *method) {
    struct solver generic = solver("noether", method);
    generic.is_generic = true;
    return generic;
}

struct solver solver_callbacks(const char *method, const struct noe_system *system) {
    struct solver callbacks = solver("callbacks", method);
    callbacks.data = system;
    return callbacks;
}
