/* Sections: the crossings of an orbit of Henon and Heiles up to t = 2000, by the library and by
 * peers with their own event location, and the cost of event detection relative to the steps of
 * Kirchhoff's vehicle. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#endif
#ifdef BENCH_SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#endif

#include "model/jit/simd_callbacks.h"
#include "noether_model.h"
#include "study/section/section.h"
#include "study/trajectory.h"
#include "timing.h"

static const double until = 2000;
/* x, y, x', y'. */
static const double start[4] = {0, 0.2587703282931232, -0.2525875586263492, -0.2178423952983717};
/* The time of the last crossing, by `gauss stages=10`, step 0.2, in quadruple precision. */
static const double last_time = 1996.8851814223572;

/* Crossings found by one solver. */
struct finder {
    const char *name, *method;
    double step;
    double (*run)(void *);
    int count;
    double last, off, energy; /* time of the last crossing; max |x| and energy error */
    struct noe_model *model;
    struct noe_problem problem;
};

static double energy_of(const double *y) {
    return (y[2] * y[2] + y[3] * y[3] + y[0] * y[0] + y[1] * y[1]) / 2 + y[0] * y[0] * y[1] -
           y[1] * y[1] * y[1] / 3;
}

static inline void slopes(const double *y, double *f) {
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] - 2 * y[0] * y[1];
    f[3] = -y[1] - y[0] * y[0] + y[1] * y[1];
}

static void begin(struct finder *finder) {
    finder->count = 0;
    finder->last = finder->off = finder->energy = 0;
}

static void record(struct finder *finder, double t, const double *y) {
    finder->count++;
    finder->last = t;
    finder->off = fmax(finder->off, fabs(y[0]));
    finder->energy = fmax(finder->energy, fabs(energy_of(y) - energy_of(start)));
}

/* --- The library. */

static enum noe_status take(void *data, const struct section_point *point,
                            struct noe_error *error) {
    (void)error;
    const double y[4] = {point->recorded[0], point->recorded[1], point->recorded[2],
                         point->recorded[3]};
    record(data, point->t, y);
    return NOE_OK;
}

static double run_library(void *data) {
    struct finder *finder = data;
    bool fits;
    struct section result;
    const struct section_settings settings = {
        .problem = &finder->problem,
        .q = finder->model->q,
        .v = finder->model->v,
        .steps = trajectory_step_count(0, until, finder->step, &fits),
        .take = take,
        .take_data = finder};
    begin(finder);
    if (section_run(&result, &settings) != NOE_OK) abort();
    return 1;
}

static void open_model(struct finder *finder, const char *text) {
    struct noe_error error;
    if (noe_model_open_text(&finder->model, finder->name, text, NULL, &error) != NOE_OK ||
        model_compile_simd(finder->model, NULL, &error) != NOE_OK || /* as the command does */
        noe_problem_init(&finder->problem, finder->model->system, finder->method, finder->step,
                         &error) != NOE_OK ||
        noe_problem_specialise(&finder->problem, finder->model, NULL, &error) != NOE_OK) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
}

/* --- GSL: its adaptive driver; a step with a crossing is repeated by the secant method. */
#ifdef BENCH_GSL
static int gsl_slopes(double t, const double y[], double f[], void *data) {
    (void)t, (void)data;
    slopes(y, f);
    return GSL_SUCCESS;
}

static void gsl_locate(struct finder *finder, gsl_odeiv2_step *step,
                       const gsl_odeiv2_system *system, double t, double h, const double *from,
                       const double *to) {
    double a = 0, fa = from[0], b = h, fb = to[0], y[4], error[4];
    memcpy(y, to, sizeof y);
    for (int i = 0; i < 20 && fabs(fb) > 1e-13; i++) {
        const double c = b - fb * (b - a) / (fb - fa);
        memcpy(y, from, sizeof y);
        gsl_odeiv2_step_reset(step);
        gsl_odeiv2_step_apply(step, t, c, y, error, NULL, NULL, system);
        a = b;
        fa = fb;
        b = c;
        fb = y[0];
    }
    record(finder, t + b, y);
}

static double run_gsl(void *data) {
    struct finder *finder = data;
    const gsl_odeiv2_system system = {gsl_slopes, NULL, 4, NULL};
    gsl_odeiv2_step *step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, 4);
    gsl_odeiv2_step *again = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, 4);
    gsl_odeiv2_control *control = gsl_odeiv2_control_y_new(finder->step, 0);
    gsl_odeiv2_evolve *evolve = gsl_odeiv2_evolve_alloc(4);
    double t = 0, h = 0.1, y[4], before[4];
    memcpy(y, start, sizeof y);
    begin(finder);
    while (t < until) {
        const double from = t;
        memcpy(before, y, sizeof y);
        gsl_odeiv2_evolve_apply(evolve, control, step, &system, &t, until, &h, y);
        if (before[0] < 0 && y[0] > 0)
            gsl_locate(finder, again, &system, from, t - from, before, y);
    }
    gsl_odeiv2_evolve_free(evolve);
    gsl_odeiv2_control_free(control);
    gsl_odeiv2_step_free(again);
    gsl_odeiv2_step_free(step);
    return 1;
}
#endif

/* --- SUNDIALS: CVODE, Adams, with its own root finding. */
#ifdef BENCH_SUNDIALS
static int cvode_slopes(realtype t, N_Vector y, N_Vector f, void *data) {
    (void)t, (void)data;
    slopes(N_VGetArrayPointer(y), N_VGetArrayPointer(f));
    return 0;
}

static int cvode_root(realtype t, N_Vector y, realtype *g, void *data) {
    (void)t, (void)data;
    g[0] = N_VGetArrayPointer(y)[0];
    return 0;
}

static double run_cvode(void *data) {
    struct finder *finder = data;
    SUNContext context;
    int rising = 1;
    realtype t = 0;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(4, context);
    memcpy(N_VGetArrayPointer(y), start, sizeof start);
    void *memory = CVodeCreate(CV_ADAMS, context);
    CVodeInit(memory, cvode_slopes, 0, y);
    CVodeSStolerances(memory, finder->step, finder->step);
    SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, context);
    CVodeSetNonlinearSolver(memory, solver);
    CVodeSetMaxNumSteps(memory, -1);
    CVodeRootInit(memory, 1, cvode_root);
    CVodeSetRootDirection(memory, &rising);
    begin(finder);
    while (CVode(memory, until, y, &t, CV_NORMAL) == CV_ROOT_RETURN)
        record(finder, t, N_VGetArrayPointer(y));
    CVodeFree(&memory);
    SUNNonlinSolFree(solver);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return 1;
}
#endif

static const char henon[] =
    "coord x, y\nL = (x'^2 + y'^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\n"
    "start y = 0.2587703282931232, x' = -0.2525875586263492, y' = -0.2178423952983717\n"
    "section cut : x = 0 rising record x, y, x', y'\n";

/* --- Kirchhoff's vehicle: steps alone, with event detection, and with event location. */

#define VEHICLE                                                                                    \
    "param J = diag(1.09, 2.16, 2.68), M = diag(3.72, 7.42, 4.29), phi = 0.6, s = 0.9, H = 4\n"    \
    "param p = 5.2*[cos(phi), sin(phi), 0]\n"                                                      \
    "param rest = H - p[1]^2/(2*M[1][1]) - p[2]^2/(2*M[2][2])\n"                                   \
    "           - s^2*(sin(phi)^2/(2*J[1][1]) + cos(phi)^2/(2*J[2][2]))\n"                         \
    "pose R, x, W, V\n"                                                                            \
    "L = dot(W, J*W)/2 + dot(V, M*V)/2\n"                                                          \
    "start W = [s*sin(phi)/J[1][1], -s*cos(phi)/J[2][2], sqrt(2*rest/J[3][3])]\n"                  \
    "start V = [p[1]/M[1][1], p[2]/M[2][2], 0]\n"

enum { VEHICLE_STEPS = 1000000 };

static double run_steps(void *data) {
    struct finder *finder = data;
    struct noe_work *work;
    if (noe_work_create(&work, &finder->problem, NULL) != NOE_OK ||
        noe_work_start(work, 0, finder->model->q, finder->model->v, NULL) != NOE_OK ||
        noe_work_steps(work, VEHICLE_STEPS, NULL) != NOE_OK)
        abort();
    noe_work_free(work);
    return 1.0 / VEHICLE_STEPS;
}

static double run_scan(void *data) {
    struct finder *finder = data;
    struct section result;
    const struct section_settings settings = {.problem = &finder->problem,
                                              .q = finder->model->q,
                                              .v = finder->model->v,
                                              .steps = VEHICLE_STEPS};
    if (section_run(&result, &settings) != NOE_OK) abort();
    finder->count = (int)result.at_crossings.count;
    return 1.0 / VEHICLE_STEPS;
}

static void report_vehicle(void) {
    static const char *const text[] = {VEHICLE,
                                       VEHICLE "section cut : V[3] = 100 record W[1], W[3]\n",
                                       VEHICLE "section cut : V[3] = 0 record W[1], W[3]\n"};
    enum { WAYS = 3 };
    static struct finder ways[WAYS] = {
        {.name = "steps, with points of the group", .run = run_steps},
        {.name = "steps that are looked at", .run = run_scan},
        {.name = "the same, crossings found", .run = run_scan}};
    struct timing_entry entries[WAYS];
    for (int i = 0; i < WAYS; i++) {
        ways[i].method = "flv";
        ways[i].step = 0.05;
        open_model(&ways[i], text[i]);
        entries[i] = (struct timing_entry){.run = ways[i].run, .data = &ways[i]};
    }
    timing_interleave(WAYS, entries);
    timing_say("Kirchhoff's vehicle, flv, step 0.05, 1e6 steps");
    timing_head("what                            | ns a step | over the second | crossings");
    for (int i = 0; i < WAYS; i++)
        timing_row("%-31s | %9.1f | %15.2f | %9d", ways[i].name,
                   1e9 * timing_of(&entries[i]).median,
                   timing_ratio(&entries[i], &entries[1]).median, ways[i].count);
}

int main(void) {
    static struct finder ways[] = {
        {.name = "noether", .method = "gauss stages=6", .step = 0.5, .run = run_library},
        {.name = "noether", .method = "splitting order=10", .step = 0.25, .run = run_library},
#ifdef BENCH_GSL
        {.name = "gsl", .method = "rk8pd, tolerance", .step = 1e-13, .run = run_gsl},
        {.name = "gsl", .method = "rk8pd, tolerance", .step = 1e-15, .run = run_gsl},
#endif
#ifdef BENCH_SUNDIALS
        {.name = "sundials", .method = "cvode adams, tolerance", .step = 1e-12, .run = run_cvode},
#endif
    };
    enum { WAYS = sizeof ways / sizeof *ways };
    struct timing_entry entries[WAYS];
    for (int i = 0; i < WAYS; i++) {
        entries[i] = (struct timing_entry){.run = ways[i].run, .data = &ways[i]};
        if (ways[i].run == run_library) open_model(&ways[i], henon);
    }
    timing_report_open("sections", "Henon and Heiles' section up to t = 2000");
    timing_interleave(WAYS, entries);
    timing_head("solver     | method                   | step    | time, ms | ratio | crossings | "
                "|x|     | energy  | last crossing");
    for (int i = 0; i < WAYS; i++) {
        const struct finder *finder = &ways[i];
        timing_row("%-10s | %-24s | %7.2g | %8.2f | %5.2f | %9d | %.1e | %.1e | %.1e", finder->name,
                   finder->method, finder->step, 1e3 * timing_of(&entries[i]).median,
                   timing_ratio(&entries[i], &entries[0]).median, finder->count, finder->off,
                   finder->energy, fabs(finder->last - last_time));
    }
    report_vehicle();
    timing_report_close();
    return 0;
}
