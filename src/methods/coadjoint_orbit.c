/* Methods that stay on coadjoint orbits and preserve energy. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/coadjoint_orbit.h"

#include "spaces/so3_retraction.h"

static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->retraction = SO3_EXP;
    return euler_poincare_setup(problem, *(const int *)problem->internals->scheme_data);
}

#define COADJOINT                                                                                  \
    .source = "methods/euler_poincare/coadjoint_orbit_step.c", .setup = setup,                     \
    .sparsity = euler_poincare_sparsity

static const struct scheme kr_scheme = {COADJOINT, .tangent = &coadjoint_kr_tangent,
                                        .kernels = KERNELS(&coadjoint_kr_kernel)};
static const struct scheme sw_scheme = {COADJOINT, .tangent = &coadjoint_sw_tangent,
                                        .kernels = KERNELS(&coadjoint_sw_kernel)};
static const struct scheme swp_scheme = {COADJOINT, .tangent = &coadjoint_swp_tangent,
                                         .kernels = KERNELS(&coadjoint_swp_kernel)};

static const char simo_wong[] = "Simo and Wong, Int. J. Numer. Methods Engrg. 31 (1991)";
static const unsigned structure = NOE_MOMENTUM | NOE_GROUP | NOE_NEEDS_INVARIANT;

const struct method noe_methods_coadjoint_orbit[] = {
    {
        .info =
            {
                .name = "kr",
                .summary = "along the coadjoint orbit by a stretched increment: energy kept",
                .reference = "Krysl, Int. J. Numer. Methods Engrg. 63 (2005)",
                .order_text = "1",
                .traits = structure | NOE_ENERGY,
                .spaces = NOE_ON_SO3_ALGEBRA,
                .constraints = "",
            },
        .scheme = &kr_scheme,
        .data = &(const int){1},
    },
    {
        .info =
            {
                .name = "sw",
                .summary = "along the coadjoint orbit, explicit",
                .reference = simo_wong,
                .order_text = "2",
                .traits = structure | NOE_EXPLICIT,
                .spaces = NOE_ON_EXPONENTIAL,
                .constraints = "",
            },
        .scheme = &sw_scheme,
        .data = &(const int){2},
    },
    {
        .info =
            {
                .name = "swp",
                .summary = "along the coadjoint orbit, projected to its energy",
                .reference = simo_wong,
                .order_text = "2",
                .traits = structure | NOE_ENERGY,
                .spaces = NOE_ON_EXPONENTIAL,
                .constraints = "",
            },
        .scheme = &swp_scheme,
        .data = &(const int){2},
    },
    {.info.name = NULL},
};
