/* Methods with one velocity a step as text, for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "methods/energy.h"
#include "methods/ray.h"

extern const char ray_source_text[]; /* this family's step path, from the build */

char *ray_describe(const struct noe_problem *problem) {
    const struct ray *ray = ray_of(problem);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fputs(ray_source_text, out);
    chart_write(out, problem->chart);
    const char *balance = energy_write(out, problem);
    fprintf(out,
            "static const struct ray specialised_coefficients = {%a, %a};\n"
            "static const struct noe_method specialised_method = {\n    .traits = %u,\n"
            "    .guess = ray_guess, .residual = ray_residual, .jacobian = ray_jacobian,\n"
            "    .finish = ray_finish%s};\n",
            (double)ray->b0, (double)ray->b1, problem->method->traits, balance);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
