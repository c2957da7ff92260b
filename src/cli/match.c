/* noether match: the rotation that aligns one shape on the sphere with another. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/match.h"
#include "output/json_writer.h"
#include "study/shape/shape.h"

enum { RELIEF_BAND = 64, EXPONENTIAL = 1 };

struct match_run {
    const struct cli_settings *settings;
    struct noe_shape *shape[2];
    real residual[2]; /* residuals of the fits */
    int band, search_band;
    real R[9]; /* rotation given by --rotate */
    double seconds;
    struct noe_shape_match match;
    struct noe_error error;
};

static int read_band(const char *option, const char *text, int *band) {
    char *end;
    if (!text) return 0;
    const long number = strtol(text, &end, 10);
    if (end == text || *end || number < 2 || number > NOE_SHAPE_BAND_MAX) {
        cli_say("%s: expected a whole number within 2 .. %d, found '%s'", option,
                NOE_SHAPE_BAND_MAX, text);
        return CLI_USAGE;
    }
    *band = (int)number;
    return 0;
}

int match_read_rotation(const char *option, const char *text, real *R) {
    const struct noe_space *space = noe_space_find("so3");
    const char *at = text + strspn(text, "[( ");
    real w[3];
    for (int i = 0; i < 3; i++) {
        char *end;
        w[i] = real_read(at, &end);
        if (end == at || !real_is_finite(w[i])) break;
        at = end + strspn(end, ", ])");
        if (i < 2 || *at) continue;
        space->identity(1, R);
        space->retract(1, EXPONENTIAL, R, R, w);
        return 0;
    }
    cli_say("%s: expected three numbers such as 0.3,-0.2,1, found '%s'", option, text);
    return CLI_USAGE;
}

/* Opens a file, or relief:SEED. */
static int open_shape(struct match_run *run, int which, const char *name) {
    struct noe_error error = {0};
    enum noe_status status;
    if (strncmp(name, "relief:", 7) == 0) {
        char *end;
        const unsigned long seed = strtoul(name + 7, &end, 10);
        if (end == name + 7 || *end || name[7] == '-') {
            cli_say("expected relief:SEED with a whole number, found '%s'", name);
            return CLI_USAGE;
        }
        status =
            noe_shape_relief(&run->shape[which], run->band ? run->band : RELIEF_BAND, seed, &error);
    } else {
        status = noe_shape_read(&run->shape[which], name, run->band, &run->residual[which], &error);
    }
    if (status == NOE_OK) return 0;
    error.status = status;
    return cli_fail_file(name, &error);
}

static int prepare(struct match_run *run) {
    const struct cli_settings *settings = run->settings;
    struct noe_error error = {0};
    int exit = read_band("--band", settings->band, &run->band);
    if (!exit) exit = read_band("--search-band", settings->search_band, &run->search_band);
    if (!exit && settings->rotate) exit = match_read_rotation("--rotate", settings->rotate, run->R);
    if (!exit && !settings->other == !settings->rotate) {
        cli_say("match takes two shapes, or one and --rotate: noether match relief:1 --rotate "
                "0.3,-0.2,1");
        exit = CLI_USAGE;
    }
    const char *alone = settings->from        ? "--from"
                        : settings->steps     ? "--steps"
                        : settings->tolerance ? "--tolerance"
                        : settings->iterates  ? "--iterates"
                                              : NULL;
    if (!exit && alone && !settings->method) {
        cli_say("%s is for one iteration: it needs --method", alone);
        exit = CLI_USAGE;
    }
    if (!exit && settings->method && settings->output) {
        cli_say("--output is for the search; with --method, --iterates FILE.csv records rotations");
        exit = CLI_USAGE;
    }
    if (!exit) exit = open_shape(run, 0, settings->file);
    if (!exit && settings->other) return open_shape(run, 1, settings->other);
    if (!exit && noe_shape_rotate(&run->shape[1], run->shape[0], run->R, &error) != NOE_OK)
        exit = cli_fail("match", &error);
    return exit;
}

/* Angle and axis of the rotation R. */
static real axis_of(const real *R, real *axis) {
    const real v[3] = {(R[7] - R[5]) / 2, (R[2] - R[6]) / 2, (R[3] - R[1]) / 2};
    const real sine = noe_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const real cosine = (R[0] + R[4] + R[8] - 1) / 2;
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (R[4 * i] > R[4 * k]) k = i;
    const real size = noe_sqrt(noe_max((R[4 * k] + 1) / 2, 0));
    for (int i = 0; i < 3; i++)
        axis[i] = sine > (real)1e-6 ? v[i] / sine
                  : cosine > 0      ? (real)(i == 2)
                                    : (R[3 * i + k] + R[3 * k + i] + 2 * (i == k)) / (4 * size);
    return noe_atan2(sine, cosine);
}

real match_angle(const real *A, const real *B) {
    real sum = 0;
    for (int i = 0; i < 9; i++) {
        const real gap = A[i] - B[i];
        sum += gap * gap;
    }
    return 2 * noe_asin(noe_min(noe_sqrt(sum / 8), 1));
}

static int print_json(const struct match_run *run) {
    const struct noe_shape_match *match = &run->match;
    struct json json;
    real axis[3];
    const real angle = axis_of(match->R, axis);
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "status", cli_status_word(run->error.status));
    json_string(&json, "message", run->error.status == NOE_OK ? "" : run->error.text);
    json_integer(&json, "band",
                 run->shape[0]->band < run->shape[1]->band ? run->shape[0]->band
                                                           : run->shape[1]->band);
    json_matrix(&json, "rotation", 3, 3, match->R);
    json_real(&json, "angle", angle);
    json_vector(&json, "axis", 3, axis);
    json_real(&json, "correlation", match->correlation);
    json_real(&json, "residual", match->residual);
    json_real(&json, "runner_up", match->runner_up);
    json_vector(&json, "curvature", 3, match->curvature);
    json_real(&json, "gradient_norm", match->gradient_norm);
    json_integer(&json, "iterations", match->iterations);
    json_integer(&json, "search_band", match->search_band);
    json_integer(&json, "grid", match->grid);
    json_integer(&json, "maxima", match->maxima);
    json_vector(&json, "fit_residuals", 2, run->residual);
    if (run->settings->rotate) json_real(&json, "error_angle", match_angle(match->R, run->R));
    json_real(&json, "wall_seconds", (real)run->seconds);
    json_end(&json);
    return cli_print_json(&json);
}

static void print_summary(const struct match_run *run) {
    const struct noe_shape_match *match = &run->match;
    real axis[3];
    const real angle = axis_of(match->R, axis);
    cli_print(
        "%s onto %s\n  degrees below %d and %d; %ld rotations searched with degrees below %d, "
        "%d maxima refined\n\n",
        run->settings->file,
        run->settings->other ? run->settings->other : "itself, turned by --rotate",
        run->shape[0]->band, run->shape[1]->band, match->grid, match->search_band, match->maxima);
    for (int i = 0; i < 3; i++)
        printf("  %-20s %19.15f %19.15f %19.15f\n", i ? "" : "rotation", (double)match->R[3 * i],
               (double)match->R[3 * i + 1], (double)match->R[3 * i + 2]);
    printf("  %-20s %.12g rad about (%.9g, %.9g, %.9g)\n", "angle and axis", (double)angle,
           (double)axis[0], (double)axis[1], (double)axis[2]);
    printf("  %-20s %.12g\n", "correlation", (double)match->correlation);
    if (match->maxima > 1)
        printf("  %-20s %.4g%s\n", "next best maximum", (double)match->runner_up,
               match->runner_up > match->correlation - (real)1e-9
                   ? ": another rotation does as well, the shapes are symmetric"
                   : "");
    printf("  %-20s %.3g of the second shape\n", "left over", (double)match->residual);
    printf("  %-20s %.4g, %.4g, %.4g\n", "sharpness", (double)match->curvature[0],
           (double)match->curvature[1], (double)match->curvature[2]);
    for (int i = 0; i < 2; i++)
        if (run->residual[i] > 0)
            printf("  %-20s %.3g root mean square from the values of shape %d\n", "fit",
                   (double)run->residual[i], i + 1);
    if (run->settings->rotate)
        printf("  %-20s %.3g rad from the rotation of --rotate\n", "error",
               (double)match_angle(match->R, run->R));
    printf("\n  %-20s %.3g s; %ld iterations in the end\n", "time", run->seconds,
           match->iterations);
}

static int write_turned(const struct match_run *run) {
    struct noe_error error = {0};
    struct noe_shape *turned = NULL;
    const real *R = run->settings->rotate ? run->R : run->match.R;
    if (noe_shape_rotate(&turned, run->shape[0], R, &error) != NOE_OK)
        return cli_fail("match", &error);
    char *text = shape_text(turned);
    noe_shape_free(turned);
    if (!text) return cli_no_memory();
    const int exit = cli_write_file(run->settings->output, text);
    free(text);
    return exit;
}

static int find(struct match_run *run) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    const enum noe_status status =
        noe_shape_match(run->shape[0], run->shape[1], run->search_band, &run->match, &run->error);
    clock_gettime(CLOCK_MONOTONIC, &to);
    run->seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    run->error.status = status;
    if (status < 0) return cli_fail("match", &run->error);
    return 0;
}

int cli_match(const struct cli_settings *settings) {
    struct match_run run = {.settings = settings};
    int exit = prepare(&run);
    if (!exit && settings->method) {
        exit = match_descend(settings, run.shape[0], run.shape[1], settings->rotate ? run.R : NULL);
        noe_shape_free(run.shape[0]);
        noe_shape_free(run.shape[1]);
        return exit;
    }
    if (!exit) exit = find(&run);
    if (!exit && settings->output) exit = write_turned(&run);
    if (!exit) {
        if (settings->json)
            exit = print_json(&run);
        else if (!settings->quiet)
            print_summary(&run);
        if (run.error.status != NOE_OK) cli_say("%s", run.error.text);
        if (!exit) exit = cli_exit_of(run.error.status);
    }
    noe_shape_free(run.shape[0]);
    noe_shape_free(run.shape[1]);
    return exit;
}
