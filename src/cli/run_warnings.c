/* Warnings of a run whose accuracy is useless: energy that is lost, steps that are too long for the
 * fastest oscillation or for the stability of the method, steps that were hard to solve. */
/* SPDX-License-Identifier: MIT */
#include "cli/run_warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "methods/method.h"
#include "noether_ensemble.h"
#include "spaces/product.h"

enum { FREEDOMS_MAX = 400, ITERATIONS = 60, NEWTON_MAX = 50 };

static void add(struct run_warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add(struct run_warnings *warnings, const char *format, ...) {
    va_list arguments;
    if (warnings->count == RUN_WARNINGS_MAX) return;
    va_start(arguments, format);
    vsnprintf(warnings->text[warnings->count++], sizeof warnings->text[0], format, arguments);
    va_end(arguments);
}

/* The larger of |T| and |V|, where E = T + V and L = T - V. */
static real energy_scale(const struct noe_system *system, const struct trajectory_moment *moment) {
    const real L = system->lagrangian(system, moment->t, moment->q, moment->v);
    return noe_max(noe_abs(moment->energy + L), noe_abs(moment->energy - L)) / 2;
}

/* The end counts towards the scale only if its own energy is right to half of it. */
static void check_energy(struct run_warnings *warnings, const struct noe_system *system,
                         const struct trajectory *trajectory) {
    const unsigned kept = NOE_AUTONOMOUS | NOE_UNFORCED;
    if ((system->traits & kept) != kept || system->nnoises || trajectory->steps == 0) return;
    if (system->nholonomic + system->nnonholonomic) return; /* constraints may do work */
    const struct trajectory_moment *start = &trajectory->start, *final = &trajectory->final;
    const real end = energy_scale(system, final);
    real scale = noe_max(noe_abs(start->energy), energy_scale(system, start));
    if (noe_abs(final->energy - start->energy) < end / 2) scale = noe_max(scale, end);
    if (!(scale > 0) || trajectory->energy_max_error <= scale) return;
    add(warnings,
        "the energy changed by %.3g, more than its own size %.3g: the motion is lost; try a "
        "smaller step, or an adaptive method if the motion comes near a singularity",
        (double)trajectory->energy_max_error, (double)scale);
}

/* x = K y, the matrix on the pattern with factor -1. */
static void apply_stiffness(const struct noe_system *system, const real *w_q, const real *y,
                            real *x) {
    memset(x, 0, (size_t)system->n * sizeof *x);
    for (int e = 0; e < system->nz; e++) {
        const int row = system->row ? system->row[e] : e / system->n;
        const int col = system->row ? system->col[e] : e % system->n;
        x[row] -= w_q[e] * y[col];
    }
}

/* The eigenvalue of largest size of M^-1 K by power iteration from y; M is factorised. */
static real largest_eigenvalue(const struct noe_system *system, const real *M,
                               const lane_index *pivot, const real *w_q, real *x, real *y) {
    const int n = system->n;
    real found = 0;
    for (int i = 0; i < n; i++) y[i] = 1 + (real)0.37 * (i % 7);
    for (int k = 0; k < ITERATIONS; k++) {
        real xy = 0, yy = 0, xx = 0;
        apply_stiffness(system, w_q, y, x);
        dense_solve(n, x, M, pivot);
        for (int i = 0; i < n; i++) xy += x[i] * y[i], yy += y[i] * y[i], xx += x[i] * x[i];
        if (!(xx > 0)) return 0;
        found = xy / yy;
        for (int i = 0; i < n; i++) y[i] = x[i] / noe_sqrt(xx);
    }
    return found;
}

/* The largest frequency of M x'' + K x = 0, linearised at the start, with M = p_v and K = -w_q; 0
 * if it is not known. */
static real largest_frequency(const struct noe_system *system,
                              const struct trajectory_moment *start) {
    const size_t n = (size_t)system->n, nz = (size_t)system->nz;
    if (n > FREEDOMS_MAX || product_has_groups(system) ||
        system->nholonomic + system->nnonholonomic)
        return 0;
    real *p = calloc(4 * n + 4 * nz + n * n, sizeof *p), *x = p + 2 * n, *y = x + n;
    real *d = p + 4 * n, *M = d + 4 * nz, found = 0;
    lane_index *pivot = calloc(n, sizeof *pivot);
    if (p && pivot) {
        system->second(system, start->t, start->q, start->v, p, p + n, d);
        for (int e = 0; e < system->nz; e++) {
            const int row = system->row ? system->row[e] : e / system->n;
            const int col = system->row ? system->col[e] : e % system->n;
            M[row * system->n + col] = d[e];
        }
        if (dense_factor(system->n, M, pivot))
            found = largest_eigenvalue(system, M, pivot, d + 3 * nz, x, y);
    }
    free(p);
    free(pivot);
    return found > 0 ? noe_sqrt(found) : 0;
}

static void check_step(struct run_warnings *warnings, const struct noe_problem *problem,
                       const struct trajectory *trajectory) {
    const double pi = 3.14159265358979324;
    const double frequency = (double)largest_frequency(problem->system, &trajectory->start);
    const double h = (double)trajectory->step_max;
    if (!(frequency > 0) || !(frequency < HUGE_VAL)) return;
    if (h * frequency > pi)
        add(warnings,
            "the step %.3g is longer than half the shortest period of the motion linearised at the "
            "start, %.3g: try a step of at most %.2g",
            h, 2 * pi / frequency, pi / (10 * frequency));
    else if (h * frequency > 2 && kernel_is_direct(problem) && (problem->traits & NOE_SYMPLECTIC))
        add(warnings,
            "the step %.3g exceeds the stability limit 2/omega = %.3g of explicit symplectic "
            "methods, with the largest frequency at the start: try a smaller step or midpoint",
            h, 2 / frequency);
}

/* A run takes the values of 'start' and 'param', not those of a member of an ensemble. */
static void check_members(struct run_warnings *warnings, const struct noe_model *model) {
    const struct noe_ensemble_definition stated = noe_model_ensemble(model);
    if (stated.count == 0) return;
    add(warnings, "the file %s; this run takes the values of 'start' and 'param'",
        stated.has_random ? "states random values, which 'noether ensemble' draws"
                          : "varies values over an ensemble, as 'noether ensemble' does");
}

void run_warnings_find(struct run_warnings *warnings, const struct noe_model *model,
                       const struct noe_problem *problem, const struct trajectory *trajectory) {
    *warnings = (struct run_warnings){0};
    check_members(warnings, model);
    if (!trajectory->has_started) return;
    check_energy(warnings, problem->system, trajectory);
    check_step(warnings, problem, trajectory);
    if (trajectory->effort.iterations_max > NEWTON_MAX)
        add(warnings,
            "a step needed %d Newton iterations: its root may not be the one that continues the "
            "motion; try a smaller step",
            trajectory->effort.iterations_max);
}
