/* What an optimal control problem has to tell: JSON, a summary, a file of nodes. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinate.h"
#include "cli/control.h"
#include "output/json.h"
#include "study/columns.h"

enum { MINIMA_SHOWN = 12, NAME_ROOM = 240 };

/* --- Bounds that are active: the multiplier says that moving them would change the cost. */

struct active {
    char text[NAME_ROOM];
};

static bool is_active(const struct control_run *run, int variable, bool at_most) {
    const struct control *control = &run->control;
    const double bound = at_most ? control->x_most[variable] : control->x_least[variable];
    const double z = at_most ? run->solution.z_most[variable] : run->solution.z_least[variable];
    if (!isfinite(bound) || control->x_least[variable] == control->x_most[variable]) return false;
    return fabs(run->solution.x[variable] - bound) <= 1e-6 * (1 + fabs(bound)) && z > 1e-7;
}

/* Counts, over intervals, how often one of `copies` numbers `apart` from each other is active. */
static int count_active(const struct control_run *run, int first, int copies, int apart,
                        bool at_most) {
    int count = 0;
    for (long k = 0; k < run->control.N; k++)
        for (int j = 0; j < copies; j++)
            count += is_active(run, (int)k * run->control.stride + first + j * apart, at_most);
    return count;
}

/* Writes the bounds of controls and of coordinates that are active; returns their number. */
static int list_active(const struct control_run *run, int most, struct active *active) {
    const struct noe_transcription *t = run->control.transcription;
    const struct noe_model *model = run->plan.model;
    int count = 0;
    for (int c = 0; c < t->ncontrols; c++)
        for (int i = 0; i < t->control[c].rows; i++)
            for (int side = 0; side < 2 && count < most; side++) {
                const int at = t->control[c].first + i;
                const int hits = count_active(run, (2 + t->s) * t->n + at, t->s, t->m, side == 1);
                char index[48];
                if (!hits) continue;
                coordinate_index_text(t->control[c].rank, 1, i, sizeof index, index);
                snprintf(active[count++].text, NAME_ROOM, "%.100s%s %s %g in %d of %ld",
                         t->control[c].name, index,
                         side ? "<=" : ">=", (double)(side ? t->most[at] : t->least[at]), hits,
                         run->control.N * t->s);
            }
    for (int i = 0, at = 0, index = 0; i < t->n && !model->system->factors; i++)
        for (int side = 0; side < 2 && count < most; side++) {
            const int hits = count_active(run, i, 1, 1, side == 1);
            char indices[48];
            if (!hits) continue;
            at = coordinate_find(model->ncoordinates, model->coordinate, false, i, at, &index);
            coordinate_index_text(model->coordinate[at].point.rank,
                                  model->coordinate[at].point.cols, index, sizeof indices, indices);
            snprintf(active[count++].text, NAME_ROOM, "%.100s%s %s %g at %d of %ld nodes",
                     model->coordinate[at].name, indices,
                     side ? "<=" : ">=", (double)(side ? t->q_most[i] : t->q_least[i]), hits,
                     run->control.N + 1);
        }
    return count;
}

/* --- JSON. */

/* Numbers of all nodes under the names of the coordinates: a number, or an array, for each. */
static void write_nodes(struct json *json, const char *key, const struct control_run *run,
                        bool of_velocity, const real *nodes, int count) {
    const struct noe_model *model = run->plan.model;
    json_object(json, key);
    for (int i = 0; i < model->ncoordinates; i++) {
        const struct noe_place *place =
            of_velocity ? &model->coordinate[i].tangent : &model->coordinate[i].point;
        json_array(json, model->coordinate[i].name);
        for (long k = 0; k <= run->control.N; k++) {
            const real *at = nodes + k * count + place->first;
            if (place->rank == 0)
                json_real(json, NULL, *at);
            else if (place->rank == 1)
                json_vector(json, NULL, place->rows, at);
            else
                json_array(json, NULL);
            for (int r = 0; place->rank > 1 && r < place->rows; r++)
                json_vector(json, NULL, place->cols, at + r * place->stride);
            if (place->rank > 1) json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

/* The control of one stage: a number, or an array of them. */
static void write_control(struct json *json, const struct noe_control *control,
                          const double *stage) {
    if (control->rank) json_array(json, NULL);
    for (int i = 0; i < control->rows; i++) json_real(json, NULL, (real)stage[control->first + i]);
    if (control->rank) json_end(json);
}

/* A value for each interval, or an array of those of its stages. */
static void write_controls(struct json *json, const struct control_run *run) {
    const struct control *control = &run->control;
    const struct noe_transcription *t = control->transcription;
    json_object(json, "u");
    for (int c = 0; c < t->ncontrols; c++) {
        json_array(json, t->control[c].name);
        for (long k = 0; k < control->N; k++) {
            const double *stage = run->solution.x + k * control->stride + (2 + t->s) * t->n;
            if (t->s > 1) json_array(json, NULL);
            for (int j = 0; j < t->s; j++) write_control(json, &t->control[c], stage + j * t->m);
            if (t->s > 1) json_end(json);
        }
        json_end(json);
    }
    json_end(json);
}

static void write_path(struct json *json, const struct control_run *run) {
    const struct control *control = &run->control;
    const int n = control->transcription->n, np = control->transcription->np;
    const double *x = run->solution.x;
    const size_t nodes = (size_t)control->N + 1;
    real *q = malloc(nodes * (size_t)(np + n) * sizeof *q + sizeof *q), *p = q + nodes * (size_t)np;
    json_array(json, "time");
    for (long k = 0; k <= control->N; k++) json_real(json, NULL, control_time(control, x, k));
    json_end(json);
    if (!q) return;
    for (long k = 0; k <= control->N; k++) {
        control_point(control, x, k, q + k * np);
        for (int i = 0; i < n; i++) p[k * n + i] = (real)control_momentum(control, x, k)[i];
    }
    write_nodes(json, "q", run, false, q, np);
    write_nodes(json, "p", run, true, p, n);
    free(q);
    write_controls(json, run);
}

static void write_minima(struct json *json, const struct control_run *run) {
    json_array(json, "minima");
    for (int i = 0; i < run->nminima; i++) {
        json_object(json, NULL);
        json_real(json, "cost", (real)run->minimum[i].cost);
        json_integer(json, "hits", run->minimum[i].hits);
        json_end(json);
    }
    if (!run->nminima && run->solution.status == NOE_OK) {
        json_object(json, NULL);
        json_real(json, "cost", (real)run->solution.cost);
        json_integer(json, "hits", 1);
        json_end(json);
    }
    json_end(json);
}

void control_print_json(const struct control_run *run) {
    const struct control_solution *solution = &run->solution;
    struct active active[32];
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "model", run->plan.model->title);
    json_string(&json, "status", solution->status == NOE_OK ? "ok" : solution->words);
    json_real(&json, "cost", (real)solution->cost);
    json_real(&json, "kkt_error", (real)solution->kkt_error);
    json_real(&json, "violation", (real)solution->violation);
    json_integer(&json, "iterations", solution->iterations);
    json_integer(&json, "steps", run->control.N);
    write_path(&json, run);
    json_array(&json, "active_bounds");
    const int count = list_active(run, 32, active);
    for (int i = 0; i < count; i++) json_string(&json, NULL, active[i].text);
    json_end(&json);
    write_minima(&json, run);
    json_object(&json, "hamiltonian");
    json_real(&json, "first", (real)solution->hamiltonian[0]);
    json_real(&json, "spread", (real)solution->hamiltonian_spread);
    json_end(&json);
    json_object(&json, "replay");
    json_real(&json, "final_error", solution->replay_error);
    json_end(&json);
    json_real(&json, "wall_seconds", (real)solution->seconds);
    json_real(&json, "derivative_seconds", (real)solution->seconds_in_derivatives);
    json_end(&json);
    const char *text = json_text(&json);
    if (text) fputs(text, stdout);
    json_clear(&json);
}

/* --- For people. */

static void print_minima(const struct control_run *run) {
    long failed = 0;
    if (run->starts < 2) return;
    for (long i = 0; i < run->starts; i++) failed += run->outcome[i].status != NOE_OK;
    printf("\n  %ld starts, %ld without a minimum; local minima found\n", run->starts, failed);
    for (int i = 0; i < run->nminima && i < MINIMA_SHOWN; i++)
        printf("    %-20.12g %d time%s\n", run->minimum[i].cost, run->minimum[i].hits,
               run->minimum[i].hits > 1 ? "s" : "");
    if (run->nminima > MINIMA_SHOWN) printf("    and %d more\n", run->nminima - MINIMA_SHOWN);
}

void control_print_summary(const struct control_run *run) {
    const struct control_solution *solution = &run->solution;
    const struct control *control = &run->control;
    struct active active[32];
    printf("%s\n  %s, %ld intervals of %.6g up to t = %.6g\n\n", run->plan.model->title,
           run->plan.method, control->N, solution->x[control->nx - 1],
           (double)control_time(control, solution->x, control->N));
    printf("  %-20s %s, after %d iterations\n", "result", solution->words, solution->iterations);
    printf("  %-20s %.15g\n", "cost", solution->cost);
    printf("  %-20s %.3g (violation of equations and bounds %.3g)\n", "KKT error",
           solution->kkt_error, solution->violation);
    const int count = list_active(run, 32, active);
    for (int i = 0; i < count; i++)
        printf("  %-20s %s\n", i ? "" : "active bounds", active[i].text);
    if (!count) printf("  %-20s none\n", "active bounds");
    printf("  %-20s %.9g, within %.3g\n", "Hamiltonian", solution->hamiltonian[0],
           solution->hamiltonian_spread);
    if (solution->replay_error == solution->replay_error)
        printf("  %-20s these controls in the continuous dynamics end %.3g away\n", "replay",
               (double)solution->replay_error);
    else
        printf("  %-20s these controls in the continuous dynamics could not be followed\n",
               "replay");
    print_minima(run);
    printf("\n  %-20s %.3g s, of which %.3g s in derivatives; %d unknowns, %d equations\n", "time",
           solution->seconds, solution->seconds_in_derivatives, control->nx, control->ng);
}

/* --- The file. */

/* Column names: those of t, q, p from a run, and controls and costates. */
struct names {
    int count;
    char **text;
    bool failed;
};

static void add_name(struct names *names, const char *prefix, const char *name, const char *index) {
    char **larger = realloc(names->text, ((size_t)names->count + 1) * sizeof *larger);
    char text[NAME_ROOM];
    if (larger) names->text = larger;
    snprintf(text, sizeof text, "%s%.100s%s", prefix, name, index);
    char *copy = larger ? strdup(text) : NULL;
    if (!copy) {
        names->failed = true;
        return;
    }
    names->text[names->count++] = copy;
}

static void add_coordinates(struct names *names, const struct noe_model *model, bool of_velocity,
                            const char *prefix, int count) {
    for (int i = 0, at = 0, index = 0; i < count; i++) {
        char indices[48];
        at = coordinate_find(model->ncoordinates, model->coordinate, of_velocity, i, at, &index);
        const struct noe_coordinate *coordinate = &model->coordinate[at];
        const struct noe_place *place = of_velocity ? &coordinate->tangent : &coordinate->point;
        coordinate_index_text(place->rank, place->cols, index, sizeof indices, indices);
        add_name(names, prefix, coordinate->name, indices);
    }
}

static struct names list_names(const struct control_run *run) {
    const struct noe_transcription *t = run->control.transcription;
    const struct noe_model *model = run->plan.model;
    struct names names = {0};
    add_name(&names, "", "t", "");
    add_coordinates(&names, model, false, "", t->np);
    add_coordinates(&names, model, true, "p_", t->n);
    for (int c = 0; c < t->ncontrols; c++)
        for (int i = 0; i < t->control[c].rows; i++) {
            char index[48];
            coordinate_index_text(t->control[c].rank, 1, i, sizeof index, index);
            add_name(&names, "", t->control[c].name, index);
        }
    add_coordinates(&names, model, true, "costate_", t->n);
    add_coordinates(&names, model, true, "costate_p_", t->n);
    return names;
}

static enum noe_status write_rows(const struct control_run *run, const struct noe_format *format,
                                  void *file, real *row, struct noe_error *error) {
    const struct control *control = &run->control;
    const struct noe_transcription *t = control->transcription;
    const double *x = run->solution.x;
    enum noe_status status = NOE_OK;
    for (long k = 0; k <= control->N && status == NOE_OK; k++) {
        const bool is_end = k == control->N;
        real *p = row + 1 + t->np, *u = p + t->n, *costate = u + t->m;
        row[0] = control_time(control, x, k);
        control_point(control, x, k, row + 1);
        for (int i = 0; i < t->n; i++) p[i] = (real)control_momentum(control, x, k)[i];
        control_input(control, x, is_end ? k - 1 : k, is_end, u);
        control_costate(control, &run->solution, k, costate);
        status = format->row(file, row, error);
    }
    return status;
}

int control_record(const struct control_run *run) {
    const struct noe_format *format = noe_format_find(run->settings->output);
    struct names names = list_names(run);
    struct noe_error error = {0};
    void *file = NULL;
    char settings[64];
    snprintf(settings, sizeof settings, "steps=%ld", run->control.N);
    const struct noe_record_header header = {.model_title = run->plan.model->title,
                                             .model_text = run->plan.model->text,
                                             .method = run->plan.method,
                                             .settings = settings,
                                             .ncolumns = names.count,
                                             .column = (const char *const *)names.text};
    real *row = calloc((size_t)names.count + 1, sizeof *row);
    enum noe_status status = row && !names.failed ? NOE_OK : NOE_NO_MEMORY;
    if (status == NOE_OK) status = format->open(&file, run->settings->output, &header, &error);
    if (status == NOE_OK) {
        status = write_rows(run, format, file, row, &error);
        const bool is_whole = run->solution.status == NOE_OK;
        if (status == NOE_OK)
            status = format->close(file, is_whole ? NULL : run->solution.words, &error);
        else
            format->discard(file);
    }
    columns_free(names.text, names.count);
    free(row);
    if (status == NOE_OK) return 0;
    cli_say("%s", error.text[0] ? error.text : "out of memory");
    return cli_exit_of(status);
}
