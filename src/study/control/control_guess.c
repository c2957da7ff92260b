/* Initial guesses of an optimal control problem: path, velocities, momenta, controls, clamped to
 * the bounds. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/splitmix.h"
#include "study/control/control_block.h"

enum { WAVES = 4, EXPONENTIAL = 1 }; /* exp: its curves are geodesics */

/* x = tau^-1(g0^-1 g1). */
static void difference(const struct control_factors *factors, int tau, real *x, const real *g0,
                       const real *g1) {
    for (int f = 0; f < factors->count; f++) {
        const struct noe_factor *factor = &factors->factor[f];
        factor->space->difference(factor->size, tau, x, g0, g1);
        x += factor->size * factor->space->tangent;
        g0 += factor->size * factor->space->point;
        g1 += factor->size * factor->space->point;
    }
}

/* Final configuration as far as it is stated; initial values for the rest. */
static void end_point(const struct control *control, real *q) {
    const struct noe_transcription *t = control->transcription;
    for (int i = 0; i < t->np; i++)
        q[i] = t->boundary.q_is_final[i] ? t->boundary.q_final[i] : control->model->q[i];
}

/* Typical deviation of a coordinate: its distance from start to end, the width of its bounds, or
 * the largest of the distances. */
static void scales(const struct control *control, const real *way, real *scale) {
    const struct noe_transcription *t = control->transcription;
    real longest = 0;
    for (int i = 0; i < t->n; i++)
        if (noe_abs(way[i]) > longest) longest = noe_abs(way[i]);
    if (!(longest > 0)) longest = 1;
    for (int i = 0; i < t->n; i++) {
        const real width = t->bounds.q_max[i] - t->bounds.q_min[i];
        scale[i] = noe_abs(way[i]) > 0 ? noe_abs(way[i]) : (real)0.3 * longest;
        if (real_is_finite(width) && width < 2 * scale[i]) scale[i] = width / 2;
    }
}

/* Amplitudes of waves sin(pi j k/N), which decay with j. Their scale varies over two decades
 * between starts. */
static void make_waves(struct splitmix *stream, int n, const real *scale, real *wave) {
    for (int i = 0; i < n; i++) {
        const double size = pow(10, -1 + splitmix_uniform(stream));
        for (int j = 0; j < WAVES; j++)
            wave[i * WAVES + j] = scale[i] * (real)(size * splitmix_uniform(stream) / (j + 1));
    }
}

struct path {
    const struct control *control;
    struct control_factors factors;
    real *start, *way, *wave, *point, *increment, *guess, *input;
};

/* Configuration of node k: on the geodesic from start to end, with waves, or by the guess of the
 * model file. */
static void path_point(const struct path *path, long k, real *q) {
    const struct control *control = path->control;
    const struct noe_transcription *t = control->transcription;
    const real part = (real)k / control->N;
    for (int i = 0; i < t->n; i++) {
        real x = part * path->way[i];
        for (int j = 0; j < WAVES; j++)
            x += path->wave[i * WAVES + j] * noe_sin(M_PI * (j + 1) * (double)part);
        path->increment[i] = x;
    }
    product_retract(control->model->system, EXPONENTIAL, q, path->start, path->increment);
    transcription_guess(t, control->from + k * control->h, path->guess, path->input);
    for (int i = 0; i < t->np; i++)
        if (path->guess[i] == path->guess[i]) q[i] = path->guess[i];
}

/* Sets the given values of the first and last node exactly, and equal values if they are
 * periodic. */
static void set_ends(const struct control *control, real *q) {
    const struct noe_transcription *t = control->transcription;
    real *last = q + control->N * t->np;
    for (int i = 0; i < t->np; i++) {
        if (t->boundary.q_is_final[i]) last[i] = t->boundary.q_final[i];
        if (!t->boundary.q_is_periodic[i])
            q[i] = control->model->q[i];
        else if (t->boundary.q_is_final[i])
            q[i] = last[i];
        else
            last[i] = q[i];
    }
}

/* Reference points of the nodes: on groups the guess itself. */
static void set_references(struct control *control, const real *q) {
    struct control_factors factors;
    const int np = control->transcription->np;
    control_list_factors(&factors, control->model->system);
    for (long k = 0; k <= control->N; k++) {
        int at = 0;
        for (int f = 0; f < factors.count; f++) {
            const struct noe_factor *factor = &factors.factor[f];
            const int size = factor->size * factor->space->point;
            for (int i = 0; i < size; i++)
                control->reference[k * np + at + i] = factor->space->frame ? q[k * np + at + i] : 0;
            at += size;
        }
    }
}

static real clamp(real value, real min, real max) {
    return value < min ? min : value > max ? max : value;
}

/* Velocities and momenta that belong to the configurations q of the nodes. Controls are
 * unchanged. */
static void fill_motion(struct control *control, const struct control_factors *factors,
                        const real *q, double *x) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_system *system = control->model->system;
    const int n = t->n, np = t->np;
    real *v = control->values, *p = v + n + t->nmultipliers, *w = p + n;
    for (int i = 0; i < t->nmultipliers; i++) v[n + i] = 0;
    for (long k = 0; k <= control->N; k++) {
        double *node = x + k * control->stride;
        const real *here = q + (k < control->N ? k : k - 1) * np;
        difference(factors, 0, p, control->reference + k * np, q + k * np);
        for (int i = 0; i < n; i++) node[i] = (double)p[i];
        difference(factors, EXPONENTIAL, v, here, here + np);
        for (int i = 0; i < n; i++) v[i] /= control->h;
        system->first(system, control->from + k * control->h, q + k * np, v, p, w);
        for (int i = 0; i < n; i++) node[n + i] = (double)p[i];
        const int copies = k < control->N ? t->s : 1;
        for (int i = 0; i < copies * n; i++) node[2 * n + i] = (double)v[i % n];
        for (int i = 0; k == 0 && control->has_open_start && i < n; i++)
            x[control_start_velocity_at(control) + i] = (double)v[i];
    }
    x[control_step_at(control)] = (double)control->h;
}

static void fill_inputs(const struct path *path, struct splitmix *stream, bool is_random,
                        double *x) {
    const struct control *control = path->control;
    const struct noe_transcription *t = control->transcription;
    double size[2 * WAVES];
    for (int i = 0; i < t->m; i++) {
        const real width = t->bounds.u_max[i] - t->bounds.u_min[i];
        const double scale =
            is_random && real_is_finite(width) && width < 1e6 ? 0.25 * (double)width : 0;
        for (int j = 0; j < WAVES; j++) size[j] = scale * splitmix_uniform(stream) / (j + 1);
        for (long k = 0; k < control->N; k++) {
            for (int j = 0; j < t->ninputs; j++) {
                const real part = (k + control_input_place(control, j)) / control->N;
                real u = 0;
                for (int l = 0; l < WAVES; l++)
                    u += (real)size[l] * noe_sin(M_PI * (l + 1) * (double)part);
                transcription_guess(t, control->from + part * control->N * control->h, path->guess,
                                    path->input);
                if (path->input[i] == path->input[i]) u = path->input[i];
                x[k * control->stride + (2 + t->s) * t->n + j * t->m + i] =
                    (double)clamp(u, t->bounds.u_min[i], t->bounds.u_max[i]);
            }
        }
    }
}

/* Clamps the configurations to their bounds. */
static void clamp_points(const struct control *control, real *q) {
    const struct noe_transcription *t = control->transcription;
    if (control->model->system->factors) return;
    for (long k = 0; k <= control->N; k++)
        for (int i = 0; i < t->n; i++)
            q[k * t->np + i] = clamp(q[k * t->np + i], t->bounds.q_min[i], t->bounds.q_max[i]);
}

size_t control_guess_room(const struct control *control) {
    const struct noe_transcription *t = control->transcription;
    const size_t n = (size_t)t->n, np = (size_t)t->np;
    return (4 + WAVES) * n + 3 * np + (size_t)t->m + (size_t)(control->N + 1) * np + 1;
}

void control_guess(struct control *control, long start, unsigned long seed, double *x) {
    const struct noe_transcription *t = control->transcription;
    const size_t n = (size_t)t->n, np = (size_t)t->np;
    struct splitmix stream = splitmix_open(seed, start);
    struct path path = {.control = control, .start = (real *)control->model->q};
    control_list_factors(&path.factors, control->model->system);
    memset(control->guess, 0, control_guess_room(control) * sizeof *control->guess);
    memset(x, 0, (size_t)control->nx * sizeof *x);
    path.way = control->guess;
    path.wave = path.way + n;
    path.increment = path.wave + WAVES * n;
    path.guess = path.increment + n;
    path.input = path.guess + np;
    real *scale = path.input + t->m, *end = scale + n, *q = end + np;
    end_point(control, end);
    difference(&path.factors, EXPONENTIAL, path.way, control->model->q, end);
    scales(control, path.way, scale);
    if (start > 0) make_waves(&stream, t->n, scale, path.wave);
    for (long k = 0; k <= control->N; k++) path_point(&path, k, q + (size_t)k * np);
    set_ends(control, q);
    clamp_points(control, q);
    set_references(control, q);
    control_set_bounds(control);
    fill_motion(control, &path.factors, q, x);
    fill_inputs(&path, &stream, start > 0, x);
}

void control_guess_from(struct control *control, const struct control *other, const double *other_x,
                        double *x) {
    const struct noe_transcription *t = control->transcription;
    const size_t np = (size_t)t->np;
    struct control_factors factors;
    control_list_factors(&factors, control->model->system);
    memset(x, 0, (size_t)control->nx * sizeof *x);
    real *q = control->guess; /* written before it is read */
    real *left = q + (size_t)(control->N + 1) * np, *right = left + np, *way = right + np;
    real *u = way + t->n;
    control->h = (real)other_x[other->nx - 1] * other->N / control->N;
    for (long k = 0; k <= control->N; k++) {
        const real where = (real)k * other->N / control->N;
        long at = (long)where;
        if (at == other->N) at--;
        control_point(other, other_x, at, left);
        control_point(other, other_x, at + 1, right);
        difference(&factors, EXPONENTIAL, way, left, right);
        for (int i = 0; i < t->n; i++) way[i] *= where - at;
        product_retract(control->model->system, EXPONENTIAL, q + (size_t)k * np, left, way);
        if (k == control->N) continue;
        for (int j = 0; j < t->ninputs; j++) {
            const real middle = (k + control_input_place(control, j)) * other->N / control->N;
            at = (long)middle < other->N ? (long)middle : other->N - 1;
            control_input(other, other_x, at, middle - at, u);
            for (int i = 0; i < t->m; i++)
                x[k * control->stride + (2 + t->s) * t->n + j * t->m + i] =
                    (double)clamp(u[i], t->bounds.u_min[i], t->bounds.u_max[i]);
        }
    }
    set_ends(control, q);
    set_references(control, q);
    control_set_bounds(control);
    fill_motion(control, &factors, q, x);
}
