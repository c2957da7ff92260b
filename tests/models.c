/* Models of every kind for which the steppers differ. */
/* SPDX-License-Identifier: MIT */
#include "models.h"

const char *const test_models[] = {
    /* separable, diagonal mass matrix, explicit; from a large start it escapes to infinity */
    "param a = 0.7\ncoord x, y\nL = a*x'^2/2 + y'^2/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n"
    "start x = 0.1, y = 0.2, x' = 0.3\ninvariant e = x'^2\n",
    /* full mass matrix, forced, depends on time */
    "param m = 1.5, l = 0.3\ncoord al, x\n"
    "L = m*l^2/2*al'^2 - m*l*al'*x'*sin(al) + m*x'^2 - 9.81*m*l*sin(al)\n"
    "force x = sin(2*t) - 0.1*x'\nstart al = -pi/2, x' = 0.2\nobserve s = sin(al)\n",
    /* constant full mass matrix */
    "param c = 1\ncoord u[2]\nL = u[1]'^2 + u[2]'^2 + c*u[1]'*u[2]' - u[1]^4/4 - u[2]^2\n"
    "start u = [1, 0.5]\n",
    /* not quadratic in the velocity; the elimination swaps three rows */
    "param k = 0.2\ncoord u[3]\nL = u[1]'^2/2 + 2*u[1]'*u[2]' + 5*u[2]'^2 + u[3]'^2/2 + "
    "k*dot(u', u')^2 - dot(u, u)/2\nstart u = [1, 0.5, 0.2], u' = [0.3, 0.1, -0.2]\n",
    /* more degrees of freedom than fit in registers */
    "param g = 1\ncoord r[3][2]\nL = sum(i = 1..3, dot(r[i]', r[i]')/2) + sum(i = 2..3, j = "
    "1..i-1, g/norm(r[i] - r[j]))\nstart r = [[0.97,-0.243],[-0.97,0.243],[0,0]]\n"
    "start r' = [[0.466,0.432],[0.466,0.432],[-0.932,-0.865]]\n",
    /* tridiagonal */
    "param k = 4\ncoord phi[8]\nL = sum(i = 1..8, phi[i]'^2/2 + cos(phi[i])) - sum(i = 2..8, "
    "k/2*(phi[i] - phi[i-1])^2)\nstart phi[1] = 1, phi[1]' = 2\n",
};
const size_t test_models_count = sizeof test_models / sizeof *test_models;
