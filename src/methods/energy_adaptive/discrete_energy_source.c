/* The energy balance of a step as text, for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy.h"

/* From the build. */
extern const char energy_source_text[], energy_nodes_source_text[], energy_groups_source_text[];
extern const char energy_middle_source_text[], energy_ray_source_text[];

const char *energy_write(FILE *out, const struct noe_problem *problem) {
    static const struct {
        const struct noe_energy_equation *energy_equation;
        const char *source, *hook;
    } rows[] = {
        {&energy_of_group_stages, energy_groups_source_text,
         ", .energy_equation = &energy_of_group_stages"},
        {&energy_of_midpoint, energy_middle_source_text,
         ", .energy_equation = &energy_of_midpoint"},
        {&energy_of_endpoint, energy_ray_source_text, ", .energy_equation = &energy_of_endpoint"},
        {&energy_of_endpoint_onepass, energy_ray_source_text,
         ", .energy_equation = &energy_of_endpoint_onepass"},
    };
    const struct noe_energy_equation *energy_equation = problem->method->energy_equation;
    if (!energy_equation) return "";
    if (energy_equation == &energy_of_stages) {
        fputs(energy_source_text, out);
        return ", .energy_equation = &energy_of_stages";
    }
    fputs(energy_nodes_source_text, out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].energy_equation != energy_equation) continue;
        fputs(rows[i].source, out);
        return rows[i].hook;
    }
    return "";
}
