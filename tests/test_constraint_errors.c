/* The model language: messages for bad constraints and bad circuits. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/definition.h"

#define PLANE "coord x, y\nL = x'^2 + y'^2\n"
#define LOOP  "node a, b\nbranch u : a -> b inductance = 1\nbranch w : a -> b capacitance = 1\n"
#define CHAIN "coord x[3]\nL = dot(x', x')\n"
#define SPIN  "rotation R, W\nL = dot(W, W)/2\n"

static const struct {
    const char *text;
    int line, column;
    const char *message;
} rows[] = {
    {"node a, b\n", 1, 1, "a circuit without a 'branch'"},
    {"node a, b, a\n", 1, 12, "the node 'a' is declared twice"},
    {LOOP "branch x : a -> c resistance = 1\n", 4, 17, "unknown node 'c': declare it with 'node'"},
    {LOOP "branch x : a -> a resistance = 1\n", 4, 17,
     "the branch 'x' begins and ends at the same node"},
    {LOOP "branch x : a -> b\n", 4, 8,
     "the branch 'x' has no element: state inductance, capacitance, resistance or source"},
    {LOOP "branch x : a -> b resistanc = 1\n", 4, 19,
     "unknown element 'resistanc': a branch has inductance, capacitance, resistance and source"},
    {LOOP "branch x : a -> b source = 1 source = 2\n", 4, 30,
     "the element 'source' is given twice"},
    {LOOP "branch u : a -> b resistance = 1\n", 4, 8, "'u' is declared twice (first at line 2)"},
    {LOOP "branch x : a b\n", 4, 14, "expected '->' between two nodes, found 'b'"},
    {LOOP "branch x : a -> b resistance 1\n", 4, 30,
     "expected '=' after the name of an element, found '1'"},
    {LOOP "branch x : a -> b resistance = [1, 2]\n", 4, 32,
     "resistance is a scalar, found a vector of 2"},
    {LOOP "branch x : a -> b capacitance = 0\n", 4, 33, "a capacitance of zero"},
    {LOOP "node c, d\nbranch x : c -> d resistance = 1\n", 4, 6,
     "the circuit is not connected: no branches lead from 'a' to 'c'"},
    {LOOP "branch x : a -> b source = 1\nbranch y : b -> a source = t\n", 5, 8,
     "a loop of ideal sources: 'y' closes it, and nothing limits its current"},
    {"node a, b\nbranch x : a -> b inductance = 1\n", 2, 1,
     "the circuit has no loop: no current can flow"},
    {"node a, b\nbranch x : a -> b capacitance = 1\nbranch y : a -> b resistance = 1\n", 2, 1,
     "the circuit has no inductance: no current has a momentum"},
    {"coord q\n" LOOP, 3, 1,
     "'q' is declared already: the charges of meshes are called q[1], q[2], ..."},
    {LOOP "mesh q[2] = u - w\n", 4, 6, "there is no mesh 2: this circuit has 1"},
    {LOOP "mesh i1 = u - w\n", 4, 6,
     "the charges of meshes are called q[1], q[2], ...: write 'mesh q[1] = ..'"},
    {LOOP "mesh q[1] = u + w\n", 4, 13,
     "this mesh is not a loop: it does not close at the node 'a'"},
    {LOOP "mesh q1 = u - 2*w\n", 4, 15, "a mesh is a sum of branches, with signs"},
    {LOOP "mesh q1 = u - v\n", 4, 15, "unknown branch 'v'"},
    {LOOP "mesh q1 = u - w, q[1] = w - u\n", 4, 18, "the mesh 1 is given twice"},
    {LOOP "mesh q1 = u - u\n", 4, 15, "the branch 'u' is in this mesh twice"},
    {LOOP "branch x : a -> b resistance = 1\nmesh q1 = u - w\n", 5, 1,
     "the mesh 2 is missing: this circuit has 2, and all are stated or none"},
    {LOOP "branch x : a -> b resistance = 1\nmesh q1 = u - w, q2 = w - u\n", 5, 18,
     "the mesh 2 is a sum of the others"},
    {LOOP "start u = 1\n", 4, 7, "'u' is not a coordinate"},
    {LOOP "param a = u\n", 4, 11, "the coordinate 'u' cannot be used in a parameter"},
    {SPIN "constraint spherical(R, e1) = 0\n", 3, 12,
     "expected spherical(R1, x1, a1, R2, x2, a2), found 2 arguments"},
    {SPIN "constraint fixed(R, 0*e1, e2, e3, e1, e2) = 0\n", 3, 31,
     "fixed(R1, x1, a1, R2, x2, a2): expected a matrix 3x3, found a vector of 3"},
    {SPIN "constraint revolute(R, e1, e1, R*e1, I, e1, e1, e1) = 0\n", 3, 12,
     "the axis of a revolute joint must be fixed in its body"},
    {SPIN "constraint revolute(R, e1, e1, 0*e1, I, e1, e1, e1) = 0\n", 3, 12,
     "the axis of a revolute joint is zero"},
    {CHAIN "constraint x[i] = x[i-1] for\n", 3, 29,
     "expected an index range such as 'i = 1..n', found end of line"},
    {CHAIN "constraint x[i] = x[i-1] for i = 2\n", 3, 35,
     "expected '..' in the range of an index, found end of line"},
    {CHAIN "constraint x[i] = x[i-1] for i = 1..3\n", 3, 21, "index 0 is outside 1..3"},
    {CHAIN "constraint x[i] = x[j] for i = 1..3\n", 3, 21, "unknown name 'j'"},
    {CHAIN "constraint x[i] = x[1] for i = 2..3, i = 1..2\n", 3, 38,
     "the index 'i' has two ranges"},
    {CHAIN "constraint x[i] = x[1] for i = 1..3\n", 3, 12,
     "component 1 of this constraint has no unknown: it always holds"},
    {CHAIN "constraint x[i] = x[i-1] for i = 2..3 x\n", 3, 39,
     "expected an operator or the end of the line, found 'x'"},
    {PLANE "constraint x = y'\n", 3, 16,
     "a velocity in a holonomic constraint: state it as 'nonholonomic'"},
    {"coord x, y\nlet u = 2*x'\nL = x'^2 + y'^2\nconstraint x + sin(3*u) = y\n", 4, 22,
     "a velocity in a holonomic constraint: state it as 'nonholonomic'"},
    {SPIN "constraint R*W = e1\n", 3, 14,
     "a velocity in a holonomic constraint: state it as 'nonholonomic'"},
    {PLANE "nonholonomic x = y\n", 3, 14,
     "this constraint has no velocity: state it as 'constraint', not as 'nonholonomic'"},
    {PLANE "nonholonomic [x', x] = [y, 2]\n", 3, 14,
     "component 2 of this constraint has no velocity: state it as 'constraint', not as "
     "'nonholonomic'"},
    {PLANE "constraint 1 = 1\n", 3, 12, "this constraint has no unknown: it always holds"},
    {PLANE "constraint x - x = 0\n", 3, 12, "this constraint has no unknown: it always holds"},
    {PLANE "nonholonomic t = 2\n", 3, 14, "this constraint has no unknown: it uses time alone"},
    {PLANE "constraint [x, 1] = [y, 3]\n", 3, 12,
     "component 2 of this constraint is a contradiction: it has no unknown and its sides differ by "
     "-2"},
    {PLANE "constraint [x, y] = 1\n", 3, 21,
     "the sides of a constraint must have the same shape, found a vector of 2 and a scalar"},
    {PLANE "constraint [x, y] = [1, 2, 3]\n", 3, 21,
     "the sides of a constraint must have the same shape, found a vector of 2 and a vector of 3"},
    {PLANE "constraint x = 1, y = 2\n", 3, 17,
     "expected an operator or the end of the line, found ','"},
    {PLANE "constraint x\n", 3, 13,
     "expected '=' between the sides of an equation, found end "
     "of line"},
    {PLANE "constraint x = 0\nobserve f = multiplier(2)\n", 4, 24,
     "there is no multiplier 2: the model states 1 equation of constraints"},
    {PLANE "observe f = multiplier(1)\n", 3, 13,
     "multiplier needs a constraint, and the model states none"},
    {PLANE "constraint x = 0\nforce y = multiplier(1)\n", 4, 11,
     "multiplier can be used only in 'observe', 'invariant' and 'stop when', because multipliers "
     "depend on the motion"},
    {PLANE "constraint x = 0\nobserve f = multiplier(1)\nforce y = f\n", 5, 11,
     "a force cannot use multipliers of constraints: they depend on the forces"},
    {PLANE "constraint x = 0\nobserve f = reaction(2*x)\n", 4, 22,
     "reaction needs the name of a coordinate"},
    {PLANE "constraint x = 0\nobserve f = reaction(x, y)\n", 4, 13, "reaction takes 1 argument"},
    {PLANE "constraint x = z\n", 3, 16, "unknown name 'z'"},
};

static void every_rule_has_its_message(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct definition *model = NULL;
        struct noe_error error = {0};
        const char *text = rows[i].text;
        assert_int_equal(definition_read(&model, text, strlen(text), 0, NULL, &error),
                         NOE_BAD_INPUT);
        if (strcmp(error.text, rows[i].message) != 0 || error.line != rows[i].line ||
            error.column != rows[i].column)
            fail_msg("%s\ngives %d:%d: %s\nnot   %d:%d: %s", text, error.line, error.column,
                     error.text, rows[i].line, rows[i].column, rows[i].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_has_its_message)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
