/* The model language: messages for bad files. */
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

#define PLAIN "coord q\nL = q'^2/2\n"
#define SPIN  "rotation R, W\nL = dot(W, W)/2\n"

static const struct {
    const char *text;
    int line, column;
    const char *message;
} rows[] = {
    {"", 1, 1, "the model states no coordinate: expected 'coord q'"},
    {"coord q\n", 1, 1, "the model states no Lagrangian: expected 'L = ...'"},
    {"L = 1\n", 1, 1, "a Lagrangian that uses no velocity: L must depend on q'"},
    {"coord q\nL = q^2\n", 2, 1, "a Lagrangian that uses no velocity: L must depend on q'"},
    {PLAIN "L = q'\n", 3, 1, "'L' is stated twice (first at line 2)"},
    {"coord q\nL = m/2*qq'^2\n", 2, 5, "unknown name 'm'"},
    {"coord q\nL = q'^2 - qq\n", 2, 12, "unknown name 'qq' (did you mean 'q'?)"},
    {"coord q, q\nL = q'^2", 1, 10, "'q' is declared twice (first at line 1)"},
    {"param q = 1\ncoord q\nL = q'^2", 2, 7, "'q' is declared twice (first at line 1)"},
    {"let q = 1\ncoord q\nL = q'^2", 2, 7, "'q' is declared twice (first at line 1)"},
    {"param pi = 3\n" PLAIN, 1, 7,
     "'pi' has a fixed meaning and cannot be declared: it is the number 3.14159..."},
    {"coord sin\n", 1, 7, "'sin' has a fixed meaning and cannot be declared"},
    {"param sum = 1\n", 1, 7, "'sum' has a fixed meaning and cannot be declared"},
    {PLAIN "observe t = 1\n", 3, 9,
     "'t' has a fixed meaning and cannot be declared: it is the time"},
    {"param a = q\n" PLAIN, 1, 11, "the coordinate 'q' cannot be used in a parameter"},
    {"param a = q'\n" PLAIN, 1, 11, "the coordinate 'q' cannot be used in a parameter"},
    {"param a = t\n" PLAIN, 1, 11, "the time 't' cannot be used in a parameter"},
    {"param a = b, b = 1\n" PLAIN, 1, 11, "'b' is used before it is declared (at line 1)"},
    {"param a = k\nlet k = 1\n" PLAIN, 1, 11,
     "'k' is not a parameter and cannot be used in a parameter"},
    {"coord q\nlet a = b\nlet b = q\nL = q'^2", 2, 9,
     "'b' is used before it is declared (at line 3)"},
    {PLAIN "start q = q\n", 3, 11, "the coordinate 'q' cannot be used in a start value"},
    {PLAIN "start q = t\n", 3, 11, "the time 't' cannot be used in a start value"},
    {PLAIN "start q = L\n", 3, 11, "the Lagrangian 'L' cannot be used in a start value"},
    {PLAIN "start z = 1\n", 3, 7, "unknown coordinate 'z'"},
    {PLAIN "start q = [1,2]\n", 3, 11, "'q' needs a scalar, found a vector of 2"},
    {PLAIN "start q = 1, q = 2\n", 3, 14, "the start value of 'q' is given twice"},
    {PLAIN "start q[1] = 2\n", 3, 9, "a scalar has no parts"},
    {"coord x[3]\nL = dot(x',x')\nstart x = 1\n", 3, 11, "'x' needs a vector of 3, found a scalar"},
    {"coord x[3]\nL = dot(x',x')\nstart x[4] = 1\n", 3, 9, "index 4 is outside 1..3"},
    {"coord x[3]\nL = dot(x',x')\nstart x[2]' = [1,2]\n", 3, 15,
     "this part of the velocity of 'x' needs a scalar, found a vector of 2"},
    {"coord x[3]\nL = dot(x',x')\nstart x[1.5] = 1\n", 3, 9,
     "an index must be a whole number, found 1.5"},
    {"coord x[3]\nL = dot(x',x')\nstart x = [1,2,3], x[2] = 1", 3, 20,
     "the start value of 'x' is given twice"},
    {"coord x[3]\nL = x'*x'\n", 2, 7, "vector of 3 times vector of 3: use dot or cross"},
    {"coord x[2]\nL = x'*x'\n", 2, 7, "vector of 2 times vector of 2: use dot"},
    {"coord x[3]\nL = dot(x',x') + x\n", 2, 16, "scalar plus vector of 3: the shapes do not fit"},
    {"coord x[3]\nL = x'\n", 2, 5, "L must be a scalar, found vector of 3"},
    {"coord x[3]\nL = sin(x)\n", 2, 9, "sin needs a scalar, found vector of 3"},
    {"coord x[3]\nL = dot(x', 1)\n", 2, 5,
     "dot needs two vectors of one length, found vector of 3 and scalar"},
    {"coord x[3]\nL = cross(x', x')\n", 2, 5, "L must be a scalar, found vector of 3"},
    {"coord x[2]\nL = dot(cross(x', x'),x)\n", 2, 9,
     "cross needs two vectors of 3, found vector of 2 and vector of 2"},
    {"coord x[3]\nL = 1/x\n", 2, 6, "scalar divided by vector of 3: only scalars divide"},
    {"coord x[3]\nL = x^2\n", 2, 6, "'^' needs scalars, found vector of 3"},
    {"coord x[3]\nL = 2^x\n", 2, 6, "'^' needs scalars, found vector of 3"},
    {"coord x[3]\nL = I*x' + [[1,2],[3,4]]*x\n", 2, 25,
     "matrix 2x2 times vector of 3: the shapes do not fit"},
    {"coord x[3]\nL = dot(x'*I, x)\n", 2, 11,
     "vector of 3 times matrix 3x3: use transpose and put the matrix first"},
    {"coord x[3]\nL = norm(1)\n", 2, 5, "norm needs a vector, found scalar"},
    {"coord x[3]\nL = trace(x)\n", 2, 5, "trace needs a square matrix, found vector of 3"},
    {"coord x[3]\nL = det([[1,2,3],[1,2,3]])\n", 2, 5,
     "det needs a square matrix of at most 4 rows, found matrix 2x3"},
    {"coord x[3]\nL = transpose(x)\n", 2, 5, "transpose needs a matrix, found vector of 3"},
    {"coord x[3]\nL = hat([1,2])\n", 2, 5, "hat needs a vector of 3, found vector of 2"},
    {"coord x[3]\nL = expm(1)\n", 2, 5, "expm needs a rotation vector of 3, found scalar"},
    {"coord x[3]\nL = diag(x, 1)\n", 2, 5, "diag needs scalars or one vector, found vector of 3"},
    {"coord x[3]\nL = [1,[2,3]]\n", 2, 5,
     "part 2 of a list is a vector of 2, but part 1 is a scalar"},
    {"coord x[3]\nL = [[1,2],[3]]\n", 2, 5,
     "part 2 of a list is a vector of 1, but part 1 is a vector of 2"},
    {"coord x[3]\nL = [x, x]\n", 2, 5, "L must be a scalar, found matrix 2x3"},
    {"coord x[3]\nL = [diag(1, 2), diag(1, 2)]\n", 2, 5,
     "a list has scalars, vectors or matrices 3x3, found a matrix 2x2"},
    {"coord x[3]\nL = [I, I]\n", 2, 5, "L must be a scalar, found list of 2 matrices"},
    {"coord x[3]\nL = []\n", 2, 6, "expected an expression after '[', found ']'"},
    {"coord x[3]\nL = [1,2\n", 2, 5, "'[' is never closed"},
    {"coord x[3]\nL = (x[1]' + 2\nstart x = [1,2,3]\n", 2, 5, "'(' is never closed"},
    {"coord x[3]\nL = (x[1]' + 2]\n", 2, 15, "expected an operator or ')', found ']'"},
    {"coord q\nL = q' +\n", 2, 9, "expected an expression after '+', found end of line"},
    {"coord q\nL = q' +\nstart q = 1\n", 2, 9,
     "expected an expression after '+', found end of line"},
    {"coord q\nL = q' + * 2\n", 2, 10, "expected an expression after '+', found '*'"},
    {"coord q\nL = q' 2\n", 2, 8, "expected an operator or the end of the line, found '2'"},
    {"coord q\nL = 2q'^2\n", 2, 6, "expected an operator or the end of the line, found 'q'"},
    {"coord q\nL = 2(q')\n", 2, 6, "expected an operator or the end of the line, found '('"},
    {"coord q\nL = q(2)\n", 2, 5, "'q' is not a function; write '*' to multiply"},
    {"coord q\nL = sine(2)\n", 2, 5, "unknown function 'sine' (did you mean 'sin'?)"},
    {"coord q\nL = sin + 2\n", 2, 5, "'sin' is a function: write its arguments in parentheses"},
    {"coord q\nL = sin(1,2)\n", 2, 5, "sin takes 1 argument, found 2"},
    {"coord q\nL = dot(1)\n", 2, 5, "dot takes 2 arguments, found 1"},
    {"coord q\nL = atan2(1)\n", 2, 5, "atan2 takes 2 arguments, found 1"},
    {"coord q\nL = sin()\n", 2, 9, "expected an expression after '(', found ')'"},
    {"coord q\nL = q''^2\n", 2, 7, "a second prime: only velocities are available"},
    {"coord q\nL = (2*q)'\n", 2, 6, "only a coordinate has a velocity"},
    {"param m=2\ncoord q\nL = m'\n", 3, 5, "'m' is not a coordinate and has no velocity"},
    {"coord q\nL = zz'\n", 2, 5, "unknown name 'zz'"},
    {"coord q\nL = q[1]\n", 2, 7, "a scalar has no parts"},
    {"coord x[3]\nL = x[4]'\n", 2, 7, "index 4 is outside 1..3"},
    {"coord x[3]\nL = x[0]'\n", 2, 7, "index 0 is outside 1..3"},
    {"coord x[3]\nL = x[1.5]'\n", 2, 7, "an index must be a whole number, found 1.5"},
    {"coord x[3]\nL = x[x[1]]\n", 2, 7, "the coordinate 'x' cannot be used in an index"},
    {"coord x[3]\nL = x[[1,2]]\n", 2, 7, "an index is one number, found vector of 2"},
    {"coord x[3]\nL = x[1][1]\n", 2, 10, "a scalar has no parts"},
    {"coord x[0]\n", 1, 9, "the size of a coordinate must be at least 1, found 0"},
    {"coord x[-3]\n", 1, 9, "the size of a coordinate must be at least 1, found -3"},
    {"coord x[2.5]\n", 1, 9, "the size of a coordinate must be a whole number, found 2.5"},
    {"coord x[1e7]\n", 1, 7, "a model has at most 1000000 coordinates"},
    {"coord x[1e99]\n", 1, 9, "the size of a coordinate is too large: 1e+99"},
    {"coord x[2][3][4]\n", 1, 15, "a coordinate has at most two sizes"},
    {"coord x[1000][2000]\n", 1, 7, "a model has at most 1000000 coordinates"},
    {"coord x[\n", 1, 9, "expected an expression after '[', found end of line"},
    {"coord 3\n", 1, 7, "expected the name of a coordinate, found '3'"},
    {"coord q,\n", 1, 9, "expected the name of a coordinate, found end of line"},
    {"coord q\nL = sum(i=1..2.5, q')\n", 2, 14,
     "the range of an index must be a whole number, found 2.5"},
    {"coord q\nL = sum(i=1..q, q')\n", 2, 14,
     "the coordinate 'q' cannot be used in the range of an index"},
    {"coord q\nL = sum(i=1..1e9, q')\n", 2, 9,
     "the model is too large: more than 50000000 operations to write it out"},
    {"coord q\nL = sum(q')\n", 2, 9,
     "expected an index range such as 'i = 1..n' in sum, found 'q'"},
    {"coord q\nL = sum(i=1..2)\n", 2, 15, "expected ',' and the expression to sum, found ')'"},
    {"coord q\nL = sum(i=1, q')\n", 2, 12, "expected '..' in the range of an index, found ','"},
    {"coord q\nL = sum(t=1..2, q')\n", 2, 9, "'t' cannot be an index"},
    {"param a = 1/0\n" PLAIN, 1, 12, "division by zero"},
    {"param a = 0, b = 1/a\n" PLAIN, 1, 19, "division by zero"},
    {"param a = log(-1)\n" PLAIN, 1, 11, "the result of log is not a finite number"},
    {"param a = exp(700)^20\n" PLAIN, 1, 19, "the result of '^' is not a finite number"},
    {"param a = 0^-1\n" PLAIN, 1, 12, "the result of '^' is not a finite number"},
    {"param a = 1e9999\n" PLAIN, 1, 11, "the number '1e9999' is too large to represent"},
    {"param a = 1e-9999\n" PLAIN, 1, 11, "the number '1e-9999' is too small to represent"},
    {"param a = 1e\n" PLAIN, 1, 11, "the exponent of the number '1e' has no digits"},
    {"param a = 1e+\n" PLAIN, 1, 11, "the exponent of the number '1e+' has no digits"},
    {"coord q\nL = q'^2/0\n", 2, 9, "division by zero"},
    {"coord q\nL = q'^2\nstep -0.1\n", 3, 6, "step must be positive, found -0.1"},
    {"coord q\nL = q'^2\nstep 0\n", 3, 6, "step must be positive, found 0"},
    {"coord q\nL = q'^2\nstep q\n", 3, 6, "the coordinate 'q' cannot be used in the step"},
    {"coord q\nL = q'^2\nstep [1,2]\n", 3, 6, "the step is one number, found vector of 2"},
    {PLAIN "step 1\nstep 2\n", 4, 1, "'step' is stated twice (first at line 3)"},
    {PLAIN "method midpoint\nmethod gauss\n", 4, 1, "'method' is stated twice (first at line 3)"},
    {PLAIN "sample 3\n", 3, 8, "expected 'every' after 'sample', found '3'"},
    {PLAIN "sample every 0\n", 3, 14, "the sampling interval must be at least 1, found 0"},
    {PLAIN "sample every 1.5\n", 3, 14, "the sampling interval must be a whole number, found 1.5"},
    {PLAIN "sample every -1\n", 3, 14, "the sampling interval must be at least 1, found -1"},
    {"model Title\n", 1, 7, "expected a title in double quotes, found 'Title'"},
    {"model \"Title\n", 1, 7, "the string is never closed"},
    {"model \"a\" \"b\"\n", 1, 11, "expected the end of the line, found a string"},
    {"model \"a\"\nmodel \"b\"\n", 2, 1, "'model' is stated twice (first at line 1)"},
    {"prama m = 1\n", 1, 1, "unknown statement 'prama' (did you mean 'param'?)"},
    {"foo\n", 1, 1, "unknown statement 'foo' (did you mean 'from'?)"},
    {"3 = 4\n", 1, 1, "expected a statement, found '3'"},
    {"= 2\n", 1, 1, "expected a statement, found '='"},
    {"m = 2\n", 1, 1, "unknown statement 'm'"},
    {"coord q\nL q'^2\n", 2, 3, "expected '=' after 'L', found 'q'"},
    {"param m 1\n", 1, 9, "expected '=' after the name, found '1'"},
    {"param = 1\n", 1, 7, "expected a name, found '='"},
    {"param m = \n", 1, 10, "expected an expression after '=', found end of line"},
    {"param m = 1 2\n", 1, 13, "expected an operator or the end of the line, found '2'"},
    {"param m = 1, \n" PLAIN, 1, 13, "expected a name, found end of line"},
    {"coord q # \303\251\nL = \303\251\n", 2, 5, "unexpected character '\303\251'"},
    {"coord q\nL = q' $ 2\n", 2, 8, "unexpected character '$'"},
    {"coord q\nL = q' @\n", 2, 8, "unexpected character '@'"},
    {"coord q\nL = \"a\"\n", 2, 5, "expected an expression after '=', found a string"},
    {"coord q\nL = q' ; 2\n", 2, 8, "unexpected character ';'"},
    {"coord q\nL = q' . 2\n", 2, 8, "unexpected character '.'"},
    {"coord q\nL = {1}\n", 2, 5, "expected an expression after '=', found '{'"},
    {PLAIN "method\n", 3, 7, "expected the name of a method, found end of line"},
    {PLAIN "method 3\n", 3, 8, "expected the name of a method, found '3'"},
    {PLAIN "method gauss stages\n", 3, 20,
     "expected '=' after the name of an option, found end of line"},
    {PLAIN "method gauss stages =\n", 3, 22, "expected an expression after '=', found end of line"},
    {PLAIN "method gauss stages = 3 stages = 4\n", 3, 25, "the option 'stages' is given twice"},
    {PLAIN "method gauss, \n", 3, 14, "expected the name of an option, found end of line"},
    {PLAIN "method gauss stages = q\nmethod gauss", 4, 1,
     "'method' is stated twice (first at line 3)"},
    {PLAIN "method gauss stages = (q)\n", 3, 24,
     "the coordinate 'q' cannot be used in an option of a method"},
    {PLAIN "method gauss stages = [1]\n", 3, 23,
     "an option of a method is one number, found vector of 1"},
    {PLAIN "method gauss 3\n", 3, 14, "expected the end of the line, found '3'"},
    {PLAIN "force z = 1\n", 3, 7, "unknown coordinate 'z'"},
    {PLAIN "force q' = 1\n", 3, 7,
     "a force acts on a coordinate, not on a velocity: write 'q' without the prime"},
    {PLAIN "force q = [1,2]\n", 3, 11, "'q' needs a scalar, found a vector of 2"},
    {"param m=2\ncoord q\nL = q'^2/2\nforce m = 1\n", 4, 7, "'m' is not a coordinate"},
    {"param m=2\ncoord q\nL = q'^2/2\nforce qq = 1\n", 4, 7,
     "unknown coordinate 'qq' (did you mean 'q'?)"},
    {PLAIN "observe q = 1\n", 3, 9, "'q' is declared twice (first at line 1)"},
    {PLAIN "observe a = 1\ninvariant a = 2\n", 4, 11, "'a' is declared twice (first at line 3)"},
    {PLAIN "observe = 2\n", 3, 9, "expected a name, found '='"},
    {"let a = L\n" PLAIN, 1, 9, "the Lagrangian 'L' cannot be used before it is stated"},
    {"coord q\nstop when qq = 0\n", 2, 11, "unknown name 'qq' (did you mean 'q'?)"},
    {"coord x[3]\nstop when x = 0\n", 2, 11, "'stop when' compares scalars, found a vector of 3"},
    {"coord q\nstop when q = [1, 2]\n", 2, 15, "'stop when' compares scalars, found a vector of 2"},
    {"coord q\nstop when q\n", 2, 12,
     "expected '=' between the sides of an equation, found end of line"},
    {"coord q\nstop when q = \n", 2, 14, "expected an expression after '=', found end of line"},
    {"coord q\nstop when q = 0 = 1\n", 2, 17,
     "expected an operator or the end of the line, found '='"},
    {"param a = 2\ncoord q\nstop when a = 2\n", 3, 11,
     "'stop when' needs an equation in time, coordinates or velocities; this one never changes"},
    {"coord q\nsection s : q = 0\n", 2, 18,
     "expected 'record', 'rising' or 'falling', found end of line"},
    {"coord q\nsection s : q = 0 rising\n", 2, 25, "expected 'record', found end of line"},
    {"coord q\nsection s : q = 0 record\n", 2, 25,
     "expected an expression after 'record', found end of line"},
    {"coord q\nsection s : q record q\n", 2, 15,
     "expected '=' between the sides of an equation, found 'record'"},
    {"coord q\nsection q = 0 record q\n", 2, 11, "expected ':' after the name, found '='"},
    {"coord q\nsection s : q = [1, 2] record q\n", 2, 17,
     "'section' compares scalars, found a vector of 2"},
    {"param a = 2\ncoord q\nsection s : a = 2 record q\n", 3, 13,
     "'section' needs an equation in time, coordinates or velocities; this one never changes"},
    {"coord q\nsection s : q = 0 record q, qq\n", 2, 29, "unknown name 'qq' (did you mean 'q'?)"},
    {"coord q\nsection s : q = 0 record q\nsection s : q = 1 record q\n", 3, 9,
     "there are two sections 's'"},
    {PLAIN "noise b : qq = 1\n", 3, 11, "unknown coordinate 'qq' (did you mean 'q'?)"},
    {PLAIN "noise b q = 1\n", 3, 9, "expected ':' after the name, found 'q'"},
    {PLAIN "noise b : q = [1, 2]\n", 3, 15, "'q' needs a scalar, found a vector of 2"},
    {PLAIN "noise b : q = 1 + q'\n", 3, 15,
     "a noise may depend on time, coordinates and parameters, not on velocities"},
    {PLAIN "noise b : q' = 1\n", 3, 11,
     "a force acts on a coordinate, not on a velocity: write 'q' without the prime"},
    {PLAIN "noise b : q = 1\nnoise b : q = 2\n", 4, 7,
     "there are two noises 'b': state all targets of one Brownian motion in one statement"},
    {PLAIN "vary qq = 0 .. 1, 5\n", 3, 6, "unknown coordinate 'qq' (did you mean 'q'?)"},
    {PLAIN "vary q = 0 .. 1, 0\n", 3, 18, "the number of values must be at least 1, found 0"},
    {PLAIN "vary q = 0 .. 1\n", 3, 16, "expected ',' and the number of values, found end of line"},
    {PLAIN "vary q = 0 .. 1, 2, q = 1 .. 2, 3\n", 3, 21, "'q' is varied twice"},
    {"rotation R, W\nL = dot(W, W)\nvary R = 0 .. 1, 2\n", 3, 6,
     "the components of a rotation or group element cannot vary separately"},
    {PLAIN "random q = 1\n", 3, 12, "expected normal(mean, deviation) or uniform(a, b)"},
    {PLAIN "random q = normal(1)\n", 3, 12,
     "a distribution has two arguments: normal(mean, deviation)"},
    {PLAIN "random q = normal(0, -1)\n", 3, 22, "a deviation must not be negative, found -1"},
    {PLAIN "members 0\n", 3, 9, "the number of members must be at least 1, found 0"},
    {PLAIN "seed -1\n", 3, 6, "a seed must be at least 0, found -1"},
    {PLAIN "control u in [-1, 1]\n", 3, 9, "the control 'u' appears in no force"},
    {PLAIN "control u in [1, -1]\nforce q = u\n", 3, 14, "contradictory bounds: 1 is not below -1"},
    {PLAIN "control u in [1, 1]\nforce q = u\n", 3, 14, "contradictory bounds: 1 is not below 1"},
    {PLAIN "control u in 1\nforce q = u\n", 3, 14, "bounds are two numbers: expected [a, b]"},
    {PLAIN "control u' in [0, 1]\n", 3, 9, "a control has no velocity: remove the prime"},
    {PLAIN "control u in [0, 1]\nforce q = u\nstep u\n", 5, 6,
     "the control 'u' cannot be used in the step"},
    {PLAIN "minimize [1, 2]\n", 3, 10, "the objective must be a scalar, found vector of 2"},
    {PLAIN "final qq = 1\n", 3, 7, "unknown coordinate 'qq' (did you mean 'q'?)"},
    {PLAIN "final q = 1, q = 2\n", 3, 14, "the final value of 'q' is given twice"},
    {PLAIN "bound q in [2, 1]\n", 3, 12, "contradictory bounds: 2 is not below 1"},
    {PLAIN "steps 0\n", 3, 7, "the number of steps must be at least 1, found 0"},
    {PLAIN "guess q = q\n", 3, 11, "a guess is an expression in time 't'"},
    {PLAIN "guess q' = 1\n", 3, 7, "a guess is for coordinates and controls"},
    {PLAIN "free q in [0, 1]\n", 3, 6,
     "expected 'until': only the end time can be free, found 'q'"},
    {PLAIN "periodic z\n", 3, 10, "unknown coordinate 'z'"},
    {"rotation R W\n", 1, 12, "expected the end of the line, found 'W'"},
    {"stop q = 0\n", 1, 6, "expected 'when', found 'q'"},
    {"section s q = 0\n", 1, 11, "expected ':' after the name, found 'q'"},
    {"section s : q = 0 sideways record q\n", 1, 19,
     "expected 'record', 'rising' or 'falling', found 'sideways'"},
    {"control u [1,2]\n", 1, 13, "expected an operator or ']', found ','"},
    {"branch b : n1 n2\n", 1, 15, "expected '->' between two nodes, found 'n2'"},
    {"constraint q\n", 1, 13, "expected '=' between the sides of an equation, found end of line"},
    {"vary a = 0, 5\n", 1, 11, "expected '..' in the range, found ','"},
    {"coord q\nL = \377\n", 2, 5, "not a text file: byte 0xff is not UTF-8 text"},
    {"\200", 1, 1, "not a text file: byte 0x80 is not UTF-8 text"},
    {"coord q\nL = q'^2 \001\n", 2, 10, "unexpected control character 0x01"},
    {"coord q\nL = q'^2/2 - (q\n+ 2))\n", 3, 5,
     "expected an operator or the end of the line, found ')'"},
    {"coord q\nL = q')\n", 2, 7, "expected an operator or the end of the line, found ')'"},
    {"coord q\nL = 'q\n", 2, 5, "expected an expression after '=', found a prime"},
    {"coord q\nL = max(1,2,q',[1])\n", 2, 16, "max needs a scalar, found vector of 1"},
    {"coord q\nL = sum(i=1..3, i=1..2, q')\n", 2, 17, "the index 'i' has two ranges"},
    {"coord q\nL = q'+q'+q'+\n\n\nstep 3\n", 2, 14,
     "expected an expression after '+', found end of line"},
    {"coord q\nL = dot([1,2,q'],[1,2])", 2, 5,
     "dot needs two vectors of one length, found vector of 3 and vector of 2"},
    {"coord x[2][3]\nL = dot(x',x')", 2, 5,
     "dot needs two vectors of one length, found matrix 2x3 and matrix 2x3"},
    {"coord x[2][3]\nL=dot(x[1]',x[2]')\nforce x = [1,2,3]\n", 3, 11,
     "'x' needs a matrix 2x3, found a vector of 3"},
    {"coord x[2][3]\nL=dot(x[1]',x[2]')\nforce x[1] = 2\n", 3, 14,
     "this part of 'x' needs a vector of 3, found a scalar"},
    {"coord q\nL = q'^2 until 3\n", 2, 10,
     "expected an operator or the end of the line, found 'until'"},
    {"coord q\nL = q'^2, 3\n", 2, 9, "expected an operator or the end of the line, found ','"},
    {"coord n\nL = n'^2\nmethod gauss -3\n", 3, 14, "expected the end of the line, found '-'"},
    {"coord q\nL = diag(sum(i=1..1, [1]))*1e9999\n", 2, 28,
     "the number '1e9999' is too large to represent"},
    {"coord q\nL = sum(i=1..2, sum(j=1..3, q'*j)\n", 2, 8, "'(' is never closed"},
    {"coord q\nL = sum(i=1..3,)\n", 2, 16, "expected an expression after ',', found ')'"},
    {"coord q\nL = expm(q)[1][1]\n", 2, 5, "expm needs a rotation vector of 3, found scalar"},
    {PLAIN "start q = 1 q' = 2\n", 3, 13, "expected an operator or the end of the line, found 'q'"},
    {PLAIN "until t\n", 3, 7, "the time 't' cannot be used in the end time"},
    {PLAIN "from q\n", 3, 6, "the coordinate 'q' cannot be used in the start time"},
    {PLAIN "until 1\nuntil 2\n", 4, 1, "'until' is stated twice (first at line 3)"},
    {PLAIN "from 1\nfrom 2\n", 4, 1, "'from' is stated twice (first at line 3)"},
    {PLAIN "sample every 1\nsample every 2\n", 4, 1, "'sample' is stated twice (first at line 3)"},
    {"coord q\nlet k = q\nL = k*q'\nstart q = k\n", 4, 11,
     "'k' depends on the motion and cannot be used in a start value"},
    {"param a = [1,2]\ncoord q[a]\n", 2, 9,
     "the size of a coordinate is one number, found vector of 2"},
    {"coord q\nL = q'^2 + dot(e1, [1,q])\n", 2, 12,
     "dot needs two vectors of one length, found vector of 3 and vector of 2"},
    {"coord q\nL = q'*[1,2]\n", 2, 5, "L must be a scalar, found vector of 2"},
    {"coord q\nL = trace(diag(1,2)*diag(1,2,3))\n", 2, 20,
     "matrix 2x2 times matrix 3x3: the shapes do not fit"},
    {"coord q\n  L = q'^2 + \303\251\n", 2, 14, "unexpected character '\303\251'"},
    {"# \303\274n\303\257\ncoord q\nL = qq' # \303\251\n", 3, 5,
     "unknown name 'qq' (did you mean 'q'?)"},
    {"model \"\303\251\" qq\n", 1, 11, "expected the end of the line, found 'qq'"},
    {"coord q\nL = (q' + 1\n", 2, 5, "'(' is never closed"},
    {"coord q\nL = f(q)\n", 2, 5, "unknown function 'f'"},
    {"coord q\nL = L\n", 2, 5, "the Lagrangian 'L' cannot be used before it is stated"},
    {"coord q\nL = exp(700)^20*q'\n", 2, 13, "the result of '^' is not a finite number"},
    {"coord q\nL = q'*exp(20000)\n", 2, 8, "the result of exp is not a finite number"},
    {"coord q\nL = q'/(1-1)\n", 2, 7, "division by zero"},
    {"param a = asin(2)\n", 1, 11, "the result of asin is not a finite number"},
};

static void expect(const char *text, size_t length, int line, int column, const char *message) {
    struct definition *model;
    struct noe_error error = {.status = NOE_OK};
    assert_int_equal(definition_read(&model, text, length, 0, NULL, &error), NOE_BAD_INPUT);
    assert_null(model);
    assert_int_equal(error.status, NOE_BAD_INPUT);
    if (error.line != line || error.column != column || strcmp(error.text, message) != 0)
        fail_msg("%.200s\ngives %d:%d: %s\nnot   %d:%d: %s", text, error.line, error.column,
                 error.text, line, column, message);
}

static void every_rule_has_its_message(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(rows[i].text, strlen(rows[i].text), rows[i].line, rows[i].column, rows[i].message);
}

/* `before`, then `count` times `unit`, then `after`. */
static void expect_repeated(const char *before, const char *unit, size_t count, const char *after,
                            int column, const char *message) {
    const size_t length = strlen(before) + count * strlen(unit) + strlen(after);
    char *text = malloc(length + 1), *at = text + strlen(before);
    strcpy(text, before);
    for (size_t i = 0; i < count; i++, at += strlen(unit)) strcpy(at, unit);
    strcpy(at, after);
    expect(text, length, 1, column, message);
    free(text);
}

static void nesting_has_a_limit(void **state) {
    (void)state;
    const char *message = "the expression is nested deeper than 200 levels";
    expect_repeated("param a = ", "(", 10000, "1", 211, message);
    expect_repeated("param a = ", "-", 1000, "1", 211, message);
    expect_repeated("param a = ", "[", 1000, "1", 211, message);
    expect_repeated("param a = ", "2^", 1000, "1", 411, message);
    expect_repeated("param a = ", "sin(", 1000, "1", 811, message);
}

static void lengths_have_limits(void **state) {
    (void)state;
    expect_repeated("param ", "a", 1000, " = zzz", 1010, "unknown name 'zzz'");
    expect_repeated("param a = ", "z", 1000, "", 11,
                    "unknown name 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...'");
    expect_repeated("param a = 1", "0", 2000, "", 11,
                    "the number '1000000000000000000000000000000000000000...' is too long");
    expect_repeated("param a = sum(", "i = 1..1, ", 1,
                    "j=1..1,k=1..1,l=1..1,m=1..1,n=1..1,"
                    "i1=1..1,i2=1..1,i3=1..1,i4=1..1,i5=1..1,i6=1..1,i7=1..1,i8=1..1,i9=1..1,"
                    "j1=1..1,j2=1..1,j3=1..1,j4=1..1,j5=1..1,j6=1..1,1)",
                    172, "a sum has at most 20 ranges");
    const size_t size = (16 << 20) + 1;
    char *text = malloc(size);
    memset(text, ' ', size);
    expect(text, size, 0, 0, "the file has 16777217 bytes; a model file has at most 16777216");
    expect(text, size - 1, 1, 1, "the model states no coordinate: expected 'coord q'");
    free(text);
}

/* Long but not deep: only the limit of size applies. */
static void long_expressions_are_accepted(void **state) {
    (void)state;
    enum { TERMS = 100000 };
    char *text = malloc(100 + 4 * TERMS), *at = text + sprintf(text, "coord q\nL = q'^2");
    for (int i = 0; i < TERMS; i++) at += sprintf(at, "%s", i % 2 ? " + q" : " * 1");
    struct definition *model;
    assert_int_equal(definition_read(&model, text, strlen(text), 0, NULL, NULL), NOE_OK);
    definition_free(model);
    free(text);
}

static void sizes_have_limits(void **state) {
    (void)state;
    const char *text = "coord x[2000]\nL = sum(i = 1..20, trace(diag(x')))\n";
    expect(text, strlen(text), 2, 26,
           "the model is too large: more than 50000000 operations to write it out");
    text = "param v = sum(i=1..1, 1)*[1]\ncoord x[100000]\nL = trace(diag(x'))\n";
    expect(text, strlen(text), 3, 11,
           "the model is too large: more than 50000000 operations to write it out");
}

static void invalid_bytes_are_rejected(void **state) {
    (void)state;
    const struct {
        const char *bytes;
        size_t length;
        int line, column;
        unsigned byte;
    } bad[] = {
        {"coord q\0\n", 9, 1, 8, 0x00},        {"coord q\n# \xff", 11, 2, 3, 0xff},
        {"# \xc3\xa9\xc3", 5, 1, 4, 0xc3},     {"# \xe2\x82", 4, 1, 3, 0xe2},
        {"# \xc0\x80", 4, 1, 3, 0xc0},         {"# \xed\xa0\x80", 5, 1, 3, 0xed},
        {"# \xf5\x80\x80\x80", 6, 1, 3, 0xf5}, {"# \xe0\x80\x80", 5, 1, 3, 0xe0},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char message[80];
        snprintf(message, sizeof message, "not a text file: byte 0x%02x is not UTF-8 text",
                 bad[i].byte);
        expect(bad[i].bytes, bad[i].length, bad[i].line, bad[i].column, message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_has_its_message),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(lengths_have_limits),
        cmocka_unit_test(long_expressions_are_accepted),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(invalid_bytes_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
