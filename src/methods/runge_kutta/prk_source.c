/* C text of a Butcher tableau for a specialised stepper. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "methods/runge_kutta/prk.h"

/* Writes hexadecimal numbers, which are exact. */
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

void prk_write_coefficients(FILE *out, const struct noe_problem *problem) {
    prk_write_tableau(out, prk_tableau(problem), kernel_is_fixed_point(problem));
}
