/* Boundary conditions and bounds of an optimal control problem. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinate_names.h"
#include "base/status.h"
#include "study/control/control_block.h"

#define FINAL_RESIDUAL_MAX 1e-10

/* The position of a pose is a variable in the body frame, so it can be given only as a whole. */
static enum noe_status check_pose(const struct noe_transcription *t, int point,
                                  struct noe_error *error) {
    for (int i = 10; i < 12; i++) {
        if (t->boundary.q_is_final[point + i] != t->boundary.q_is_final[point + 9])
            return status_set(error, NOE_BAD_INPUT,
                              "final: the position of a pose is given as a whole vector; for a "
                              "part of it add a term to 'terminal'");
        if (t->boundary.q_is_periodic[point + i] != t->boundary.q_is_periodic[point + 9])
            return status_set(error, NOE_BAD_INPUT,
                              "periodic: the position of a pose is periodic as a whole");
    }
    if (!t->boundary.q_is_periodic[point + 9] || t->boundary.q_is_periodic[point]) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT,
                      "periodic: the position of a pose is periodic with its rotation alone");
}

static const char *name_of(const struct control *control, int i, char *text, size_t size) {
    const struct noe_model *model = control->model;
    char indices[48];
    int index = 0;
    const int at = coordinate_find(model->ncoordinates, model->coordinate, false, i, 0, &index);
    const struct noe_array_layout *place = &model->coordinate[at].point;
    coordinate_index_text(place->rank, place->cols, index, sizeof indices, indices);
    snprintf(text, size, "%.100s%s", model->coordinate[at].name, indices);
    return text;
}

static bool is_outside(real value, real min, real max) { return value < min || value > max; }

/* Component i of R^n, which is component `point` of q. */
static enum noe_status check_number(const struct control *control, int i, int point,
                                    struct noe_error *error) {
    const struct noe_transcription *t = control->transcription;
    char name[160];
    name_of(control, point, name, sizeof name);
    const real min = t->bounds.q_min[i], max = t->bounds.q_max[i];
    if (min > max || t->bounds.v_min[i] > t->bounds.v_max[i])
        return status_set(error, NOE_BAD_INPUT, "contradictory bounds: no value of %s%s is in all",
                          name, min > max ? "" : "'");
    if (!t->boundary.q_is_periodic[point] && is_outside(control->model->q[point], min, max))
        return status_set(error, NOE_BAD_INPUT,
                          "contradictory bounds: the start %s = %g is not in [%g, %g]", name,
                          (double)control->model->q[point], (double)min, (double)max);
    if (t->boundary.q_is_final[point] && is_outside(t->boundary.q_final[point], min, max))
        return status_set(error, NOE_BAD_INPUT,
                          "contradictory bounds: the final %s = %g is not in [%g, %g]", name,
                          (double)t->boundary.q_final[point], (double)min, (double)max);
    return NOE_OK;
}

static enum noe_status check_horizon(const struct control *control, struct noe_error *error) {
    const struct noe_transcription *t = control->transcription;
    if (!(control->h > 0))
        return status_set(error, NOE_BAD_INPUT,
                          "the horizon is empty: 'until' is not behind the "
                          "start");
    if (!t->horizon.has_free_end || t->horizon.end_min > control->from) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT, "free until: %g is not behind the start, %g",
                      (double)t->horizon.end_min, (double)control->from);
}

static bool all(int count, const bool *flag) {
    for (int i = 0; i < count; i++)
        if (!flag[i]) return false;
    return true;
}

/* If the final configuration is given as a whole, its constraints must hold already: they are not
 * equations of the program. */
static enum noe_status check_constraints(const struct control *control, struct noe_error *error) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_system *system = control->model->system;
    const int nl = t->nmultipliers, n = t->n;
    if (nl == 0) return NOE_OK;
    if (control->nperiodic)
        return status_set(error, NOE_NOT_SERVED,
                          "'periodic' does not serve systems with constraints");
    if (!all(t->np, t->boundary.q_is_final)) return NOE_OK;
    real *c = calloc((size_t)(2 * nl + n + nl) + 1, sizeof *c), *v = c + 2 * nl, worst = 0;
    if (!c) return status_set(error, NOE_NO_MEMORY, "out of memory for the control problem");
    for (int i = 0; i < n; i++) v[i] = t->boundary.v_final[i];
    system->constraints(system, control->from + control->N * control->h, t->boundary.q_final, v, c);
    for (int i = 0; i < (all(n, t->boundary.v_is_final) ? 2 : 1) * nl; i++)
        worst = noe_max(worst, noe_abs(c[i]));
    free(c);
    if (worst <= (real)FINAL_RESIDUAL_MAX) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT,
                      "the final values break the constraints, by %.3g at most", (double)worst);
}

enum noe_status control_read_ends(struct control *control, struct noe_error *error) {
    const struct noe_transcription *t = control->transcription;
    struct control_factors factors;
    int point = 0, tangent = 0;
    enum noe_status status = check_horizon(control, error);
    control->periodic = malloc((2 * (size_t)t->n + 1) * sizeof(int));
    if (!control->periodic)
        return status_set(error, NOE_NO_MEMORY, "out of memory for the control problem");
    control_list_factors(&factors, control->model->system);
    for (int f = 0; f < factors.count && status == NOE_OK; f++) {
        const struct noe_factor *factor = &factors.factor[f];
        const int size = factor->size * factor->space->tangent;
        if (factor->space->kind.algebra == NOE_ALGEBRA_SE3) status = check_pose(t, point, error);
        for (int i = 0; i < size && status == NOE_OK; i++) {
            if (!factor->space->frame)
                status = check_number(control, tangent + i, point + i, error);
            if (t->boundary.q_is_periodic[point + control_number_of(factor, i)])
                control->periodic[control->nperiodic++] = tangent + i;
        }
        point += factor->size * factor->space->point;
        tangent += size;
    }
    for (int i = 0; i < t->n; i++)
        if (t->boundary.v_is_periodic[i]) control->periodic[control->nperiodic++] = 2 * t->n + i;
    control->has_open_start = control->nperiodic > 0;
    return status == NOE_OK ? check_constraints(control, error) : status;
}

static void fix(struct control *control, int variable, real value) {
    control->x_least[variable] = control->x_most[variable] = (double)value;
}

/* Fixes the initial configuration, if it is not periodic, and final values. On groups the reference
 * points of the nodes are those values. */
static void fix_points(struct control *control) {
    const struct noe_transcription *t = control->transcription;
    struct control_factors factors;
    const int last = (int)control->N * control->stride;
    int point = 0, tangent = 0;
    control_list_factors(&factors, control->model->system);
    for (int f = 0; f < factors.count; f++) {
        const struct noe_factor *factor = &factors.factor[f];
        const bool is_group = factor->space->frame != NULL;
        for (int i = 0; i < factor->size * factor->space->tangent; i++) {
            const int number = point + control_number_of(factor, i);
            if (!t->boundary.q_is_periodic[number])
                fix(control, tangent + i, is_group ? 0 : control->model->q[number]);
            if (t->boundary.q_is_final[number])
                fix(control, last + tangent + i, is_group ? 0 : t->boundary.q_final[number]);
        }
        point += factor->size * factor->space->point;
        tangent += factor->size * factor->space->tangent;
    }
}

/* Fixes velocities at the ends, and the initial momentum if the whole initial state is given. */
static void fix_velocities(struct control *control) {
    const struct noe_transcription *t = control->transcription;
    const struct noe_system *system = control->model->system;
    const struct noe_model *model = control->model;
    const int last = (int)control->N * control->stride;
    for (int i = 0; i < t->n; i++)
        if (t->boundary.v_is_final[i]) fix(control, last + 2 * t->n + i, t->boundary.v_final[i]);
    if (control->has_open_start) {
        for (int i = 0; i < t->n; i++)
            if (!t->boundary.v_is_periodic[i])
                fix(control, control_start_velocity_at(control) + i, model->v[i]);
        return;
    }
    real *p = control->values;
    system->first(system, control->from, model->q, model->v, p, p + t->n);
    for (int i = 0; i < t->n; i++) fix(control, t->n + i, p[i]);
}

/* Bounds of node k and of interval k. */
static void bound_node(struct control *control, long k) {
    const struct noe_transcription *t = control->transcription;
    const int n = t->n, m = t->m, stages = k < control->N ? t->s : 0;
    double *min = control->x_least + k * control->stride;
    double *max = control->x_most + k * control->stride;
    for (int i = 0; i < n; i++) {
        min[i] = (double)t->bounds.q_min[i];
        max[i] = (double)t->bounds.q_max[i];
    }
    for (int i = 0; i < stages * n; i++) {
        min[2 * n + i] = (double)t->bounds.v_min[i % n];
        max[2 * n + i] = (double)t->bounds.v_max[i % n];
    }
    for (int i = 0; i < (stages ? t->ninputs : 0) * m; i++) {
        min[(2 + t->s) * n + i] = (double)t->bounds.u_min[i % m];
        max[(2 + t->s) * n + i] = (double)t->bounds.u_max[i % m];
    }
    for (int i = 0; i < stages * t->npaths; i++) {
        const long row = control_path_row(control, k) + i;
        control->g_least[row] = (double)t->path[i % t->npaths].min;
        control->g_most[row] = (double)t->path[i % t->npaths].max;
    }
}

static void free_rows(struct control *control, long first, int count) {
    for (long i = first; i < first + count; i++) {
        control->g_least[i] = -INFINITY;
        control->g_most[i] = INFINITY;
    }
}

/* Removes constraint equations of the last node that the final values satisfy already. They would
 * be redundant. */
static void free_final_rows(struct control *control) {
    const struct noe_transcription *t = control->transcription;
    if (!all(t->np, t->boundary.q_is_final)) return;
    free_rows(control, control_path_row(control, control->N - 1) - t->nmultipliers,
              t->nmultipliers);
    if (all(t->n, t->boundary.v_is_final))
        free_rows(control, control->N * t->interval.nc + t->n, t->nmultipliers);
}

void control_set_bounds(struct control *control) {
    const struct noe_transcription *t = control->transcription;
    const int step = control_step_at(control);
    for (int i = 0; i < control->nx; i++) {
        control->x_least[i] = -INFINITY;
        control->x_most[i] = INFINITY;
    }
    for (int i = 0; i < control->ng; i++) control->g_least[i] = control->g_most[i] = 0;
    for (long k = 0; k <= control->N; k++) bound_node(control, k);
    fix_points(control);
    fix_velocities(control);
    free_final_rows(control);
    fix(control, step, control->h);
    if (!t->horizon.has_free_end) return;
    control->x_least[step] = (double)((t->horizon.end_min - control->from) / control->N);
    control->x_most[step] = (double)((t->horizon.end_max - control->from) / control->N);
}
