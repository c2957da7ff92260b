/* A method as text, for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#include "methods/method_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "mechanics/constraint_jacobian.h"
#include "mechanics/lie_product.h"
#include "methods/energy_adaptive/discrete_energy.h"

char *method_source_write(const struct noe_problem *problem, const char *source,
                          const char *coefficients, const char *hooks) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fputs(source, out);
    if (problem->lie_product) lie_product_write(out, problem->lie_product);
    if (problem->constraint_jacobian) constraint_jacobian_write(out, problem->constraint_jacobian);
    const char *energy_equation = energy_write(out, problem);
    fprintf(out,
            "%s\nstatic const struct noe_method specialised_method = {\n    .traits = %u,\n"
            "    .checks_orientation = %d,\n    %s%s};\n",
            coefficients, problem->method->traits, problem->method->checks_orientation, hooks,
            energy_equation);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
