/* A method as text, for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#include "methods/method_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "mechanics/lie_product.h"
#include "methods/energy_adaptive/discrete_energy.h"
#include "mechanics/constraint_jacobian.h"

char *describe_method(const struct noe_problem *problem, const char *source,
                      const char *coefficients, const char *hooks) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fputs(source, out);
    if (problem->chart) chart_write(out, problem->chart);
    if (problem->reaction) reaction_write(out, problem->reaction);
    const char *balance = energy_write(out, problem);
    fprintf(out,
            "%s\nstatic const struct noe_method specialised_method = {\n    .traits = %u,\n"
            "    .is_oriented = %d,\n    %s%s};\n",
            coefficients, problem->method->traits, problem->method->is_oriented, hooks, balance);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
