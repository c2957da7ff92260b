/* Tangent dynamics (variational equation, sensitivity to the start): Lyapunov exponents and MEGNO
 * of the discrete flow. */
/* SPDX-License-Identifier: MIT */
#include "study/tangent_dynamics.h"

#include <string.h>

#include "base/splitmix.h"
#include "base/status.h"
#include "methods/method.h"

int tangent_count(const struct noe_system *system) {
    int count = 0;
    for (int i = 0; i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        const int last = quantity->tangent == NOE_LYAPUNOV ? quantity->exponent + quantity->rows - 1
                                                           : quantity->tangent == NOE_MEGNO;
        if (last > count) count = last;
    }
    return count;
}

enum noe_status tangent_check(const struct noe_problem *problem, struct noe_error *error) {
    const struct noe_method_info *method = problem->method;
    const char *why =
        problem->traits & NOE_ADAPTIVE    ? "chooses its own steps, whose lengths depend "
                                            "on the state"
        : problem->traits & NOE_MULTISTEP ? "remembers more than (q,p) from step to step"
        : problem->system->nnonholonomic
            ? "keeps constraints of velocities here, with reactions that it carries"
        : !problem->internals->scheme->tangent || problem->internals->has_no_derivative
            ? "gives no derivative of a step"
            : NULL;
    if (!why || !tangent_count(problem->system)) return NOE_OK;
    return status_set(
        error, NOE_NOT_SERVED,
        "lyapunov and megno follow from the derivative of a step in (q,p), and %s %s; "
        "take another method, for example midpoint or lobatto",
        method->name, why);
}

void tangent_layout(struct tangent *tangent, struct arena *arena, const struct noe_system *system) {
    const size_t n = (size_t)system->n;
    tangent->system = system;
    tangent->count = tangent_count(system);
    /* room for 2n vectors, because the frame is built as a whole */
    tangent->vector = arena_reals(arena, tangent->count ? 4 * n * n : 0);
    tangent->sum = arena_reals(arena, (size_t)tangent->count);
}

static real dot(int size, const real *x, const real *y) {
    real sum = 0;
    for (int i = 0; i < size; i++) sum += x[i] * y[i];
    return sum;
}

static void subtract(int size, real *x, real factor, const real *y) {
    for (int i = 0; i < size; i++) x[i] -= factor * y[i];
}

/* J (dq, dp) = (-dp, dq), the matrix of the symplectic form. */
static void turn(int n, const real *x, real *turned) {
    for (int i = 0; i < n; i++) {
        turned[i] = -x[n + i];
        turned[n + i] = x[i];
    }
}

/* Orthonormal symplectic frame: n vectors x_j such that each x_j and J x_j is orthogonal to the
 * others, then J x_n .. J x_1. In this order A = Q R of a symplectic A has R_jj R_kk = 1 for k = 2n
 * + 1 - j (Iwasawa decomposition, 1949), so the exponents form pairs at every time and not only in
 * the limit. */
static void make_frame(int n, real *frame) {
    struct splitmix random = splitmix_open(1, 0);
    for (int j = 0; j < n; j++) {
        real *x = frame + 2 * n * j, *partner = frame + 2 * n * (2 * n - 1 - j);
        for (int i = 0; i < 2 * n; i++) x[i] = (real)splitmix_normal(&random);
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < j; k++) {
                const real *y = frame + 2 * n * k, *z = frame + 2 * n * (2 * n - 1 - k);
                subtract(2 * n, x, dot(2 * n, x, y), y);
                subtract(2 * n, x, dot(2 * n, x, z), z);
            }
        const real size = noe_sqrt(dot(2 * n, x, x));
        for (int i = 0; i < 2 * n; i++) x[i] /= size;
        turn(n, x, partner);
    }
}

void tangent_start(struct tangent *tangent, real t) {
    if (!tangent->count) return;
    make_frame(tangent->system->n, tangent->vector);
    for (int j = 0; j < tangent->count; j++) tangent->sum[j] = 0;
    tangent->steps = tangent->left_out = 0;
    tangent->weighted = tangent->mean = 0;
    tangent->t_start = tangent->t = t;
}

/* A = Q R by the Gram-Schmidt process, repeated once for orthogonality to round-off. Adds log R_jj
 * to the sums if `counts`. False if a vector is not finite or has vanished. */
static bool orthonormalise(struct tangent *tangent, bool counts) {
    const int size = 2 * tangent->system->n;
    for (int j = 0; j < tangent->count; j++) {
        real *x = tangent->vector + j * size;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < j; k++) {
                const real *y = tangent->vector + k * size;
                subtract(size, x, dot(size, x, y), y);
            }
        const real length = noe_sqrt(dot(size, x, x));
        if (!(length > 0) || !real_is_finite(length)) return false;
        for (int i = 0; i < size; i++) x[i] /= length;
        if (!counts) continue;
        const real growth = noe_log(length);
        tangent->sum[j] += growth;
        if (j == 0) tangent->weighted += (real)(tangent->steps + 1) * growth;
    }
    return true;
}

/* With constraints, the first step projects every variation onto the constraints at its end, and
 * the second one removes variations that violate them. Growth is measured after these steps. */
enum { CONSTRAINED_STEPS = 2 };

/* MEGNO of a map (Cincotta, Giordano and Simo 2003): Y_m = 2/m sum over k <= m of k log R_11(k),
 * and its mean over m. */
enum noe_status tangent_step(struct tangent *tangent, struct noe_work *work,
                             struct noe_error *error) {
    const enum noe_status status =
        noe_work_step_tangent(work, tangent->count, tangent->vector, error);
    if (status != NOE_OK) return status;
    const bool counts = !tangent->system->nholonomic || tangent->left_out == CONSTRAINED_STEPS;
    if (!orthonormalise(tangent, counts))
        return status_set(error, NOE_NOT_FINITE,
                          "step %ld: the derivative of the step is singular or not finite",
                          noe_work_state(work)->k);
    if (!counts) {
        tangent->left_out++;
        tangent->t_start = noe_work_state(work)->t;
        return NOE_OK;
    }
    tangent->steps++;
    tangent->mean += 2 * tangent->weighted / (real)tangent->steps;
    tangent->t = noe_work_state(work)->t;
    return NOE_OK;
}

void tangent_show(const struct tangent *tangent, real *values) {
    const struct noe_system *system = tangent->system;
    const real time = tangent->t - tangent->t_start;
    for (int i = 0; tangent->count && i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        if (tangent->steps == 0 || !quantity->tangent) continue; /* the values are zero */
        if (quantity->tangent == NOE_MEGNO)
            values[quantity->first] = tangent->mean / (real)tangent->steps;
        for (int k = 0; quantity->tangent == NOE_LYAPUNOV && k < quantity->rows; k++)
            values[quantity->first + k] = tangent->sum[quantity->exponent - 1 + k] / time;
    }
}
