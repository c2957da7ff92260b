/* Reports of a minimisation: JSON, summary, file of iterates. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinate_names.h"
#include "cli/optimise.h"
#include "output/json_writer.h"
#include "study/trajectory_columns.h"

static void write_place(struct json *json, const char *name, const struct noe_array_layout *place,
                        const real *q) {
    const real *at = q + place->first;
    if (place->rank == 0) {
        json_real(json, name, *at);
    } else if (place->rank == 1) {
        json_vector(json, name, place->rows, at);
    } else {
        json_array(json, name);
        for (int r = 0; r < place->rows; r++)
            json_vector(json, NULL, place->cols, at + r * place->stride);
        json_end(json);
    }
}

static void write_point(struct json *json, const char *key, const struct optimise_run *run,
                        const real *q) {
    const struct noe_model *model = run->plan.model;
    json_object(json, key);
    for (int i = 0; i < model->ncoordinates; i++)
        write_place(json, model->coordinate[i].name, &model->coordinate[i].point, q);
    json_end(json);
}

static void write_observed(struct json *json, const struct optimise_run *run) {
    const struct noe_system *system = run->plan.model->system;
    real *values = malloc(((size_t)system->nvalues + 1) * sizeof *values);
    if (values && run->objective->observe) {
        run->objective->observe(run->objective, run->q, values);
        json_object(json, "observe");
        for (int i = 0; i < system->nquantities; i++) {
            const struct noe_quantity *quantity = &system->quantity[i];
            const real *at = values + quantity->first;
            if (quantity->rows * quantity->cols == 1)
                json_real(json, quantity->name, *at);
            else if (quantity->cols == 1)
                json_vector(json, quantity->name, quantity->rows, at);
            else
                json_matrix(json, quantity->name, quantity->rows, quantity->cols, at);
        }
        json_end(json);
    }
    free(values);
}

static void write_trace(struct json *json, const char *key, const struct optimise_run *run,
                        int which) {
    json_array(json, key);
    for (long k = 0; k < run->count; k++) json_real(json, NULL, run->trace[2 * k + which]);
    json_end(json);
}

int optimise_print_json(const struct optimise_run *run) {
    struct json json;
    const struct noe_descent_result *result = &run->result;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "model", run->plan.model->title);
    json_string(&json, "method", run->plan.method);
    json_string(&json, "status", cli_status_word(run->error.status));
    json_string(&json, "message", run->error.status == NOE_OK ? "" : run->error.text);
    json_integer(&json, "iterations", result->iterations);
    json_real(&json, "value", result->value);
    json_real(&json, "gradient_norm", result->gradient_norm);
    write_point(&json, "start", run, run->plan.model->q);
    write_point(&json, "final", run, run->q);
    write_observed(&json, run);
    json_real(&json, "curvature_max", result->curvature);
    json_integer(&json, "clipped", result->clipped);
    json_real(&json, "wall_seconds", (real)run->seconds);
    write_trace(&json, "trace", run, 0);
    write_trace(&json, "gradient_trace", run, 1);
    json_end(&json);
    return cli_print_json(&json);
}

static void print_place(const char *name, const struct noe_array_layout *place, const real *q) {
    const int rows = place->rank > 1 ? place->rows : 1;
    const int cols = place->rank > 1 ? place->cols : place->rows;
    for (int r = 0; r < rows; r++) {
        printf("  %-20s", r ? "" : name);
        for (int c = 0; c < cols; c++)
            printf(" %17.12g", (double)q[place->first + r * (rows > 1 ? place->stride : 0) + c]);
        putchar('\n');
    }
}

/* Prints the iterates 0, 1, 2, 5, 10, 20, 50, ... and the last. */
static void print_trace(const struct optimise_run *run) {
    const real last = run->trace[2 * run->count - 2];
    printf("\n  %12s %22s %12s %12s\n", "iteration", "value", "above last", "gradient");
    for (long k = 0, next = 0; k < run->count; k++) {
        if (k != next && k != run->count - 1) continue;
        const real value = run->trace[2 * k];
        printf("  %12ld %22.15g %12.3g %12.3g\n", k, (double)value, (double)(value - last),
               (double)run->trace[2 * k + 1]);
        long digit = next;
        while (digit >= 10) digit /= 10;
        if (k == next) next = next == 0 ? 1 : digit == 2 ? next / 2 * 5 : 2 * next;
    }
}

void optimise_print_summary(const struct optimise_run *run) {
    const struct noe_descent_result *result = &run->result;
    const struct noe_model *model = run->plan.model;
    cli_print("%s\n  %s: effective step %.4g, momentum %.4g\n\n", model->title, run->plan.method,
              (double)result->rate.step, (double)result->rate.momentum);
    printf("  %-20s %s after %ld iterations\n", "result",
           run->error.status == NOE_OK ? "a stationary point" : "no minimum", result->iterations);
    printf("  %-20s %.15g\n", "value", (double)result->value);
    printf("  %-20s %.3g\n", "gradient", (double)result->gradient_norm);
    for (int i = 0; i < model->ncoordinates; i++)
        print_place(model->coordinate[i].name, &model->coordinate[i].point, run->q);
    printf("  %-20s up to %.4g along the path\n", "curvature", (double)result->curvature);
    if (result->clipped)
        printf("  %-20s %ld iterations exceeded the largest rotation and were clipped to a right "
               "angle\n",
               "clipped", result->clipped);
    print_trace(run);
    printf("\n  %-20s %.3g s\n", "time", run->seconds);
}

struct names {
    int count;
    char **text;
    bool failed;
};

static void add_name(struct names *names, const char *name, const char *index) {
    const size_t size = strlen(name) + strlen(index) + 1;
    char **larger = realloc(names->text, ((size_t)names->count + 1) * sizeof *larger);
    char *text = malloc(size);
    if (larger) names->text = larger;
    if (!larger || !text) {
        free(text);
        names->failed = true;
        return;
    }
    snprintf(text, size, "%s%s", name, index);
    names->text[names->count++] = text;
}

static struct names list_names(const struct optimise_run *run) {
    const struct noe_model *model = run->plan.model;
    struct names names = {0};
    char index[48];
    add_name(&names, "iteration", "");
    add_name(&names, "value", "");
    add_name(&names, "gradient_norm", "");
    for (int i = 0, at = 0, within = 0; i < run->objective->np; i++) {
        at = coordinate_find(model->ncoordinates, model->coordinate, false, i, at, &within);
        const struct noe_coordinate *coordinate = &model->coordinate[at];
        coordinate_index_text(coordinate->point.rank, coordinate->point.cols, within, sizeof index,
                              index);
        add_name(&names, coordinate->name, index);
    }
    for (int i = 0; i < model->system->nquantities; i++) {
        const struct noe_quantity *quantity = &model->system->quantity[i];
        const int rank = quantity->cols > 1 ? 2 : quantity->rows > 1 ? 1 : 0;
        for (int k = 0; k < quantity->rows * quantity->cols; k++) {
            coordinate_index_text(rank, quantity->cols, k, sizeof index, index);
            add_name(&names, quantity->name, index);
        }
    }
    return names;
}

int optimise_open_file(struct optimise_run *run) {
    const char *path = run->settings->output;
    struct noe_error error = {0};
    if (!path) return 0;
    const int exit = run_setup_format(path, &run->format);
    if (exit) return exit;
    char settings[64];
    snprintf(settings, sizeof settings, "tolerance=%g", (double)run->tolerance);
    struct names names = list_names(run);
    const struct noe_record_header header = {.model_title = run->plan.model->title,
                                             .model_text = run->plan.model->text,
                                             .method = run->plan.method,
                                             .settings = settings,
                                             .ncolumns = names.count,
                                             .column = (const char *const *)names.text};
    run->row = calloc((size_t)names.count + 1, sizeof *run->row);
    enum noe_status status = run->row && !names.failed ? NOE_OK : NOE_NO_MEMORY;
    if (status == NOE_OK) status = run->format->open(&run->file, path, &header, &error);
    columns_free(names.text, names.count);
    if (status == NOE_OK) return 0;
    run->file = NULL;
    cli_say("%s", error.text[0] ? error.text : "out of memory");
    return cli_exit_of(status);
}
