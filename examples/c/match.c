/* Iterations of gradient descent and of accelerated descent on SO(3) to find the rotation
 * between two landscapes, as in Sharma (2020, section 7.3.2), from half a peak's width away. */
/* SPDX-License-Identifier: MIT */
#include <noether_optimise.h>
#include <stdio.h>
#include <string.h>

enum { BAND = 32, EXPONENTIAL = 1 };

/* R = exp(w). */
static void turn_by(const double *w, double *R) {
    const struct noe_space *rotations = noe_space_find("so3");
    rotations->identity(1, R);
    rotations->retract(1, EXPONENTIAL, R, R, w);
}

/* The number of iterations that a method takes from `start`, or -1. */
static long iterations(const struct noe_objective *objective, const char *method,
                       const double *start, double *R) {
    const struct noe_descent_settings settings = {
        .method = method, .tolerance = 1e-9, .iterations = 10000};
    struct noe_descent_result result;
    struct noe_error error;
    memcpy(R, start, 9 * sizeof *R);
    if (noe_minimise(objective, &settings, R, &result, &error) == NOE_OK) return result.iterations;
    fprintf(stderr, "%s\n", error.text);
    return -1;
}

int main(void) {
    static const char *const method[] = {"gradient-descent step=0.04",
                                         "agd h=0.2 epsilon=0.24 mu=0.15"};
    struct noe_shape *f = NULL, *g = NULL;
    struct noe_objective *correlation = NULL;
    struct noe_shape_match match;
    struct noe_error error;
    double R[9], start[9];
    turn_by((const double[]){0.3, -0.2, 1}, R);
    turn_by((const double[]){0.27, -0.22, 1.02}, start);
    if (noe_shape_relief(&f, BAND, 1, &error) || noe_shape_rotate(&g, f, R, &error) ||
        noe_shape_objective(&correlation, f, g, 0, &error) ||
        noe_shape_match(f, g, 0, &match, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("correlation %.6f, next best maximum %.6f\n", match.correlation, match.runner_up);
    long count[2];
    for (int i = 0; i < 2; i++) {
        count[i] = iterations(correlation, method[i], start, R);
        printf("%-32s %ld iterations\n", method[i], count[i]);
    }
    noe_objective_free(correlation);
    noe_shape_free(f);
    noe_shape_free(g);
    return count[0] > count[1] && count[1] > 0 ? 0 : 1;
}
