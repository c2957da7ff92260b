/* The energy balance of a step as text, for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#include "methods/energy_adaptive/discrete_energy.h"

/* From the build. */
extern const char energy_source_text[], energy_nodes_source_text[], energy_groups_source_text[];
extern const char energy_middle_source_text[], energy_ray_source_text[];

const char *energy_write(FILE *out, const struct noe_problem *problem) {
    static const struct {
        const struct noe_balance *balance;
        const char *source, *hook;
    } rows[] = {
        {&energy_of_group_stages, energy_groups_source_text,
         ", .balance = &energy_of_group_stages"},
        {&energy_of_middle, energy_middle_source_text, ", .balance = &energy_of_middle"},
        {&energy_of_ray, energy_ray_source_text, ", .balance = &energy_of_ray"},
        {&energy_of_ray_onepass, energy_ray_source_text, ", .balance = &energy_of_ray_onepass"},
    };
    const struct noe_balance *balance = problem->method->balance;
    if (!balance) return "";
    if (balance == &energy_of_stages) {
        fputs(energy_source_text, out);
        return ", .balance = &energy_of_stages";
    }
    fputs(energy_nodes_source_text, out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].balance != balance) continue;
        fputs(rows[i].source, out);
        return rows[i].hook;
    }
    return "";
}
