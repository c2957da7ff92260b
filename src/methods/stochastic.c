/* Stochastic variational integrators for systems with noise. */
/* SPDX-License-Identifier: MIT */
#include "methods/stochastic/stochastic.h"

#include "methods/hamilton_pontryagin/endpoint.h"

static size_t scratch_of(const struct noe_problem *problem, enum stochastic_arrays arrays) {
    struct scratch scratch = {0};
    stochastic_layout(&scratch, problem, arrays);
    return scratch.count;
}

static enum noe_status setup_euler(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    (void)error;
    problem->order = !system->nnoises && endpoint_is_invariant(system) ? 2 : 1;
    problem->internals->nu = system->n;
    problem->internals->restarts_every_step = true;
    problem->internals->nnormals = system->nnoises;
    problem->internals->nscratch = scratch_of(problem, STOCHASTIC_RESIDUAL);
    return NOE_OK;
}

static enum noe_status setup_baoab(struct noe_problem *problem, struct noe_error *error) {
    const struct noe_system *system = problem->system;
    const enum noe_status status = setup_euler(problem, error);
    problem->order = 2;
    if (system->nnoises) problem->internals->nnormals = system->nnoises + system->n;
    problem->internals->nscratch = scratch_of(problem, stochastic_baoab_arrays(system));
    return status;
}

/* Dense, because the transpose of p_q need not be on the system's sparsity pattern. */
static int sparsity(const struct noe_problem *problem, int *row, int *col) {
    const int n = problem->system->n;
    for (int e = 0; row && e < n * n; e++) {
        row[e] = e / n;
        col[e] = e % n;
    }
    return n * n;
}

/* The Ornstein-Uhlenbeck process has its own solver. */
static int no_sparsity(const struct noe_problem *problem, int *row, int *col) {
    for (int i = 0; row && i < problem->system->n; i++) row[i] = col[i] = i;
    return problem->system->n;
}

static const struct scheme euler_scheme = {
    .source = "methods/stochastic/stochastic_implicit.c",
    .setup = setup_euler,
    .sparsity = sparsity,
    SCHEME_FUNCTIONS(stochastic),
    .kernels = KERNELS(&stochastic_euler_kernel),
};

static const struct scheme baoab_scheme = {
    .source = "methods/stochastic/langevin_splitting.c",
    .setup = setup_baoab,
    .sparsity = no_sparsity,
    .kernels = KERNELS(&stochastic_baoab_kernel),
};

static const struct noe_option options[] = {
    {"retraction", NOE_WORD, 0, 0, 0, NOE_RETRACTIONS, "of steps on rotations and poses"},
    {0},
};

const struct method noe_methods_stochastic[] = {
    {
        .info =
            {
                .name = "stochastic-baoab",
                .summary = "kicks, drifts, and friction and noise in the middle, exactly",
                .reference = "Leimkuhler and Matthews, Appl. Math. Res. Express (2013)",
                .order_text = "2 (weak)",
                .traits = NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_SYMMETRIC | NOE_GROUP |
                          NOE_STOCHASTIC | NOE_NEEDS_BATH,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = options,
            },
        .scheme = &baoab_scheme,
    },
    {
        .info =
            {
                .name = "stochastic-euler",
                .summary = "variational Euler with random discrete forces; friction lags",
                .reference = "Bou-Rabee and Owhadi, IMA J. Numer. Anal. 29 (2009)",
                .order_text = "1 (weak and strong)",
                .traits =
                    NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_GROUP | NOE_STOCHASTIC | NOE_NEEDS_REGULAR,
                .spaces = NOE_ON_ALL,
                .constraints = "",
                .options = options,
            },
        .scheme = &euler_scheme,
    },
    {.info.name = NULL},
};
