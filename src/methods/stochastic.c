/* Methods for systems with noise, and what they are without it. */
/* SPDX-License-Identifier: MIT */
#include "methods/stochastic.h"

#include <stdio.h>

#include "methods/describe.h"

extern const char stochastic_source_text[]; /* this family's step path, from the build */

static enum noe_status prepare_euler(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    (void)error;
    problem->order = 1;
    problem->nu = system->n;
    problem->groups = 1;
    problem->use_kernel = true;
    problem->nnormals = system->nnoises;
    problem->nscratch =
        stochastic_plain_scratch(system) + (size_t)system->n * (size_t)system->nnoises;
    return NOE_OK;
}

static enum noe_status prepare_baoab(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const enum noe_status status = prepare_euler(problem, error);
    problem->order = 2;
    if (system->nnoises) problem->nnormals = system->nnoises + system->n;
    problem->nscratch = stochastic_plain_scratch(system);
    if (stochastic_has_bath(system))
        problem->nscratch += 4 * (size_t)system->nz + bath_room(system->n, system->nnoises);
    return status;
}

/* Nothing is solved for all momenta together. */
static int pattern(const struct noe_problem *problem, int *row, int *col) {
    for (int i = 0; row && i < problem->system->n; i++) row[i] = col[i] = i;
    return problem->system->n;
}

static char *describe(const struct noe_problem *problem) {
    char kernel[80];
    snprintf(kernel, sizeof kernel, ".kernel = stochastic_%s",
             problem->method->kernel == stochastic_euler ? "euler" : "baoab");
    return describe_method(problem, stochastic_source_text,
                           "static const int specialised_coefficients;", kernel);
}

static const struct noe_option options[] = {
    {"retraction", NOE_WORD, 0, 0, 0, NOE_RETRACTIONS, "of steps on rotations and poses"},
    {0},
};

#define STOCHASTIC                                                                                 \
    .spaces = "vector so3 se3 s3", .constraints = "", .options = options, .pattern = pattern,      \
    .describe = describe

const struct noe_method noe_methods_stochastic[] = {
    {
        .name = "stochastic-baoab",
        .summary = "kicks, drifts, and friction and noise in the middle, exactly",
        .reference = "Leimkuhler and Matthews, Appl. Math. Res. Express (2013)",
        .order_text = "2 (weak)",
        .traits = NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_SYMMETRIC | NOE_GROUP | NOE_STOCHASTIC |
                  NOE_NEEDS_LINEAR_FRICTION,
        .prepare = prepare_baoab,
        .kernel = stochastic_baoab,
        STOCHASTIC,
    },
    {
        .name = "stochastic-euler",
        .summary = "variational Euler with random discrete forces; friction lags",
        .reference = "Bou-Rabee and Owhadi, IMA J. Numer. Anal. 29 (2009)",
        .order_text = "1 (weak and strong)",
        .traits = NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_GROUP | NOE_STOCHASTIC,
        .prepare = prepare_euler,
        .kernel = stochastic_euler,
        STOCHASTIC,
    },
    {0},
};
