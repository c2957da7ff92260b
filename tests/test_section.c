/* Sections: located crossings, recorded values, and a run that they do not disturb. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model_text.h"
#include "study/section/section.h"
#include "study/trajectory.h"

static const double pi = 3.14159265358979323846;

#define OSCILLATOR "coord q\nL = (q'^2 - q^2)/2\n"
#define PARTICLE   "coord q\nL = q'^2/2\n"
#define KEPLER     "coord x[2]\nL = dot(x', x')/2 + 1/norm(x)\nstart x = [0.4, 0], x' = [0, 2]\n"
#define HENON                                                                                      \
    "coord x, y\nL = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n"                            \
    "start y = 0.2587703282931232, x' = -0.2525875586263492, y' = -0.2178423952983717\n"
#define BODY "param J = diag(2, 3, 4)\nrotation R, W\nL = dot(W, J*W)/2\nstart W = [1, 0.5, -0.8]\n"

enum { POINTS_MAX = 4000, WIDTH_MAX = 8 };

/* Recorded crossings in sequence. */
struct taken {
    int count, width;
    int crossing[POINTS_MAX];
    double t[POINTS_MAX], recorded[POINTS_MAX][WIDTH_MAX];
};
static struct taken taken;

static enum noe_status take(void *data, const struct section_point *point,
                            struct noe_error *error) {
    struct taken *to = data;
    (void)error;
    assert_true(to->count < POINTS_MAX);
    to->crossing[to->count] = point->crossing;
    to->t[to->count] = (double)point->t;
    for (int i = 0; i < to->width; i++) to->recorded[to->count][i] = (double)point->recorded[i];
    to->count++;
    return NOE_OK;
}

/* A model with a method, with generic steps or a specialised stepper. */
static enum noe_status cross(struct section *result, const char *text, const char *method, double h,
                             double until, bool is_specialised) {
    struct noe_model *model = model_text_open(text, !is_specialised);
    struct noe_problem problem;
    struct noe_error error;
    bool fits;
    if (noe_problem_init(&problem, model->system, method, h, &error) != NOE_OK)
        fail_msg("%s: %s", method, error.text);
    if (is_specialised && noe_problem_specialise(&problem, model, NULL, &error) != NOE_OK)
        fail_msg("%s: %s", method, error.text);
    taken = (struct taken){.width = model->system->nrecorded};
    struct section_settings settings = {.problem = &problem,
                                        .q = model->q,
                                        .v = model->v,
                                        .steps = trajectory_step_count(0, until, h, &fits),
                                        .until = until,
                                        .take = take,
                                        .take_data = &taken};
    if (problem.traits & NOE_ADAPTIVE) settings.steps = -1;
    const enum noe_status status = section_run(result, &settings);
    noe_problem_clear(&problem);
    noe_model_free(model);
    return status;
}

static void run_section(struct section *result, const char *text, const char *method, double h,
                        double until) {
    if (cross(result, text, method, h, until, false) != NOE_OK)
        fail_msg("%s: %s", method, result->error.text);
}

static void assert_times(const char *text, const char *method, double h, double until, int count,
                         const double *time, double tolerance) {
    struct section result;
    run_section(&result, text, method, h, until);
    if (taken.count != count) fail_msg("%s: %d crossings, not %d", text, taken.count, count);
    for (int i = 0; i < count; i++)
        if (!(fabs(taken.t[i] - time[i]) <= tolerance))
            fail_msg("%s: crossing %d at %.17g, not %.17g", text, i, taken.t[i], time[i]);
}

static void times_and_directions(void **state) {
    (void)state;
    const double both[] = {pi / 2, 3 * pi / 2, 5 * pi / 2};
    const char *method = "gauss stages=6";
    assert_times(OSCILLATOR "start q = 1\nsection s : q = 0 record q'\n", method, 0.1, 9, 3, both,
                 3.6e-15); /* measured 1.8e-15: eight periods of round-off in t */
    assert_true(fabs(taken.recorded[0][0] + 1) <= 9e-16 && fabs(taken.recorded[1][0] - 1) <= 9e-16);
    assert_times(OSCILLATOR "start q = 1\nsection s : q = 0 rising record q\n", method, 0.1, 9, 1,
                 &both[1], 2e-15);
    const double falling[] = {pi / 2, 5 * pi / 2};
    assert_times(OSCILLATOR "start q = 1\nsection s : q = 0 falling record q\n", method, 0.1, 9, 2,
                 falling, 3.6e-15);
    /* The start lies on the section and is not a crossing. */
    const double later[] = {pi, 2 * pi};
    assert_times(OSCILLATOR "start q' = 1\nsection s : q = 0 record q\n", method, 0.1, 9, 2, later,
                 2e-15);
}

/* The signs at both ends of the step are equal. */
static void two_crossings_in_one_step(void **state) {
    (void)state;
    const double both[] = {1.51, 1.53};
    assert_times(PARTICLE "start q' = 1\nsection s : (t - 1.51)*(t - 1.53) = 0 record t\n",
                 "midpoint", 0.25, 3, 2, both, 7e-16);
    assert_times(PARTICLE "start q' = 1\nsection s : (q - 1.51)*(q - 1.53) = 0 rising record t\n",
                 "verlet", 0.25, 3, 1, &both[1], 7e-16);
    /* A ball that rises above a line for 2 sqrt(2e-6/9.81) = 1.3e-3 around t = 0.5. */
    const double half = sqrt(2e-6 / 9.81), times[] = {0.5 - half, 0.5 + half};
    assert_times("coord y\nL = y'^2/2 - 9.81*y\nstart y' = 9.81/2\n"
                 "section s : y = 9.81/8 - 1e-6 record y'\n",
                 "verlet", 0.03, 0.9, 2, times, 1e-12);
    /* A section function of the group element: the third axis dips below the plane. */
    struct section result;
    run_section(&result,
                "rotation R, W\nL = dot(W, W)/2\nstart W = [1, 0, 0]\n"
                "section s : R[3][3] = -0.9999 record R[3][3]\n",
                "midpoint", 0.3, 6);
    assert_int_equal(taken.count, 2);
    assert_true(fabs(taken.t[0] + taken.t[1] - 2 * acos(-1)) <= 0.1);
}

static void a_tangency_is_not_a_crossing(void **state) {
    (void)state;
    assert_times(OSCILLATOR "start q = 1\nsection s : (q + 1)^2 = 0 record q\n", "verlet", 0.1, 9,
                 0, NULL, 0);
    assert_times(PARTICLE "start q = -1, q' = 1\nsection s : abs(q) = 0 record q\n", "verlet", 0.3,
                 9, 0, NULL, 0);
    assert_times(OSCILLATOR "start q = 1\nsection s : q = 2 record q\n", "verlet", 0.1, 9, 0, NULL,
                 0);
}

static void a_crossing_in_every_step(void **state) {
    (void)state;
    struct section result;
    run_section(&result, OSCILLATOR "start q = 1\nsection s : cos(10*pi*t + 0.3) = 0 record t\n",
                "gauss stages=2", 0.1, 20);
    assert_int_equal(taken.count, 200);
    for (int i = 0; i < taken.count; i++)
        assert_true(fabs(taken.t[i] - (0.05 - 0.03 / pi + 0.1 * i)) <= 1e-14); /* measured 4e-15 */
}

/* Sections and stop conditions in one file, in the order of time. */
static void sections_with_a_stop_condition(void **state) {
    (void)state;
    struct section result;
    const char *text = OSCILLATOR "start q = 1\nsection b : q' = 0 record q, [q, q']\n"
                                  "stop when t = 5\nsection a : q = 0 record 2*t\n";
    run_section(&result, text, "gauss stages=8", 0.7, 20);
    static const int order[] = {2, 0, 2};
    assert_int_equal(taken.count, 3);
    assert_int_equal(result.stopped_by, 1);
    assert_true(fabs((double)result.t_end - 5) <= 9e-16);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(taken.crossing[i], order[i]);
        assert_true(fabs(taken.t[i] - (i + 1) * pi / 2) <= 2e-15);
        assert_true(taken.recorded[i][3] == 2 * taken.t[i]);
        assert_true(taken.recorded[i][0] == taken.recorded[i][1]);
    }
}

/* Sections do not change a bit of the run. The energies of the steps, which depend on every bit,
 * are compared. */
static void assert_undisturbed(const char *text, const char *method, double h, double until) {
    struct noe_model *model = model_text_open(text, true);
    struct noe_problem problem;
    struct noe_error error;
    struct section section;
    struct trajectory run;
    bool fits;
    if (noe_problem_init(&problem, model->system, method, h, &error) != NOE_OK)
        fail_msg("%s: %s", method, error.text);
    struct trajectory_settings settings = {.problem = &problem,
                                           .q = model->q,
                                           .v = model->v,
                                           .steps = trajectory_step_count(0, until, h, &fits),
                                           .until = until,
                                           .sample = 1};
    run_section(&section, text, method, h, until);
    /* A run up to a time shortens its last step, a section does not. */
    if (problem.traits & NOE_ADAPTIVE) settings.steps = section.steps;
    if (trajectory_run(&run, &settings) != NOE_OK) fail_msg("%s: %s", method, run.error.text);
    if (taken.count < 5) fail_msg("%s: %d crossings", method, taken.count);
    if (section.at_steps.final != run.final.energy || section.t_end != run.final.t ||
        section.at_steps.max_error != run.energy_max_error ||
        section.at_steps.mean_error != run.energy_mean_error)
        fail_msg("%s: the run has changed", method);
    assert_int_equal(section.steps, run.steps);
    trajectory_clear(&run);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

static void sections_do_not_change_the_run(void **state) {
    (void)state;
    static const char *const methods[] = {
        "verlet", "midpoint", "gauss stages=4",    "splitting order=8",   "lobatto stages=3",
        "rk4",    "dopri5",   "discrete-gradient", "hermite-galerkin n=3"};
    static const char *const free[] = {"flv", "mln", "lgvi", "gauss stages=2", "rkmk", "sw"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        assert_undisturbed(HENON "section s : x = 0 record y, y'\n", methods[i], 0.1, 60);
    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        assert_undisturbed(BODY "section s : W[2] = 0 record W\n", free[i], 0.05, 60);
    assert_undisturbed(OSCILLATOR "start q = 1\nsection s : q = 0.3 record q\n",
                       "energy-midpoint guard=anchored", 0.05, 30);
    assert_undisturbed("coord x[2]\nL = dot(x', x')/2 - x[2]\nconstraint dot(x, x) = 1\n"
                       "start x = [0.6, -0.8]\nsection s : x[1] = 0 record x\n",
                       "lobatto stages=2", 0.05, 30);
}

/* The error at a crossing is no larger than at the end of a step. */
static void energy_at_crossings(void **state) {
    (void)state;
    struct section result;
    run_section(&result,
                KEPLER "section a : x[2] = 0 record x[1]\nsection b : x[1] = 0 record x[2]\n",
                "gauss stages=4", 0.05, 300);
    assert_true(taken.count > 180 && result.at_steps.max_error > 0);
    assert_true(result.at_crossings.max_error <= 2 * result.at_steps.max_error);
    run_section(&result, KEPLER "section b : x[1] = 0.3 record x[2]\n", "gauss stages=4", 0.1, 300);
    assert_true(taken.count > 90);
    assert_true(result.at_crossings.max_error <= 2 * result.at_steps.max_error);
}

/* Counts the sign changes of the second velocity from step to step. */
static int count_changes(const char *text, const char *method, double h, long steps) {
    struct noe_model *model = model_text_open(text, true);
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_observation moment;
    int count = 0;
    assert_int_equal(noe_problem_init(&problem, model->system, method, h, NULL), NOE_OK);
    assert_int_equal(noe_work_create(&work, &problem, NULL), NOE_OK);
    assert_int_equal(noe_work_start(work, 0, model->q, model->v, NULL), NOE_OK);
    noe_real before = model->v[1];
    for (long k = 0; k < steps; k++) {
        assert_int_equal(noe_work_step(work, NULL), NOE_OK);
        assert_int_equal(noe_work_observe(work, &moment, NULL), NOE_OK);
        count += (moment.v[1] > 0) != (before > 0);
        before = moment.v[1];
    }
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
    return count;
}

/* Every sign change from step to step gives one crossing that lies on the section, also for
 * methods whose substeps differ from the full step. */
static void every_sign_change_gives_a_crossing(void **state) {
    (void)state;
    static const char *const methods[] = {"flv", "lv", "mln", "tln"};
    struct section result;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        run_section(&result, BODY "section s : W[2] = 0 record W\n", methods[i], 0.05, 1000);
        assert_int_equal(taken.count, count_changes(BODY, methods[i], 0.05, 20000));
        for (int k = 0; k < taken.count; k++) assert_true(fabs(taken.recorded[k][1]) <= 1e-15);
        assert_true(result.at_crossings.max_error <= 2 * result.at_steps.max_error + 1e-14);
    }
}

static void adaptive_steps(void **state) {
    (void)state;
    struct section result;
    run_section(&result, KEPLER "section a : x[2] = 0 record x[1], x[2]\n",
                "dopri5 tolerance=1e-12", 0.05, 30);
    assert_int_equal(taken.count, 9);
    for (int k = 0; k < taken.count; k++) {
        assert_true(fabs(taken.t[k] - (k + 1) * pi) <= 3e-9);
        assert_true(fabs(taken.recorded[k][1]) <= 2e-15);
    }
    run_section(&result, OSCILLATOR "start q = 1\nsection s : q = 0.3 record q\n",
                "energy-midpoint guard=anchored", 0.05, 30);
    assert_int_equal(taken.count, 9); /* cos t = 0.3 up to t = 30 */
    for (int k = 0; k < taken.count; k++) assert_true(fabs(taken.recorded[k][0] - 0.3) <= 2e-16);
}

static void specialised_steppers_find_the_same_crossings(void **state) {
    (void)state;
    static const struct {
        const char *text, *method;
    } cases[] = {{HENON "section s : x = 0 rising record y, y'\n", "splitting order=8"},
                 {HENON "section s : x = 0 record y, y'\nsection r : y' = x record x\n", "verlet"},
                 {HENON "section s : x*y = 0.01 record y, y'\n", "gauss stages=2"},
                 {BODY "section s : W[2] = 0 record W\n", "flv"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static struct taken generic;
        struct section first, second;
        run_section(&first, cases[i].text, cases[i].method, 0.1, 100);
        generic = taken;
        if (cross(&second, cases[i].text, cases[i].method, 0.1, 100, true) != NOE_OK)
            fail_msg("%s", second.error.text);
        assert_true(generic.count > 10);
        assert_memory_equal(&generic, &taken, sizeof taken);
        assert_true(first.at_steps.max_error == second.at_steps.max_error);
        assert_true(first.at_crossings.mean_error == second.at_crossings.mean_error);
    }
}

static void failures_are_reported(void **state) {
    (void)state;
    struct section result;
    assert_int_equal(cross(&result, PARTICLE "start q' = 1\nsection s : log(2 - q) = 0 record q\n",
                           "verlet", 0.3, 9, false),
                     NOE_NOT_FINITE);
    assert_true(strstr(result.error.text, "'log(2 - q) = 0' do not"));
    assert_int_equal(taken.count, 1);
    assert_int_equal(result.steps, 7);
}

static void section_statements(void **state) {
    (void)state;
    const char *text = "param a = 2\ncoord x[2]\nL = dot(x', x')/2\nstop when t = 5\n"
                       "section one : x[1] =  a + # a comment\n t rising record x, x[1]*x',  a*t\n"
                       "section two : x[2]' = x[1] record x[2]\n";
    const noe_real q[] = {0.3, -0.4}, v[] = {2.5, 0.7}, t = 1.5;
    for (int i = 0; i < 2; i++) {
        struct noe_model *model = model_text_open(text, i == 0);
        const struct noe_system *system = model->system;
        const struct noe_event *one = &system->crossing[1];
        noe_real values[6], rates[3];
        assert_true(system->nevents == 3 && system->nrecorded == 6);
        assert_true(!system->crossing[0].name && system->crossing[2].direction == NOE_EITHER_WAY);
        assert_string_equal(one->name, "one");
        assert_string_equal(one->text, "x[1] = a + t");
        assert_true(one->direction == NOE_RISING && one->nrecords == 3);
        assert_string_equal(one->record[1].name, "x[1]*x'");
        assert_true(one->record[1].rows == 2 && one->record[2].first == 4);
        system->records(system, t, q, v, values);
        assert_true(values[1] == q[1] && values[3] == q[0] * v[1] && values[4] == 2 * t);
        assert_true(values[5] == q[1]);
        system->event_rates(system, t, q, v, rates);
        assert_true(rates[0] == 1 && rates[1] == v[0] - 1 && rates[2] == 0);
        noe_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_directions),
        cmocka_unit_test(two_crossings_in_one_step),
        cmocka_unit_test(a_tangency_is_not_a_crossing),
        cmocka_unit_test(a_crossing_in_every_step),
        cmocka_unit_test(sections_with_a_stop_condition),
        cmocka_unit_test(sections_do_not_change_the_run),
        cmocka_unit_test(energy_at_crossings),
        cmocka_unit_test(every_sign_change_gives_a_crossing),
        cmocka_unit_test(adaptive_steps),
        cmocka_unit_test(specialised_steppers_find_the_same_crossings),
        cmocka_unit_test(failures_are_reported),
        cmocka_unit_test(section_statements),
    };
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
