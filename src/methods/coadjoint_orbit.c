/* Methods that step along coadjoint orbits, and keep energy. */
/* SPDX-License-Identifier: MIT */
#include "methods/euler_poincare/coadjoint_orbit.h"

#include <stdio.h>

#include "methods/method_source.h"
#include "spaces/so3_retraction.h"

extern const char coadjoint_source_text[]; /* this family's step path, from the build */

static enum noe_status prepare(struct noe_problem *problem, struct noe_error *error) {
    (void)error;
    problem->retraction = SO3_EXP;
    return euler_poincare_setup(problem, *(const int *)problem->method->data);
}

static char *describe(const struct noe_problem *problem) {
    char kernel[80];
    snprintf(kernel, sizeof kernel, ".kernel = coadjoint_%s", problem->method->name);
    return method_source_write(problem, coadjoint_source_text,
                               "static const int specialised_coefficients;", kernel);
}

#define COADJOINT                                                                                  \
    .constraints = "", .setup = prepare, .sparsity = euler_poincare_sparsity, .source = describe

static const char simo_wong[] = "Simo and Wong, Int. J. Numer. Methods Engrg. 31 (1991)";
static const unsigned structure = NOE_MOMENTUM | NOE_GROUP | NOE_NEEDS_INVARIANT;

const struct noe_method noe_methods_coadjoint_orbit[] = {
    {
        .name = "kr",
        .summary = "along the coadjoint orbit by a stretched increment: energy kept",
        .reference = "Krysl, Int. J. Numer. Methods Engrg. 63 (2005)",
        .order_text = "1",
        .spaces = NOE_ON_SO3_ALGEBRA,
        .traits = structure | NOE_ENERGY,
        .data = &(const int){1},
        .kernel = coadjoint_kr,
        .update_tangent = coadjoint_kr_update_tangent,
        COADJOINT,
    },
    {
        .name = "sw",
        .summary = "along the coadjoint orbit, explicit",
        .reference = simo_wong,
        .order_text = "2",
        .spaces = NOE_ON_EXPONENTIAL,
        .traits = structure | NOE_EXPLICIT,
        .data = &(const int){2},
        .kernel = coadjoint_sw,
        .update_tangent = coadjoint_sw_update_tangent,
        COADJOINT,
    },
    {
        .name = "swp",
        .summary = "along the coadjoint orbit, projected to its energy",
        .reference = simo_wong,
        .order_text = "2",
        .spaces = NOE_ON_EXPONENTIAL,
        .traits = structure | NOE_ENERGY,
        .data = &(const int){2},
        .kernel = coadjoint_swp,
        .update_tangent = coadjoint_swp_update_tangent,
        COADJOINT,
    },
    {0},
};
