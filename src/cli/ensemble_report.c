/* Reports of an ensemble: JSON and summary. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinate_names.h"
#include "cli/ensemble.h"
#include "cli/json_code.h"
#include "cli/json_coordinates.h"
#include "output/json_writer.h"

enum { NAME_ROOM = ENSEMBLE_NAME, SHOWN_FAILED = 5 };

const struct ensemble_share ensemble_shares[ENSEMBLE_SHARES] = {{"0.05", "q05", 0.05},
                                                                {"0.25", "q25", 0.25},
                                                                {"0.5", "median", 0.5},
                                                                {"0.75", "q75", 0.75},
                                                                {"0.95", "q95", 0.95}};

static bool add(struct ensemble_run *run, int *count, const char *name, const char *index,
                const char *suffix) {
    char text[NAME_ROOM];
    snprintf(text, sizeof text, "%.100s%s%s", name, index, suffix);
    run->name[*count] = strdup(text);
    return run->name[(*count)++] != NULL;
}

static bool add_coordinates(struct ensemble_run *run, int *count, bool of_velocity) {
    const struct noe_model *model = run->plan.model;
    const int numbers = of_velocity ? model->system->n : run->problem.np;
    bool done = true;
    for (int i = 0, at = 0, index = 0; i < numbers && done; i++) {
        char indices[48];
        at = coordinate_find(model->ncoordinates, model->coordinate, of_velocity, i, at, &index);
        const struct noe_coordinate *coordinate = &model->coordinate[at];
        const struct noe_array_layout *place =
            of_velocity ? &coordinate->tangent : &coordinate->point;
        const bool has_own = of_velocity && coordinate->velocity;
        coordinate_index_text(place->rank, place->cols, index, sizeof indices, indices);
        done = add(run, count, has_own ? coordinate->velocity : coordinate->name, indices,
                   of_velocity && !has_own ? "'" : "");
    }
    return done;
}

bool ensemble_name_numbers(struct ensemble_run *run) {
    const struct noe_system *system = run->plan.model->system;
    int count = 0;
    run->name = calloc((size_t)ensemble_number_count(&run->problem) + 1, sizeof *run->name);
    if (!run->name || !add(run, &count, "energy", "", "")) return false;
    if (!system->nvalues)
        return add_coordinates(run, &count, false) && add_coordinates(run, &count, true);
    for (int i = 0; i < system->nquantities; i++) {
        const struct noe_quantity *quantity = &system->quantity[i];
        const int rank = quantity->cols > 1 ? 2 : quantity->rows > 1 ? 1 : 0;
        for (int k = 0; k < quantity->rows * quantity->cols; k++) {
            char indices[48];
            coordinate_index_text(rank, quantity->cols, k, sizeof indices, indices);
            if (!add(run, &count, quantity->name, indices, "")) return false;
        }
    }
    return true;
}

static void write_statistics(struct json *json, const struct ensemble_run *run) {
    const struct ensemble *ensemble = &run->ensemble;
    const long last = ensemble->nsamples - 1;
    json_object(json, "statistics");
    for (int k = 0; k < ensemble->nnumbers; k++) {
        const struct statistic *statistic = &ensemble->statistic[last * ensemble->nnumbers + k];
        json_object(json, run->name[k]);
        json_integer(json, "count", statistic->count);
        json_real(json, "mean", statistic->mean);
        json_real(json, "variance", statistic_variance(statistic));
        json_real(json, "min", statistic->min);
        json_real(json, "max", statistic->max);
        json_object(json, "quantiles");
        for (int i = 0; i < ENSEMBLE_SHARES; i++)
            json_real(
                json, ensemble_shares[i].name,
                ensemble_quantile(ensemble, &run->how, last, k, (real)ensemble_shares[i].share));
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

/* Final values of all members for the coordinates that begin at `offset`. */
static void write_ends(struct json *json, const char *key, const struct ensemble_run *run,
                       bool of_velocity, int offset) {
    coordinates_write_series(json, key, run->plan.model, of_velocity, run->how.members,
                             ensemble_end_size(&run->problem), run->ensemble.final + offset);
}

static void write_failed(struct json *json, const struct ensemble *ensemble) {
    json_array(json, "failed");
    for (long i = 0; i < ensemble_listed(ensemble); i++) {
        json_object(json, NULL);
        json_integer(json, "member", ensemble->failure[i].member);
        json_integer(json, "step", ensemble->failure[i].step);
        json_string(json, "reason", ensemble->failure[i].reason);
        json_end(json);
    }
    json_end(json);
}

static real rate(const struct ensemble_run *run) {
    return (real)run->how.members * (real)run->how.steps / (real)run->ensemble.seconds;
}

int ensemble_print_json(const struct ensemble_run *run) {
    const struct ensemble *ensemble = &run->ensemble;
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "model", run->plan.model->title);
    json_string(&json, "method", run->problem.method->name);
    const bool has_members = ensemble->nfailed < run->how.members;
    json_string(&json, "status", has_members ? "ok" : "all members failed");
    json_integer(&json, "members", run->how.members);
    json_integer(&json, "seed", (long long)run->how.seed);
    json_integer(&json, "steps", run->how.steps);
    write_failed(&json, ensemble);
    json_integer(&json, "failed_count", ensemble->nfailed);
    write_statistics(&json, run);
    json_bool(&json, "quantiles_are_exact", ensemble->is_exact);
    if (ensemble->final) {
        const int np = run->problem.np, n = run->problem.system->n;
        json_object(&json, "final");
        write_ends(&json, "q", run, false, 0);
        write_ends(&json, "v", run, true, np);
        write_ends(&json, "p", run, true, np + n);
        json_end(&json);
    }
    code_write(&json, run->plan.model, NULL, NULL, ensemble->words);
    json_integer(&json, "lanes", ensemble->lanes);
    json_integer(&json, "threads", run->how.threads);
    json_integer(&json, "ranks", cli_ranks->size);
    json_real(&json, "wall_seconds", (real)ensemble->seconds);
    json_real(&json, "member_steps_per_second", rate(run));
    json_end(&json);
    return cli_print_json(&json);
}

void ensemble_print_summary(const struct ensemble_run *run) {
    const struct ensemble *ensemble = &run->ensemble;
    const long last = ensemble->nsamples - 1;
    cli_print("%s\n  %s, %ld members of %ld steps, seed %lu\n\n", run->plan.model->title,
              run->plan.method, run->how.members, run->how.steps, run->how.seed);
    printf("  %-18s %-14s %-12s %-12s %-12s %-12s\n", "at the end", "mean", "deviation", "5%",
           "median", "95%");
    for (int k = 0; k < ensemble->nnumbers; k++) {
        const struct statistic *statistic = &ensemble->statistic[last * ensemble->nnumbers + k];
        printf("  %-18s %-14.7g %-12.5g %-12.5g %-12.5g %-12.5g\n", run->name[k],
               (double)statistic->mean, sqrt((double)statistic_variance(statistic)),
               (double)ensemble_quantile(ensemble, &run->how, last, k, (real)0.05),
               (double)ensemble_quantile(ensemble, &run->how, last, k, (real)0.5),
               (double)ensemble_quantile(ensemble, &run->how, last, k, (real)0.95));
    }
    if (!ensemble->is_exact)
        puts("  (quantiles from logarithmic bins, 64 per factor of two: too many values to keep)");
    if (ensemble->nfailed) printf("\n  %ld members failed\n", ensemble->nfailed);
    for (long i = 0; i < ensemble->nfailed && i < SHOWN_FAILED; i++)
        printf("    member %ld at step %ld: %s\n", ensemble->failure[i].member,
               ensemble->failure[i].step, ensemble->failure[i].reason);
    printf("\n  %-18s %s; %d thread%s, %d rank%s\n", "lanes", ensemble->words, run->how.threads,
           run->how.threads > 1 ? "s" : "", cli_ranks->size, cli_ranks->size > 1 ? "s" : "");
    printf("  %-18s %.3g s, %.3g member steps/s\n", "speed", ensemble->seconds, (double)rate(run));
}
