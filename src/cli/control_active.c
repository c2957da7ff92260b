/* Active bounds of an optimal control problem. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/coordinate_names.h"
#include "cli/control.h"
#include "study/control/control_block.h"

static const double near = 1e-6, pull_least = 1e-7; /* relative; smallest multiplier */

struct list {
    const struct control_run *run;
    int count;
    struct control_active *active;
};

static bool is_at(double value, double bound) {
    return isfinite(bound) && fabs(value - bound) <= near * (1 + fabs(bound));
}

static bool is_active(const struct control_run *run, int variable, bool at_most) {
    const struct control *control = &run->control;
    const double bound = at_most ? control->x_most[variable] : control->x_least[variable];
    const double z = at_most ? run->solution.z_most[variable] : run->solution.z_least[variable];
    if (control->x_least[variable] == control->x_most[variable]) return false;
    return is_at(run->solution.x[variable], bound) && z > pull_least;
}

static bool is_path_active(const struct control_run *run, long row, bool at_most) {
    const struct control *control = &run->control;
    const double bound = at_most ? control->g_most[row] : control->g_least[row];
    const double pull = at_most ? run->solution.lambda[row] : -run->solution.lambda[row];
    return is_at(run->solution.g[row], bound) && pull > pull_least;
}

static void tell(struct list *list, const char *name, bool at_most, real bound, int hits,
                 const char *where, long of) {
    if (!hits || list->count == CONTROL_ACTIVE_MAX) return;
    snprintf(list->active[list->count++].text, CONTROL_ACTIVE_ROOM, "%.150s %s %g %s %d of %ld",
             name, at_most ? "<=" : ">=", (double)bound, where, hits, of);
}

/* Number of active bounds over intervals or nodes, for `copies` variables `apart` from each
 * other. */
static int count_active(const struct control_run *run, int first, int copies, int apart,
                        bool at_most) {
    int count = 0;
    for (long k = 0; k < run->control.N; k++)
        for (int j = 0; j < copies; j++)
            count += is_active(run, (int)k * run->control.stride + first + j * apart, at_most);
    return count;
}

static void list_controls(struct list *list, bool at_most) {
    const struct noe_transcription *t = list->run->control.transcription;
    for (int c = 0; c < t->ncontrols; c++)
        for (int i = 0; i < t->control[c].rows; i++) {
            const int at = t->control[c].first + i;
            char name[160], index[48];
            coordinate_index_text(t->control[c].rank, 1, i, sizeof index, index);
            snprintf(name, sizeof name, "%.100s%s", t->control[c].name, index);
            tell(list, name, at_most, at_most ? t->bounds.u_max[at] : t->bounds.u_min[at],
                 count_active(list->run, (2 + t->s) * t->n + at, t->ninputs, t->m, at_most), "in",
                 list->run->control.N * t->ninputs);
        }
}

/* Coordinates of R^n and their velocities. Bounds of other quantities are path constraints. */
static void list_coordinates(struct list *list, bool at_most) {
    const struct control *control = &list->run->control;
    const struct noe_transcription *t = control->transcription;
    const struct noe_model *model = list->run->plan.model;
    for (int i = 0, at = 0, index = 0; i < t->n; i++) {
        char name[160], indices[48];
        at = coordinate_find(model->ncoordinates, model->coordinate, true, i, at, &index);
        const struct noe_coordinate *coordinate = &model->coordinate[at];
        coordinate_index_text(coordinate->tangent.rank, coordinate->tangent.cols, index,
                              sizeof indices, indices);
        snprintf(name, sizeof name, "%.100s%s", coordinate->name, indices);
        const int last = (int)control->N * control->stride + i;
        tell(list, name, at_most, at_most ? t->bounds.q_max[i] : t->bounds.q_min[i],
             count_active(list->run, i, 1, 1, at_most) + is_active(list->run, last, at_most),
             "at nodes", control->N + 1);
        snprintf(name, sizeof name, "%.100s'%s", coordinate->name, indices);
        tell(list, name, at_most, at_most ? t->bounds.v_max[i] : t->bounds.v_min[i],
             count_active(list->run, 2 * t->n + i, t->s, t->n, at_most), "in", control->N * t->s);
    }
}

static void list_paths(struct list *list, bool at_most) {
    const struct control *control = &list->run->control;
    const struct noe_transcription *t = control->transcription;
    for (int i = 0; i < t->npaths; i++) {
        int hits = 0;
        for (long k = 0; k < control->N * t->s; k++) {
            const long row = control_path_row(control, k / t->s) + k % t->s * t->npaths;
            hits += is_path_active(list->run, row + i, at_most);
        }
        tell(list, t->path[i].text, at_most, at_most ? t->path[i].max : t->path[i].min, hits, "in",
             control->N * t->s);
    }
}

int control_list_active(const struct control_run *run, struct control_active *active) {
    const struct control *control = &run->control;
    const struct noe_transcription *t = control->transcription;
    struct list list = {run, 0, active};
    for (int side = 0; side < 2; side++) {
        list_controls(&list, side == 1);
        list_coordinates(&list, side == 1);
        list_paths(&list, side == 1);
        tell(&list, "end time", side == 1, side ? t->horizon.end_max : t->horizon.end_min,
             is_active(run, control->nx - 1, side == 1), "in", 1);
    }
    return list.count;
}
