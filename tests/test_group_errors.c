/* Every error about rotations and poses has its message with line and column. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include "base/registry.h"
#include "model_text.h"

#define PLANE "group g, xi : se(2)\nL = dot(xi, xi)/2\n"
#define SPIN  "rotation R, W\nL = dot(W, W)/2\n"

static const struct {
    const char *text;
    int line, column;
    const char *message;
} rows[] = {
    {"rotation R\n", 1, 1, "too few names: expected 'rotation R, W'"},
    {"rotation R, W, S\n", 1, 16, "too many names: expected 'rotation R, W'"},
    {"pose R, x, W\n", 1, 1, "too few names: expected 'pose R, x, W, V'"},
    {"pose R, x, W, V, U\n", 1, 18, "too many names: expected 'pose R, x, W, V'"},
    {"rotation R, R\n", 1, 13, "'R' is declared twice (first at line 1)"},
    {"coord W\nrotation R, W\n", 2, 13, "'W' is declared twice (first at line 1)"},
    {"rotation I, W\n", 1, 10,
     "'I' has a fixed meaning and cannot be declared: it is the unit matrix of three rows"},
    {"rotation R[2], W[3]\n", 1, 16, "the names of one statement have the same size"},
    {"rotation R, W[2]\n", 1, 13, "the names of one statement have the same size"},
    {"rotation R[2][3], W\n", 1, 15, "a rotation, a pose or a group has at most one size"},
    {"rotation R[0], W[0]\n", 1, 12, "the size of a coordinate must be at least 1, found 0"},
    {"pose R[90000], x[90000], W[90000], V[90000]\n", 1, 6,
     "a model has at most 1000000 coordinates"},
    {"group g, xi\n", 1, 12, "expected ':' after the names of a group, found end of line"},
    {"group g, xi : se(n)\n", 1, 18, "expected a number, found 'n'"},
    {"group g : se(2)\n", 1, 1, "too few names: expected 'group g, xi : NAME'"},
    {PLANE "start g[1] = e1\n", 3, 9,
     "a rotation or a group starts as a whole matrix, not in parts"},
    {PLANE "start g = 2*I\n", 3, 11,
     "the start is no point of se(2): its defect is 4; at most 1e-8 is repaired"},
    {PLANE "start xi = [1, 2]\n", 3, 12, "'xi' needs a vector of 3, found a vector of 2"},
    {"rotation R, W\nL = trace(R)\n", 2, 1,
     "a Lagrangian that uses no velocity: L must depend on W"},
    {"rotation R, W\nL = R'[1][1]\n", 2, 5, "'R' has no prime: its velocity is 'W'"},
    {"pose R, x, W, V\nL = x'[1]\n", 2, 5, "'x' has no prime: its velocity is 'V'"},
    {"rotation R, W\nL = W'[1]\n", 2, 5, "'W' is a velocity already: write it without a prime"},
    {"rotation R, W\nL = dot(W, R)\n", 2, 5,
     "dot needs two vectors of one length, found vector of 3 and matrix 3x3"},
    {"rotation R[2], W[2]\nL = dot(W[1], R*W[1])\n", 2, 16,
     "list of 2 matrices times vector of 3: the shapes do not fit"},
    {"rotation R[2], W[2]\nL = dot(W[1], W[3])\n", 2, 17, "index 3 is outside 1..2"},
    {SPIN "observe a = [R, R]\ninvariant b = a\n", 3, 13,
     "a list of matrices must be recorded one by one"},
    {SPIN "force W = e1\n", 3, 7, "a force acts on a coordinate, not on a velocity: write 'R'"},
    {SPIN "force R' = e1\n", 3, 7, "'R' has no prime: its velocity is 'W'"},
    {SPIN "force R = I\n", 3, 11, "'R' needs a vector of 3, found a matrix 3x3"},
    {SPIN "start R = e1\n", 3, 11, "'R' needs a matrix 3x3, found a vector of 3"},
    {SPIN "start R = W\n", 3, 11, "the velocity 'W' cannot be used in a start value"},
    {SPIN "start W = R[1]\n", 3, 11, "the coordinate 'R' cannot be used in a start value"},
    {SPIN "start W' = e1\n", 3, 7, "'W' is a velocity already: write it without a prime"},
    {SPIN "start R' = I\n", 3, 7, "'R' has no prime: its velocity is 'W'"},
    {SPIN "start R[1] = e1\n", 3, 9,
     "a rotation or a group starts as a whole matrix, not in parts"},
    {SPIN "start R = I\nstart R = I\n", 4, 7, "the start value of 'R' is given twice"},
    {SPIN "start W = e1, W[2] = 1\n", 3, 15, "the start value of 'W' is given twice"},
    {SPIN "start R = [[1, 0, 2e-8], [0, 1, 0], [0, 0, 1]]\n", 3, 11,
     "the start is not a rotation: it is not orthonormal, its defect is 2e-08 (a mirror image "
     "counts "
     "2); at most 1e-8 is repaired"},
    {SPIN "start R = diag(1, 1, -1)\n", 3, 11,
     "the start is not a rotation: it is not orthonormal, its defect is 2 (a mirror image counts "
     "2); at most 1e-8 is repaired"},
    {SPIN "start R = 0*I\n", 3, 11,
     "the start is not a rotation: it is not orthonormal, its defect is 3 (a mirror image counts "
     "2); at most 1e-8 is repaired"},
    {"pose R[2], x[2], W[2], V[2]\nL = dot(V[1], V[1])\nstart R[2][1] = e1\n", 3, 12,
     "a rotation or a group starts as a whole matrix, not in parts"},
    {"pose R[2], x[2], W[2], V[2]\nL = dot(V[1], V[1])\nstart R = I\n", 3, 11,
     "'R' needs a list of 2 matrices, found a matrix 3x3"},
    {"pose R, x, W, V\nL = dot(V, V)\nforce V = e1\n", 3, 7,
     "a force acts on a coordinate, not on a velocity: write 'x'"},
    {"pose R, x, W, V\nL = dot(V, V)\nforce x[4] = 1\n", 3, 9, "index 4 is outside 1..3"},
};

static void every_rule_has_its_message(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct noe_model *model;
        struct noe_error error = {0};
        assert_int_equal(noe_model_open_text(&model, "test.noe", rows[i].text, NULL, &error),
                         NOE_BAD_INPUT);
        assert_null(model);
        if (error.line != rows[i].line || error.column != rows[i].column ||
            strcmp(error.text, rows[i].message) != 0)
            fail_msg("%s\ngives %d:%d: %s\nnot   %d:%d: %s", rows[i].text, error.line, error.column,
                     error.text, rows[i].line, rows[i].column, rows[i].message);
    }
}

/* The message has the word of every group of the registry, in its order. */
static void an_unknown_group_lists_the_known_ones(void **state) {
    static const char *const unknown[] = {"se(4)", "klein"};
    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        char text[64], message[256];
        struct noe_model *model;
        struct noe_error error = {0};
        snprintf(text, sizeof text, "group g, xi : %s\n", unknown[i]);
        int used = snprintf(message, sizeof message, "unknown group '%s'; known:", unknown[i]);
        const char *separator = " ";
        for (int k = 0; registry_spaces[k]; k++) {
            if (!registry_spaces[k]->group) continue;
            used += snprintf(message + used, sizeof message - (size_t)used, "%s%s", separator,
                             registry_spaces[k]->group);
            separator = ", ";
        }
        assert_non_null(strstr(message, "se(2)"));
        assert_int_equal(noe_model_open_text(&model, "test.noe", text, NULL, &error),
                         NOE_BAD_INPUT);
        assert_int_equal(error.line, 1);
        assert_int_equal(error.column, 15);
        assert_string_equal(error.text, message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_its_message),
        cmocka_unit_test(an_unknown_group_lists_the_known_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
