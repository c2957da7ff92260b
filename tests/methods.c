/* Running a method on a system. */
/* SPDX-License-Identifier: MIT */
#include "methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/advance.h"
#include "mechanics/constraint.h"
#include "methods/method.h"
#include "spaces/product.h"

static real about_origin(const real *q, const real *p) { return q[0] * p[1] - q[1] * p[0]; }

/* e3.R p. */
static real about_vertical(const real *R, const real *p) {
    return R[6] * p[0] + R[7] * p[1] + R[8] * p[2];
}

static real about_vertical_of_quaternion(const real *q, const real *p) {
    const real w = q[0], x = q[1], y = q[2], z = q[3];
    return 2 * (x * z - w * y) * p[0] + 2 * (y * z + w * x) * p[1] +
           (w * w - x * x - y * y + z * z) * p[2];
}

/* e3.(R pi + x cross R gamma). */
static real about_vertical_of_pose(const real *g, const real *p) {
    real moved[3];
    for (int i = 0; i < 3; i++)
        moved[i] = g[3 * i] * p[3] + g[3 * i + 1] * p[4] + g[3 * i + 2] * p[5];
    return about_vertical(g, p) + g[9] * moved[1] - g[10] * moved[0];
}

/* pi + p cross R gamma of a planar pose. */
static real about_origin_of_plane(const real *g, const real *p) {
    const real x = g[0] * p[1] + g[1] * p[2], y = g[3] * p[1] + g[4] * p[2];
    return p[0] + g[2] * y - g[5] * x;
}

momentum_map *momentum_of(const struct noe_system *system) {
    const struct {
        const struct noe_system *system;
        momentum_map *map;
    } rows[] = {{&sombrero, about_origin},
                {&magnet, about_origin},
                {&tilted_top, about_vertical},
                {&quaternion_top, about_vertical_of_quaternion},
                {&rigid_body, about_vertical},
                {&kirchhoff_vehicle, about_vertical_of_pose},
                {&tied_vehicle, about_vertical_of_pose},
                {&tied_sledge, about_origin_of_plane},
                {&free_sledge, about_origin_of_plane}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].system == system) return rows[i].map;
    return NULL;
}

/* A rotation by more than a right angle about (1, 2, 2)/3. It is exactly orthonormal, with
 * entries over 9. */
#define SOME_TURN                                                                                  \
    -7 / (real)9, -4 / (real)9, 4 / (real)9, 4 / (real)9, 1 / (real)9, 8 / (real)9, -4 / (real)9,  \
        8 / (real)9, 1 / (real)9

/* A pose in the plane. */
#define SOME_PLACE -4 / (real)5, -3 / (real)5, 0.4, 3 / (real)5, -4 / (real)5, -0.3, 0, 0, 1

const struct test_case test_cases[] = {
    {&henon_heiles, {0.1, 0.3}, {0.35, -0.2}},
    {&double_pendulum, {0.3, -0.2}, {0.2, 0.5}},
    {&driven_pendulum, {0.3, -0.2}, {0.2, 0.5}},
    {&sombrero, {0.8, 0.1}, {0.05, 0.3}},
    {&magnet, {1.0, 0.3}, {0.2, 0.6}},
    {&tilted_top, {SOME_TURN}, {0.6, -0.5, 0.7}},
    {&quaternion_top, {0.5, -0.5, 0.5, 0.5}, {0.6, -0.5, 0.7}},
    {&tied_vehicle, {SOME_TURN, 0.4, -0.3, 0.2}, {0.6, -0.5, 0.4, 0.3, 0.2, -0.4}},
    {&rigid_body, {SOME_TURN}, {0.6, -0.5, 0.7}},
    {&kirchhoff_vehicle, {SOME_TURN, 0.4, -0.3, 0.2}, {0.6, -0.5, 0.4, 0.3, 0.2, -0.4}},
    {&tied_sledge, {SOME_PLACE}, {1.2, 1.0, -0.8}},
    {&free_sledge, {SOME_PLACE}, {0.6, 0.5, -0.4}},
    {&mixed, {SOME_TURN, 0.4, -0.3}, {0.6, -0.5, 0.4, 0.5, -0.6}},
};
const int test_case_count = sizeof test_cases / sizeof *test_cases;

#define TENTHS(x) ((x) / (real)10)

const struct test_case constrained_cases[] = {
    {&spherical_pendulum, {TENTHS(6), 0, TENTHS(-8)}, {TENTHS(4), TENTHS(12), TENTHS(3)}},
    {&nonholonomic_particle, {1, 0.5, 0}, {TENTHS(3), TENTHS(-2), TENTHS(1.5)}},
    {&chaplygin_sleigh, {0, 0, 0}, {TENTHS(4), 0, 1}},
    {&appell_hamel, {TENTHS(2), 0, TENTHS(3)}, {TENTHS(6), TENTHS(8), 2}},
    {&suslov, {SOME_TURN}, {1, -0.5, 0}},
    {&joined_top,
     {SOME_TURN, -4 / (real)9, 1 / (real)9, 8 / (real)9},
     {TENTHS(6), TENTHS(-5), TENTHS(7), 73 / (real)90, 2 / (real)9, 34 / (real)90}},
};
const int constrained_case_count = sizeof constrained_cases / sizeof *constrained_cases;

typedef void visitor(const char *, const struct variant *, const struct test_case *);

/* True if an energy-adaptive method can find its step size. With many stages the energy error is
 * so small that its dependence on the step size is lost in round-off. */
static bool has_step(const struct test_case *test, const char *method) {
    struct run run;
    run_start(&run, test, method, (real)0.05);
    const enum noe_status status = noe_work_step(run.work, NULL);
    run_end(&run);
    return status != NOE_NO_STEP;
}

/* Visits the case with a method, if the method supports it. */
static void visit_case(const char *method, const struct test_case *test, visitor *visit) {
    struct noe_problem problem;
    struct noe_error error;
    const enum noe_status status = noe_problem_init(&problem, test->system, method, 0.1, &error);
    if (status == NOE_NOT_SERVED) return;
    if (status != NOE_OK) fail_msg("%s: %s", method, error.text);
    const struct variant row = {problem.traits, problem.internals->scheme,
                                problem.internals->scheme_data};
    noe_problem_clear(&problem);
    if (!row.scheme->energy_equation || has_step(test, method)) visit(method, &row, test);
}

static const char *option_words(const struct noe_method_info *row, const char *name) {
    for (const struct noe_option *o = row->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return o->words;
    return NULL;
}

/* Writes the first word of `words`; returns the rest. */
static const char *first_word(const char *words, size_t size, char *word) {
    const size_t length = strcspn(words, " ");
    snprintf(word, size, "%.*s", (int)length, words);
    return words + length + strspn(words + length, " ");
}

/* Visits the case with every retraction and convention. */
static void visit_retractions(const char *method, const struct noe_method_info *row,
                              const struct test_case *test, visitor *visit) {
    const char *words = option_words(row, "retraction");
    if (!product_has_groups(test->system) || !words) {
        visit_case(method, test, visit);
        return;
    }
    while (*words) {
        char text[200], word[40];
        words = first_word(words, sizeof word, word);
        snprintf(text, sizeof text, "%s retraction=%s", method, word);
        visit_case(text, test, visit);
        if (!option_words(row, "momentum")) continue;
        snprintf(text, sizeof text, "%s retraction=%s momentum=stage", method, word);
        visit_case(text, test, visit);
    }
}

static void visit_cases(const char *method, const struct noe_method_info *row, int setting,
                        visitor *visit) {
    int count;
    const struct test_case *more = registry_cases(&count);
    for (int i = 0; i < test_case_count + count; i++) {
        const struct test_case *test =
            i < test_case_count ? &test_cases[i] : &more[i - test_case_count];
        if (setting > 4 && product_has_groups(test->system)) continue; /* as with 4 */
        visit_retractions(method, row, test, visit);
    }
}

/* A method that would stop where no step size conserves its energy continues instead. */
static const char *guard_of(const struct noe_method_info *row) {
    return option_words(row, "guard") ? " guard=hold" : "";
}

/* The methods with each word of the option `name`. False if there is no such option. */
static bool visit_words(const struct noe_method_info *row, const char *name, visitor *visit) {
    const char *words = option_words(row, name);
    char method[120], word[40];
    if (!words) return false;
    while (*words) {
        words = first_word(words, sizeof word, word);
        snprintf(method, sizeof method, "%s %s=%s", row->name, name, word);
        visit_cases(method, row, 0, visit);
    }
    return true;
}

/* The settings of a method's first option: its integers, or its words. */
static void visit_settings(const struct noe_method_info *row, int max, visitor *visit) {
    const struct noe_option *option = row->options;
    char method[120];
    if (visit_words(row, "kind", visit) || visit_words(row, "attitude", visit)) return;
    if (!option || option->kind != NOE_INTEGER) {
        snprintf(method, sizeof method, "%s%s", row->name, guard_of(row));
        visit_cases(method, row, 0, visit);
        return;
    }
    const int stride = strcmp(option->name, "order") == 0 ? 2 : 1;
    for (int value = (int)option->min; value <= option->max && value <= max; value += stride) {
        snprintf(method, sizeof method, "%s %s=%d%s", row->name, option->name, value,
                 guard_of(row));
        visit_cases(method, row, value, visit);
    }
}

/* True if the words have `name`, or if there are none. */
static bool is_among(const char *words, const char *name) {
    char word[40];
    if (!words) return true;
    while (*words) {
        words = first_word(words, sizeof word, word);
        if (strcmp(word, name) == 0) return true;
    }
    return false;
}

void for_each_method(int max, visitor *visit) {
    const char *chosen = getenv("NOETHER_TEST_METHODS");
    for (int i = 0; i < noe_method_count(); i++)
        if (is_among(chosen, noe_method_at(i)->name)) visit_settings(noe_method_at(i), max, visit);
}

void run_start(struct run *run, const struct test_case *test, const char *method, real h) {
    struct noe_error error;
    if (noe_problem_init(&run->problem, test->system, method, h, &error) != NOE_OK ||
        noe_work_create(&run->work, &run->problem, &error) != NOE_OK ||
        noe_work_start(run->work, 0, test->q, test->v, &error) != NOE_OK)
        fail_msg("%s on %s: %s", method, test->system->name, error.text);
}

void run_end(struct run *run) {
    noe_work_free(run->work);
    noe_problem_clear(&run->problem);
}

real state_distance(const struct noe_system *system, const struct noe_state *a,
                    const struct noe_state *b) {
    real largest = 0;
    const int np = product_point_size(system);
    for (int i = 0; i < np; i++) largest = noe_max(largest, noe_abs(a->q[i] - b->q[i]));
    for (int i = 0; i < system->n; i++) largest = noe_max(largest, noe_abs(a->p[i] - b->p[i]));
    return largest;
}

void move_point(const struct noe_system *system, real *g1, const real *g0, int direction, real e) {
    real x[FREEDOMS_MAX] = {0};
    x[direction] = e;
    product_retract(system, 0, g1, g0, x);
}

void point_difference(const struct noe_system *system, real *x, const real *g0, const real *g1) {
    for (int i = 0; !system->factors && i < system->n; i++) x[i] = g1[i] - g0[i];
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_factor *f = &system->factors[i];
        f->space->difference(f->size, 0, x, g0, g1);
        x += f->space->tangent * f->size;
        g0 += f->space->point * f->size;
        g1 += f->space->point * f->size;
    }
}

void poisson_matrix(const struct noe_system *system, const real *p, real *B) {
    const int n = system->n;
    memset(B, 0, (size_t)(n * n) * sizeof *B);
    for (int i = 0, t = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_factor *f = &system->factors[i];
        const int m = f->space->tangent * f->size;
        real block[FREEDOMS_MAX * FREEDOMS_MAX] = {0};
        if (f->space->maps.poisson) f->space->maps.poisson(block, p + t);
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++) B[(t + a) * n + t + b] = block[a * m + b];
        t += m;
    }
}

enum { QUARTERS = 4 };

/* (q,p) at the four quarters of the time from 0 to 1, with the given number of steps, even if
 * the method is adaptive. False if the step size is too large. */
static bool quarters(const struct test_case *test, const char *method, int steps,
                     real z[QUARTERS][STATE_MAX]) {
    const int n = test->system->n, np = product_point_size(test->system);
    struct run run;
    struct noe_error error;
    run_start(&run, test, method, (real)1 / steps);
    for (int k = 1; k <= steps; k++) {
        const enum noe_status status = run.problem.traits & NOE_ADAPTIVE
                                           ? noe_work_step_by(run.work, (real)1 / steps, &error)
                                           : noe_work_step(run.work, &error);
        if (status == NOE_NOT_CONVERGED) {
            run_end(&run);
            return false;
        }
        if (status != NOE_OK) fail_msg("%s: %s", method, error.text);
        if (k % (steps / QUARTERS) != 0) continue;
        real *at = z[k / (steps / QUARTERS) - 1];
        memcpy(at, noe_work_state(run.work)->q, (size_t)np * sizeof *at);
        memcpy(at + np, noe_work_state(run.work)->p, (size_t)n * sizeof *at);
    }
    run_end(&run);
    return true;
}

/* Reference solution. */
static const char *reference_of(const struct noe_system *system) {
    return constraint_count(system) ? "lobatto stages=8" : "gauss stages=12";
}

double observed_order(const struct test_case *test, const char *method, double floor) {
    const int numbers = product_point_size(test->system) + test->system->n;
    double last = 0, order = NAN;
    real exact[QUARTERS][STATE_MAX], z[QUARTERS][STATE_MAX];
    assert_true(quarters(test, reference_of(test->system), 32, exact));
    for (int steps = QUARTERS; steps <= 1024; steps *= 2) {
        double error = 0; /* summed over the quarters, so that it does not vanish by chance */
        if (!quarters(test, method, steps, z)) continue;
        for (int i = 0; i < QUARTERS; i++)
            for (int j = 0; j < numbers; j++) error += (double)noe_abs(z[i][j] - exact[i][j]);
        if (error < floor) break;
        if (last > 0) order = log2(last / error);
        last = error;
    }
    return order;
}

void check_jacobian(const char *method, const struct variant *row, const struct test_case *test) {
    struct run run;
    if (!row->scheme->jacobian) return;
    run_start(&run, test, method, 0.1);
    const int nu = run.problem.internals->nu, nz = row->scheme->sparsity(&run.problem, NULL, NULL);
    int *at = malloc(2 * (size_t)nz * sizeof *at);
    real *u = malloc((size_t)(3 * nu + nz) * sizeof *u), *r = u + nu, *sum = r + nu;
    real *values = sum + nu;
    double *dense = calloc((size_t)nu * (size_t)nu, sizeof *dense);
    row->scheme->sparsity(&run.problem, at, at + nz);
    advance_interval(run.work, 0.1);
    row->scheme->initial_guess(&run.work->interval, u);
    for (int i = 0; i < nu; i++) u[i] += 0.1 * sin(3 * i + 1);
    row->scheme->jacobian(&run.work->interval, u, r, values);
    for (int e = 0; e < nz; e++) dense[at[e] * nu + at[nz + e]] = (double)values[e];
    for (int j = 0; j < nu; j++) {
        const real old = u[j], step = 3e-4, offset[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1};
        memset(sum, 0, (size_t)nu * sizeof *sum);
        for (int k = 0; k < 4; k++) {
            u[j] = old + offset[k] * step;
            row->scheme->residual(&run.work->interval, u, r);
            for (int i = 0; i < nu; i++) sum[i] += weight[k] * r[i];
        }
        u[j] = old;
        for (int i = 0; i < nu; i++) {
            const double slope = (double)(sum[i] / (12 * step));
            if (fabs(slope - dense[i * nu + j]) > 2e-11 * (1 + fabs(slope)))
                fail_msg("%s on %s: Jacobian %d %d: %.12g, differences %.12g", method,
                         test->system->name, i, j, dense[i * nu + j], slope);
        }
    }
    free(dense);
    free(u);
    free(at);
    run_end(&run);
}
