/* Partitioned Runge-Kutta methods as text, for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "methods/energy_adaptive/discrete_energy.h"
#include "methods/runge_kutta/prk.h"

extern const char prk_source_text[];        /* this family's step path, from the build */
extern const char prk_groups_source_text[]; /* what it needs besides on groups */
extern const char adaptive_source_text[];   /* and where it chooses its step */

/* Hexadecimal: every bit, and no rounding on the way. */
static void write_numbers(FILE *out, const char *name, int count, const real *x) {
    fprintf(out, "    .%s = {", name);
    for (int i = 0; i < count; i++) fprintf(out, "%a,", (double)x[i]);
    fputs("},\n", out);
}

static void write_coefficients(FILE *out, int count, const struct coefficient *c) {
    fputs("{", out);
    for (int i = 0; i < count; i++)
        fprintf(out, "{%a,%a,%a},", (double)c[i].value, (double)c[i].high, (double)c[i].low);
    fputs("}", out);
}

static void write_matrix(FILE *out, const char *name, int s,
                         const struct coefficient (*c)[TABLEAU_STAGES_MAX]) {
    fprintf(out, "    .%s = {", name);
    for (int i = 0; i < s; i++) {
        write_coefficients(out, s, c[i]);
        fputs(",", out);
    }
    fputs("},\n", out);
}

static void write_wide(FILE *out, const char *name, int s, const tableau_matrix x) {
    fprintf(out, "    .%s = {", name);
    for (int j = 0; j < s; j++) {
        fputs("{", out);
        for (int i = 0; i < TABLEAU_WIDE_MAX; i++) fprintf(out, "%a,", (double)x[j][i]);
        fputs("},", out);
    }
    fputs("},\n", out);
}

static void write_wide_tableau(FILE *out, const struct tableau *t) {
    const struct {
        const char *name;
        const struct wide_coefficients *c;
    } matrices[] = {
        {"wide_a", &t->wide_a}, {"wide_ahat", &t->wide_ahat}, {"wide_square", &t->wide_square}};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.value", matrices[i].name);
        write_wide(out, name, t->s, matrices[i].c->value);
        snprintf(name, sizeof name, "%s.high", matrices[i].name);
        write_wide(out, name, t->s, matrices[i].c->high);
        snprintf(name, sizeof name, "%s.low", matrices[i].name);
        write_wide(out, name, t->s, matrices[i].c->low);
    }
    write_wide(out, "wide_ahead", t->s, t->wide_ahead);
    write_numbers(out, "wide_c", TABLEAU_WIDE_MAX, t->wide_c);
    write_numbers(out, "wide_c_high", TABLEAU_WIDE_MAX, t->wide_c_high);
    write_numbers(out, "wide_c_low", TABLEAU_WIDE_MAX, t->wide_c_low);
    fputs("    .has_wide = 1,\n", out);
}

void prk_write_tableau(FILE *out, const struct tableau *t, bool is_wide) {
    const struct {
        const char *name;
        const struct coefficient *c;
    } vectors[] = {{"b", t->b}, {"bhat", t->bhat}};
    fprintf(out, "{\n    .s = %d,\n", t->s);
    write_matrix(out, "a", t->s, t->a);
    write_matrix(out, "ahat", t->s, t->ahat);
    for (int i = 0; i < 2; i++) {
        fprintf(out, "    .%s = ", vectors[i].name);
        write_coefficients(out, t->s, vectors[i].c);
        fputs(",\n", out);
    }
    write_numbers(out, "c", t->s, t->c);
    write_numbers(out, "error", t->s, t->error);
    write_numbers(out, "kick", t->nkicks, t->kick);
    write_numbers(out, "drift", t->nkicks, t->drift);
    if (is_wide) write_wide_tableau(out, t);
    fputs("    .couples = {", out);
    for (int i = 0; i < t->s; i++) {
        fputs("{", out);
        for (int j = 0; j < t->s; j++) fprintf(out, "%d,", t->couples[i][j]);
        fputs("},", out);
    }
    fprintf(out, "},\n    .has_low = %d, .is_explicit = %d, .in_frame = %d, .nkicks = %d,\n}",
            t->has_low, t->is_explicit, t->in_frame, t->nkicks);
}

/* What the stepper does not call is not compiled. */
static const char kernel[] = ".kernel = prk_explicit_steps";
static const char few[] =
    ".kernel = prk_small_newton_steps,\n"
    "#ifdef NOE_LANES\n"
    "    .initial_guess = prk_initial_guess, .residual = prk_residual, .jacobian = prk_jacobian,\n"
    "    .update = prk_update\n"
    "#endif\n";
static const char energy[] = ".kernel = energy_vector_steps";
static const char ambient[] = ".kernel = embedded_kernel";
static const char adaptive[] = ".kernel = adaptive_kernel";
static const char fixed_point[] =
    ".initial_guess = prk_initial_guess, .update = prk_update, .fixed_point = PRK_FIXED_POINT";
static const char hooks[] = ".initial_guess = prk_initial_guess, .residual = prk_residual,\n"
                            "    .jacobian = prk_jacobian, .update = prk_update";

char *prk_source(const struct noe_problem *problem) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    fputs(prk_source_text, out);
    if (problem->lie_product) {
        fputs(prk_groups_source_text, out);
        lie_product_write(out, problem->lie_product);
    }
    if (problem->method->kernel == adaptive_kernel) fputs(adaptive_source_text, out);
    fputs("static const struct tableau specialised_coefficients = ", out);
    prk_write_tableau(out, prk_tableau(problem), problem->use_fixed_point);
    fputs(";\n", out);
    const char *energy_equation = energy_write(out, problem);
    fprintf(
        out,
        "static const struct noe_method specialised_method = {\n    .traits = %u,\n    %s%s};\n",
        problem->method->traits,
        problem->method->kernel == embedded_kernel                ? ambient
        : problem->method->kernel == adaptive_kernel              ? adaptive
        : problem->use_kernel && problem->method->energy_equation ? energy
        : problem->use_kernel && problem->kernel_is_implicit      ? few
        : problem->use_kernel                                     ? kernel
        : problem->use_fixed_point                                ? fixed_point
                                                                  : hooks,
        energy_equation);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
