/* Tiled loops over long chains give the bits of the interpreter. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/codegen/vectorise/emit_tiles.h"
#include "model/codegen/vectorise/vector_functions.h"
#include "model_text.h"

/* Lengths that are not multiples of the tile. */
static const struct {
    const char *text;
    bool has_tiled_loops; /* true if the force has tiled loops */
} chains[] = {
    {"param n = 3001, k = 4, g = 0.25\ncoord q[n]\n"
     "L = sum(i = 1..n, q[i]'^2/2 + g*cos(q[i])) - sum(i = 2..n, k/2*(q[i] - q[i-1])^2)\n",
     true},
    {"param n = 2100\ncoord q[n]\n"
     "L = sum(i = 1..n, q[i]'^2/2 + cos(q[i])) - sum(i = 3..n, tanh(q[i] - q[i-2])*q[i-1])\n",
     true},
    {"param n = 2100\ncoord q[n]\n"
     "L = sum(i = 1..n, q[i]'^2/2*(2 + cos(q[i]))) - sum(i = 2..n, tanh(q[i] - q[i-1])^2)\n",
     true},
    {"param n = 2100\ncoord q[n]\n" /* intermediate values are read outside the loop */
     "L = sum(i = 1..n, q[i]'^2/2*(2 + cos(q[i])))\n"
     "  + sum(i = 1..n-1, q[i]'*q[i+1]'*sin(q[i] - q[i+1])/9 - exp(sin(q[i+1] - q[i])))\n"
     "  - sum(i = 3..n, tanh(q[i]*q[i-2])) - sin(q[700] - q[701])*q[1]*cos(q[1300])\n"
     "observe some = [sin(q[700] - q[701]), cos(q[3]), exp(sin(q[n] - q[n-1]))]\n",
     false},
    {"param n = 2500\ncoord q[n]\n" /* a ring */
     "L = sum(i = 1..n, q[i]'^2/2) - sum(i = 1..n-1, exp(q[i] - q[i+1])) - exp(q[n] - q[1])\n",
     false},
    {"param n = 2500\ncoord q[n]\n" /* neighbours beyond the halo */
     "L = sum(i = 1..n, q[i]'^2/2) - sum(i = 101..n, exp(q[i] - q[i-100]))\n",
     false},
};
enum { CHAINS = sizeof chains / sizeof *chains };

static int count_tiled_loops(const char *text, int routine) {
    struct definition *source;
    struct equations blocks;
    struct system_functions routines;
    struct emit_plan plan;
    bool *is_vector = NULL;
    const struct simd_target lanes = simd_target_find();
    assert_int_equal(definition_read(&source, text, strlen(text), 0, NULL, NULL), NOE_OK);
    assert_int_equal(equations_make(&blocks, source, NULL, NULL), NOE_OK);
    assert_int_equal(system_functions_make(&routines, source, &blocks, true), NOE_OK);
    assert_int_equal(vector_functions_find(&routines, &lanes, &is_vector), NOE_OK);
    const struct emit_options wishes = {.has_loops = true, .is_vector = is_vector};
    assert_int_equal(emit_plan_make(&plan, &source->graph, &routines.program[routine], &wishes),
                     NOE_OK);
    const int count = plan.tiles.ngroups;
    emit_plan_clear(&plan);
    free(is_vector);
    system_functions_clear(&routines);
    equations_clear(&blocks);
    definition_free(source);
    return count;
}

static void test_tiled_loops_are_found(void **state) {
    (void)state;
    for (int k = 0; k < CHAINS; k++)
        assert_int_equal(count_tiled_loops(chains[k].text, FORCE) > 0, chains[k].has_tiled_loops);
}

/* Results of all functions of a system at one point. */
static void evaluate(const struct noe_system *system, const noe_real *q, const noe_real *v,
                     noe_real *out) {
    const int n = system->n;
    *out++ = system->lagrangian(system, 0.3, q, v);
    system->force(system, 0.3, q, v, out);
    system->first(system, 0.3, q, v, out + n, out + 2 * n);
    system->momentum(system, 0.3, q, v, out + 3 * n, out + 4 * n);
    out += 4 * n + system->nz;
    system->second(system, 0.3, q, v, out, out + n, out + 2 * n);
    if (system->quantities) system->quantities(system, 0.3, q, v, out + 2 * n + 4 * system->nz);
}

static void test_same_bits(void **state) {
    (void)state;
    for (int k = 0; k < CHAINS; k++) {
        struct noe_model *compiled = model_text_open(chains[k].text, false);
        struct noe_model *interpreted = model_text_open(chains[k].text, true);
        const struct noe_system *system = compiled->system;
        const size_t n = (size_t)system->n;
        const size_t count = 1 + 6 * n + 5 * (size_t)system->nz + (size_t)system->nvalues;
        noe_real *q = malloc(2 * n * sizeof *q), *v = q + n;
        noe_real *one = calloc(count, sizeof *one), *other = calloc(count, sizeof *other);
        for (size_t i = 0; i < 2 * n; i++) q[i] = noe_sin((noe_real)(i * i % 1009) + 0.1);
        assert_int_not_equal(compiled->code.kind, NOE_INTERPRETED);
        evaluate(system, q, v, one);
        evaluate(interpreted->system, q, v, other);
        assert_memory_equal(one, other, count * sizeof *one);
        for (size_t i = 0; i < count; i++) assert_true(one[i] == one[i]);
        free(one);
        free(other);
        free(q);
        noe_model_free(compiled);
        noe_model_free(interpreted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiled_loops_are_found),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
