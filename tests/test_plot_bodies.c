/* Plots of rotations and poses: the panels, and the curves on the sphere. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tables.h"

static struct figure picture; /* large */

#define ROTATION(R)                                                                                \
    R "[1][1] " R "[1][2] " R "[1][3] " R "[2][1] " R "[2][2] " R "[2][3] " R "[3][1] " R          \
      "[3][2] " R "[3][3] "
#define VECTOR(x) x "[1] " x "[2] " x "[3] "

static void the_overview_shows_bodies(void **state) {
    (void)state;
    tables_assert_panels("t " ROTATION("R") VECTOR("W") VECTOR("p.R") "energy",
                         "Path of R e3 on the sphere: 2; Angular velocity in the body's axes: 3; "
                         "Angular momentum in space: 3; Energy change, E(0) = 0: 1; ");
    tables_assert_panels("t q " ROTATION("R") VECTOR("x") "q' " VECTOR("W")
                             VECTOR("V") "p.q " VECTOR("p.R")
                                 VECTOR("p.x") "energy " VECTOR("seen"),
                         "Path of R e3 on the sphere: 2; Angular velocity in the body's axes: 3; "
                         "Angular momentum in space: 3; Path: 1; Energy change, E(0) = 0: 1; "
                         "Recorded quantities: 3; ");
    tables_assert_panels(
        "t " ROTATION("R[1]") ROTATION("R[2]") VECTOR("W[1]") VECTOR("W[2]") VECTOR("p.R[1]")
            VECTOR("p.R[2]"),
        "Paths of directions on the sphere: 4; Angular velocity in the body's axes: 6; "
        "Angular momentum in space of all bodies: 3; ");
}

/* R rotates about e2 and nutates. Momentum and a recorded direction are fixed in the body. */
static real nutation(int c, size_t r) {
    const real t = (real)r / 50, s = noe_sin(t), k = noe_cos(t), a = noe_sin(t / 5) / 5;
    const real nod[3][3] = {{1, 0, 0}, {0, noe_cos(a), -noe_sin(a)}, {0, noe_sin(a), noe_cos(a)}};
    const real turn[3][3] = {{k, 0, s}, {0, 1, 0}, {-s, 0, k}};
    real R[9] = {0};
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 3; j++) R[i] += nod[i / 3][j] * turn[j][i % 3];
    if (c == 0) return t;
    if (c <= 9) return R[c - 1];
    return c <= 12 ? 0 : c <= 15 ? c == 14 : 2 * R[3 * (c - 16) + 1] + 3 * R[3 * (c - 16) + 2];
}

static void body_axes_are_drawn_on_the_sphere(void **state) {
    (void)state;
    static const char body[] = "t " ROTATION("R") VECTOR("W") VECTOR("p.R");
    struct noe_table *table = tables_new(body, 500, nutation);
    assert_int_equal(plot_trajectory_make(&picture, table, "file", NULL), NOE_OK);
    assert_string_equal(picture.panel[0].title, "Path of R e2 on the sphere"); /* varies least */
    assert_true(picture.panel[0].is_sphere);
    assert_int_equal(picture.panel[0].ncurves, 1); /* it is never hidden */
    double up = 0; /* the momentum is R e2, so in space its height is sin(a) */
    for (size_t i = 0; i < picture.panel[2].curve[2].n; i++)
        up = fmax(up, fabs(picture.panel[2].curve[2].y[i] -
                           sin(sin(picture.panel[2].curve[2].x[i] / 5) / 5)));
    assert_true(up < 4e-16); /* measured: 2.2e-16 */
    figure_clear(&picture);
    noe_table_free(table);
    char with_direction[400];
    snprintf(with_direction, sizeof with_direction, "%s%s", body, VECTOR("tip"));
    table = tables_new(with_direction, 500, nutation);
    assert_int_equal(plot_trajectory_make(&picture, table, "file", NULL), NOE_OK);
    assert_string_equal(picture.panel[0].title, "Path of tip on the sphere");
    assert_false(picture.panel[0].curve[0].is_behind);
    assert_true(picture.panel[0].curve[1].is_behind && picture.panel[0].curve[1].continues);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < picture.panel[0].curve[side].n; i++)
            assert_false(hypot(picture.panel[0].curve[side].x[i],
                               picture.panel[0].curve[side].y[i]) > 1 + 1e-12);
    figure_clear(&picture);
    noe_table_free(table);
}

/* A point that moves along its second and third components is projected along the first. */
static real upright_circle(int c, size_t r) {
    const real t = (real)r / 50;
    return c == 0 ? t : c == 1 ? 0 : c == 2 ? noe_cos(t) : c == 3 ? noe_sin(t) : 1;
}

static void a_path_is_projected_along_its_shortest_extent(void **state) {
    (void)state;
    struct noe_table *table = tables_new("t " VECTOR("x") "x[1]' x[2]' x[3]'", 400, upright_circle);
    assert_int_equal(plot_trajectory_make(&picture, table, "file", NULL), NOE_OK);
    assert_string_equal(picture.panel[1].title, "Path");
    assert_string_equal(picture.panel[1].x_label, "x[2]");
    assert_string_equal(picture.panel[1].y_label, "x[3]");
    figure_clear(&picture);
    noe_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_overview_shows_bodies),
        cmocka_unit_test(body_axes_are_drawn_on_the_sphere),
        cmocka_unit_test(a_path_is_projected_along_its_shortest_extent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
