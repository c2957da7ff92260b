/* Plots: expressions in columns, decimation of curves, panels, gnuplot. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/real.h"
#include "plot/column_expression.h"
#include "plot/decimate.h"
#include "plot/gnuplot.h"
#include "plot/plot_trajectory.h"
#include "tables.h"

static struct figure picture; /* large */

static real small_integers(int c, size_t r) { return (real)(c + 1) + 10 * (real)r; }

/* In row 0 the columns are t = 1, q = 2, q' = 3, p.q = 4, ...; every value of row 1 is larger by
 * 10. */
static struct noe_table *expression_table(void) {
    return tables_new("t q q' p.q x[1] x[2] x[1]' x[2]' y[2][3]' energy", 2, small_integers);
}

static void assert_value(const char *text, double expected) {
    struct noe_table *table = expression_table();
    struct noe_error error = {0};
    real *values;
    if (column_values(table, text, &values, &error) != NOE_OK) fail_msg("%s", error.text);
    const double found = (double)values[0];
    if (!(fabs(found - expected) <= 1e-15 * fabs(expected))) /* a few units in the last place */
        fail_msg("%s = %.17g, expected %.17g", text, found, expected);
    free(values);
    noe_table_free(table);
}

static void expressions_have_their_values(void **state) {
    (void)state;
    assert_value("t", 1);
    assert_value(" q' ", 3);
    assert_value("p.q + x[1]", 9);
    assert_value("x[2]'", 8);
    assert_value("x'[2]", 8);
    assert_value("y[2]'[3]", 9);
    assert_value("-q^2", -4);
    assert_value("2^-1", 0.5);
    assert_value("2^3^2", 512);
    assert_value("q/p.q*energy", 5);
    assert_value("7 - 2 - 1", 4);
    assert_value("+.5e1*(t + q)", 15);
    assert_value("atan2(t, q) + min(q, p.q)*max(q, p.q)", atan2(1, 2) + 8);
    assert_value("sqrt(x[1]^2 + x[2]^2)", sqrt(61));
    assert_value("cos(pi)", -1);
    assert_value("exp(log(q)) - abs(-q)", 0);
    assert_value("sin(t) + cos(t) + tan(t) + asin(t) + acos(t) + atan(t)",
                 sin(1) + cos(1) + tan(1) + asin(1) + acos(1) + atan(1));
    assert_value("sinh(t) + cosh(t) + tanh(t)", sinh(1) + cosh(1) + tanh(1));
}

static void a_change_is_measured_from_the_first_row(void **state) {
    (void)state;
    struct noe_table *table = expression_table();
    real *values;
    assert_int_equal(column_values(table, "energy_error", &values, NULL), NOE_OK);
    assert_true(values[0] == 0 && values[1] == 10);
    free(values);
    noe_table_free(table);
}

static void assert_refused(const char *text, const char *words) {
    struct noe_table *table = expression_table();
    struct noe_error error = {0};
    real *values;
    assert_int_equal(column_values(table, text, &values, &error), NOE_BAD_INPUT);
    assert_null(values);
    if (!strstr(error.text, words)) fail_msg("'%s' lacks '%s'", error.text, words);
    noe_table_free(table);
}

static void bad_expressions_are_explained(void **state) {
    (void)state;
    assert_refused("enegry", "unknown column 'enegry' (did you mean 'energy'?)");
    assert_refused("x[3]", "did you mean 'x[1]'?");
    assert_refused("x[1", "unknown column 'x[1'");
    assert_refused("completely_different", "the columns are t, q, q'");
    assert_refused("si(t)", "unknown function 'si'");
    assert_refused("sin(t", "column 6: expected ')', found the end");
    assert_refused("atan2(t)", "expected ',' and a second argument");
    assert_refused("(t", "expected ')'");
    assert_refused("t q", "column 3: expected an operator, found 'q'");
    assert_refused("t +", "found the end");
    assert_refused("", "expected a column, a number or '('");
    assert_refused("2*$", "found '$'");
    char deep[400];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    assert_refused(deep, "nested deeper than");
    memset(deep, 'a', sizeof deep - 1);
    assert_refused(deep, "a shorter name");
}

static void lists_are_split_at_outer_commas(void **state) {
    (void)state;
    struct noe_table *table = expression_table();
    struct column_list list = {0};
    struct noe_error error = {0};
    assert_int_equal(column_list_read(&list, table, "q, atan2(t,q) ,x',x", &error), NOE_OK);
    static const char *const expected[] = {"q", "atan2(t,q)", "x[1]'", "x[2]'", "x[1]", "x[2]"};
    assert_int_equal(list.count, 6);
    for (int i = 0; i < 6; i++) assert_string_equal(list.text[i], expected[i]);
    column_list_clear(&list);
    assert_int_equal(column_list_read(&list, table, "q,,t", &error), NOE_BAD_INPUT);
    column_list_clear(&list);
    noe_table_free(table);
}

enum { LONG = 100000 };
static double x[LONG], y[LONG];

static void an_envelope_keeps_every_peak(void **state) {
    (void)state;
    for (int i = 0; i < LONG; i++) {
        x[i] = i;
        y[i] = sin(2.4 * i); /* fewer than three points a period, so every n-th point would alias */
    }
    y[12345] = 7; /* one spike */
    y[54321] = -8;
    const size_t n = decimate_envelope(LONG, x, y, 4000);
    assert_true(n <= 4000 && n > 3000);
    double low = 0, high = 0;
    size_t near_one = 0;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
        near_one += fabs(y[i]) > 0.99;
        assert_true(i == 0 || x[i] >= x[i - 1]);
    }
    assert_true(low == -8 && high == 7);
    assert_true(near_one > n * 9 / 10);
    assert_true(x[0] == 0 && x[n - 1] == LONG - 1);
}

static void an_envelope_keeps_gaps(void **state) {
    (void)state;
    for (int i = 0; i < LONG; i++) {
        x[i] = i;
        y[i] = i >= 40000 && i < 60000 ? NAN : i;
    }
    const size_t n = decimate_envelope(LONG, x, y, 1000);
    size_t gaps = 0;
    for (size_t i = 0; i < n; i++) {
        gaps += isnan(y[i]);
        assert_true(isnan(y[i]) || y[i] == x[i]);
    }
    assert_true(gaps > 50);
    assert_int_equal(decimate_envelope(3, x, y, 4), 3);
}

/* Distance of a point from the broken line of n points. */
static double distance(size_t n, const double *px, const double *py, double ax, double ay) {
    double min = INFINITY;
    for (size_t i = 1; i < n; i++) {
        const double dx = px[i] - px[i - 1], dy = py[i] - py[i - 1], square = dx * dx + dy * dy;
        double s = square > 0 ? ((ax - px[i - 1]) * dx + (ay - py[i - 1]) * dy) / square : 0;
        s = fmax(0, fmin(1, s));
        min = fmin(min, hypot(ax - px[i - 1] - s * dx, ay - py[i - 1] - s * dy));
    }
    return min;
}

static void a_decimated_path_stays_near(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    static double fullx[COUNT], fully[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const double t = 6.283185307179586 * i / COUNT;
        x[i] = fullx[i] = 0.5 * sin(3 * t);
        y[i] = fully[i] = 0.5 * sin(2 * t);
    }
    const size_t n = decimate_path(COUNT, x, y, 1, 1);
    assert_true(n < 250);
    for (int i = 0; i < COUNT; i += 7)
        assert_true(distance(n, x, y, fullx[i], fully[i]) <= 2e-3); /* measured: 1.0e-3 */
    assert_true(x[n - 1] == fullx[COUNT - 1]);
}

static void a_decimated_path_keeps_corners_and_gaps(void **state) {
    (void)state;
    for (int i = 0; i < 100; i++) {
        x[i] = i < 60 ? i : 119 - i; /* forth and back along one line */
        y[i] = 0;
    }
    assert_int_equal(decimate_path(100, x, y, 60, 0), 3);
    assert_true(x[1] == 59);
    for (int i = 0; i < 9; i++) x[i] = y[i] = i;
    y[4] = NAN;
    assert_int_equal(decimate_path(9, x, y, 9, 9), 5);
    assert_true(isnan(y[2]) && x[1] == 3 && x[3] == 5);
    x[1] = y[1] = NAN; /* a gap at the start */
    assert_int_equal(decimate_path(2, x, y, 1, 1), 2);
}

static void dots_are_bounded(void **state) {
    (void)state;
    uint64_t seed = 3;
    const double rectangle[4] = {0, 1, 0, 1};
    for (int i = 0; i < LONG; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(seed >> 40) / (1 << 24);
        y[i] = (double)(seed & 0xffffff) / (1 << 24);
    }
    y[5] = NAN;
    const size_t n = decimate_dots(LONG, x, y, rectangle, 20000);
    assert_true(n <= 20000 && n > 5000);
    for (size_t i = 0; i < n; i++) assert_true(x[i] >= 0 && x[i] < 1 && y[i] >= 0 && y[i] < 1);
}

static void coarse_paths_are_distinguished_from_smooth_ones(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        x[i] = cos(0.1 * i) / 2;
        y[i] = sin(0.1 * i) / 2;
    }
    assert_false(decimate_is_coarse(1000, x, y, 1, 1));
    for (int i = 0; i < 1000; i++) {
        x[i] = cos(2.4 * i) / 2;
        y[i] = sin(2.4 * i) / 2;
    }
    assert_true(decimate_is_coarse(1000, x, y, 1, 1));
}

static void the_overview_has_a_panel_for_every_quantity(void **state) {
    (void)state;
    tables_assert_panels("t q q' p.q energy", "Configuration: 1; Phase portrait: 1; "
                                              "Energy change, E(0) = 0: 1; Velocity: 1; ");
    tables_assert_panels(
        "t a b a' b' p.a p.b energy width",
        "Configuration: 2; Phase portrait: 2; Path: 1; Energy change, E(0) = 0: 1; "
        "Recorded quantities: 1; Velocity: 2; ");
    tables_assert_panels(
        "t y[1][1] y[1][2] y[2][1] y[2][2] y[3][1] y[3][2] y[1][1]' y[1][2]' y[2][1]' "
        "y[2][2]' y[3][1]' y[3][2]' energy",
        "Configuration, first components: 3; Paths: 3; Energy change, E(0) = 0: 1; "
        "Velocity, first components: 3; ");
    tables_assert_panels("time a b", "Recorded quantities: 2; ");
    char lattice[1000] = "t";
    for (int half = 0; half < 2; half++)
        for (int i = 1; i <= 40; i++)
            sprintf(lattice + strlen(lattice), " q[%d]%s", i, half ? "'" : "");
    tables_assert_panels(lattice,
                         "Configuration, one in 5 of 40: 8; Phase portrait, one in 10 of 40: 4; ");
}

static real drifting(int c, size_t r) {
    const real t = (real)r / 100;
    return c == 0 ? t : c == 4 ? 5 + (real)1e-12 * noe_exp(2 * t) : noe_sin(t);
}

static void a_growing_error_gets_a_logarithmic_axis(void **state) {
    (void)state;
    struct noe_table *table = tables_new("t q q' p.q energy", 1000, drifting);
    assert_int_equal(plot_trajectory_make(&picture, table, "file", NULL), NOE_OK);
    assert_true(picture.panel[2].has_log_y);
    assert_true(picture.panel[2].y_floor > 0);
    for (size_t i = 0; i < picture.panel[2].curve[0].n; i++)
        assert_false(picture.panel[2].curve[0].y[i] <= 0);
    figure_clear(&picture);
    noe_table_free(table);
}

static void an_invariant_of_the_model_is_shown_by_its_change(void **state) {
    (void)state;
    struct noe_table *table =
        tables_new("t q q' p.q energy spin[1] turn", 500, tables_oscillations);
    table->model_text =
        strdup("model \"invariants\"\ninvariant  spin = [q, q]\nobserve turn = q\n");
    table->model_title = strdup("Title");
    table->message = strdup("no root");
    assert_int_equal(plot_trajectory_make(&picture, table, "file", NULL), NOE_OK);
    assert_string_equal(picture.panel[3].y_label, "turn");
    assert_string_equal(picture.panel[4].y_label, "spin[1]");
    assert_string_equal(picture.title, "Title");
    assert_string_equal(picture.warning, "incomplete: no root");
    figure_clear(&picture);
    noe_table_free(table);
}

static void chosen_curves_are_drawn_over_the_chosen_axis(void **state) {
    (void)state;
    struct noe_table *table = tables_new("t x[1] x[2] energy", 500, tables_oscillations);
    struct noe_error error = {0};
    assert_int_equal(figure_of(&picture, table, "file", "x[1]", "x[2]", &error), NOE_OK);
    assert_true(picture.panel[0].has_equal_axes && picture.panel[0].is_path);
    figure_clear(&picture);
    assert_int_equal(figure_of(&picture, table, "file", "t", "x, 2*energy", &error), NOE_OK);
    assert_int_equal(picture.panel[0].ncurves, 3);
    assert_string_equal(picture.panel[0].curve[2].label, "2*energy");
    figure_clear(&picture);
    assert_int_equal(figure_of(&picture, table, "file", "t", "log(-1 - t)", &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "nothing to plot"));
    figure_clear(&picture);
    noe_table_free(table);
}

static real scattered(int c, size_t r) {
    return c == 0 ? (real)r : noe_cos((real)2.4 * (real)r + (real)c) * (1 - (real)r / 100000);
}

static void a_dense_path_is_drawn_as_dots(void **state) {
    (void)state;
    struct noe_table *table = tables_new("t x[1] x[2]", 50000, scattered);
    assert_int_equal(figure_of(&picture, table, "file", "x[1]", "x[2]", NULL), NOE_OK);
    const struct figure_curve *curve = &picture.panel[0].curve[0];
    assert_true(curve->as_dots && curve->n <= 20001 && curve->n > 2000);
    assert_true(curve->x[curve->n - 1] == (double)scattered(1, 49999)); /* its mark's position */
    figure_clear(&picture);
    noe_table_free(table);
}

static char folder[] = "/tmp/noether-plot-test-XXXXXX";

static const char *in_folder(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails if a test left a file */
}

static bool has_gnuplot(void) { return system("command -v gnuplot >/dev/null 2>&1") == 0; }

/* A title that would run a command if gnuplot expanded it. */
static void make_hostile_picture(void) {
    struct noe_table *table = tables_new("t x[1] x[2] energy", 500, tables_oscillations);
    table->model_title = strdup("it's \"`touch harm`\"\n'; system('touch harm'); \\ @x \xff");
    table->method = strdup("'.system('touch harm').'");
    assert_int_equal(figure_of(&picture, table, "file", "t", "x, 'x", NULL), NOE_BAD_INPUT);
    figure_clear(&picture);
    assert_int_equal(figure_of(&picture, table, "file", "t", "x, energy", NULL), NOE_OK);
    snprintf(picture.panel[0].curve[0].label, 80, "a'b `touch harm`");
    noe_table_free(table);
}

static void every_kind_of_picture_is_drawn(void **state) {
    (void)state;
    if (!has_gnuplot()) skip();
    static const char *const kind[][2] = {
        {"a.png", "\x89PNG"}, {"a.svg", "<?xml"}, {"a.pdf", "%PDF"}};
    make_hostile_picture();
    struct noe_error error = {0};
    for (int i = 0; i < 3; i++) {
        if (gnuplot_draw(&picture, in_folder(kind[i][0]), &error)) fail_msg("%s", error.text);
        char start[8] = "";
        FILE *file = fopen(in_folder(kind[i][0]), "r");
        assert_non_null(file);
        assert_int_equal(fread(start, 1, 5, file), 5);
        fclose(file);
        assert_memory_equal(start, kind[i][1], strlen(kind[i][1]));
        unlink(in_folder(kind[i][0]));
        assert_int_equal(access("harm", F_OK), -1);
    }
    figure_clear(&picture);
}

static void a_picture_that_cannot_be_drawn_leaves_nothing(void **state) {
    (void)state;
    make_hostile_picture();
    struct noe_error error = {0};
    assert_false(gnuplot_draws("a.gif"));
    assert_int_equal(gnuplot_draw(&picture, in_folder("a.gif"), &error), NOE_BAD_INPUT);
    assert_int_equal(gnuplot_draw(&picture, in_folder("none/a.png"), &error), NOE_IO);
    if (has_gnuplot()) {
        assert_int_equal(symlink("/dev/full", in_folder("full.png")), 0);
        assert_int_equal(gnuplot_draw(&picture, in_folder("full.png"), &error), NOE_IO);
        unlink(in_folder("full.png"));
    }
    char *path = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    assert_int_equal(gnuplot_draw(&picture, in_folder("a.png"), &error), NOE_NO_LIBRARY);
    setenv("PATH", path, 1);
    free(path);
    assert_non_null(strstr(error.text, "gnuplot-nox"));
    figure_clear(&picture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(a_change_is_measured_from_the_first_row),
        cmocka_unit_test(bad_expressions_are_explained),
        cmocka_unit_test(lists_are_split_at_outer_commas),
        cmocka_unit_test(an_envelope_keeps_every_peak),
        cmocka_unit_test(an_envelope_keeps_gaps),
        cmocka_unit_test(a_decimated_path_stays_near),
        cmocka_unit_test(a_decimated_path_keeps_corners_and_gaps),
        cmocka_unit_test(dots_are_bounded),
        cmocka_unit_test(coarse_paths_are_distinguished_from_smooth_ones),
        cmocka_unit_test(the_overview_has_a_panel_for_every_quantity),
        cmocka_unit_test(a_growing_error_gets_a_logarithmic_axis),
        cmocka_unit_test(an_invariant_of_the_model_is_shown_by_its_change),
        cmocka_unit_test(chosen_curves_are_drawn_over_the_chosen_axis),
        cmocka_unit_test(a_dense_path_is_drawn_as_dots),
        cmocka_unit_test(every_kind_of_picture_is_drawn),
        cmocka_unit_test(a_picture_that_cannot_be_drawn_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
