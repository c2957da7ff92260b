/* Lie group variational integrators in the form F J_d - J_d F^T (the Moser-Veselov equation):
 * rotations change by the retraction `chord`, with one velocity a step and the potential at both
 * ends.
 *
 * With F = tau(x) and L_d = tr((I - F) J_d)/h + ..., J_d = tr(J)/2 I - J, the kinetic part is
 * x.Jx/(2h). So the method is that of endpoint.c with b0 = b1 = 1/2. As published for poses (Lee,
 * Leok and McClamroch, 2007) the position moves with the rotation at the start, (F, v), and the
 * method is of first order. Moved with the mean of both rotations, (F, (I + F) v/2), it is
 * symmetric. */
/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "methods/hamilton_pontryagin/endpoint.h"
#include "spaces/so3_retraction.h"

/* Only the symmetric kind moves poses with the mean of both rotations. */
static enum noe_status setup(struct noe_problem *problem, struct noe_error *error) {
    problem->retraction = problem->traits & NOE_SYMMETRIC ? SO3_CHORD : SE3_SHIFT;
    return endpoint_setup(problem, error);
}

static const struct scheme scheme = {
    .rule = SCHEME_ENDPOINT,
    .source = "methods/hamilton_pontryagin/endpoint.c",
    .setup = setup,
    .sparsity = endpoint_sparsity,
    SCHEME_FUNCTIONS(endpoint),
    .coefficients_type = "struct endpoint",
    .write_coefficients = endpoint_write_coefficients,
    .tangent = &endpoint_tangent,
    .kernels = KERNELS(FAST(endpoint_rigid_body_kernel), FAST(endpoint_splitting_kernel)),
};

static const struct noe_option options[] = {
    {"symmetric", NOE_WORD, 0, 0, 0, "no yes",
     "poses move with the mean of both rotations: order 2"},
    {0},
};

static const unsigned structure =
    NOE_SYMPLECTIC | NOE_MOMENTUM | NOE_GROUP | NOE_NEEDS_SEPARABLE | NOE_NEEDS_GROUPS;

static const struct variant symmetric = {structure | NOE_SYMMETRIC, &scheme,
                                         &(const struct endpoint_family){{0.5, 0.5}, 2, false}};

static const struct variant *choose(const struct noe_problem *problem) {
    return problem->option[0] != 0 || !product_has_positions(problem->system) ? &symmetric : NULL;
}

const struct method noe_methods_lgvi[] = {
    {
        .info =
            {
                .name = "lgvi",
                .summary = "Lie group variational integrator, F J_d - J_d F^T",
                .reference =
                    "Lee, Leok and McClamroch, Comput. Methods Appl. Mech. Engrg. 196 (2007)",
                .order_text = "2; on poses 1, or 2 if symmetric",
                .traits = structure,
                .spaces = NOE_ON_VECTORS | NOE_ON_CHORD,
                .constraints = "",
                .options = options,
            },
        .scheme = &scheme,
        .data = &(const struct endpoint_family){{0.5, 0.5}, 1, false},
        .choose = choose,
    },
    {.info.name = NULL},
};
