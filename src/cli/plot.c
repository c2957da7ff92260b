/* noether plot: a figure of a recorded file, or of a model that is run first. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/cli.h"
#include "noether_ensemble.h"
#include "output/json_writer.h"
#include "output/table.h"
#include "plot/gnuplot.h"
#include "plot/plot_ensemble.h"
#include "plot/plot_overlay.h"
#include "plot/plot_section.h"
#include "plot/plot_trajectory.h"

struct plot {
    struct cli_settings settings;
    const char *x, *log;
    bool has_window;
    double window[2]; /* time window of the rows to draw */
    char *y;          /* expressions, separated by commas; NULL: the default figure */
    int kind;         /* kind of figure of an ensemble; 0: default */
    char *picture;    /* path of the figure */
    char *recorded;   /* path of the recorded file */
};

/* The options of a run apply if the file is a model. */
static const struct cli_command command = {.name = "plot",
                                           .arguments = "FILE.h5|FILE.csv|FILE.noe ",
                                           .summary = "pictures of a trajectory",
                                           .group = CLI_RUN | CLI_ENSEMBLE | CLI_MANY};

static void print_help(void) {
    printf("noether %s %s[-x EXPRESSION] [-y EXPRESSION,...] [-o PICTURE]\n  %s\n\n", command.name,
           command.arguments, command.summary);
    printf("options\n"
           "  -x EXPRESSION                what goes to the right (default: t)\n"
           "  -y EXPRESSION,...            what goes up; may be repeated\n"
           "      --kind KIND              of an ensemble: %s\n"
           "      --log x|y|xy             logarithmic axes\n"
           "      --window FROM..TO        draw only these times\n"
           "  -o, --output PICTURE         the picture, %s (default: FILE.png)\n"
           "      --json                   print one JSON value, and only it\n"
           "  -h, --help                   show this help\n\n",
           plot_ensemble_kinds(), gnuplot_kinds());
    puts("Expressions are in the columns of the trajectory (t, q, q', x[1], p.q, energy,\n"
         "energy_error, the names of observed quantities) with + - * / ^ and functions.\n"
         "Without -y: configuration, phase portrait or paths, energy, recorded quantities; of\n"
         "rotations and poses a direction on the sphere, angular velocity and momentum.\n"
         "Of sections, in a model file or as 'noether section' records them: their crossings.\n"
         "Of ensembles, in a model file or as 'noether ensemble' records them: quantiles over\n"
         "time and histograms at the end, or a heat map of ends over a grid of two numbers; -y\n"
         "then names the numbers to be drawn.\n"
         "A model file is run first; the options of 'noether run' and 'noether ensemble' apply. "
         "Several\n"
         "recorded files are drawn over one another with -y, sections beside one another.");
}

/* Appends to a list separated by commas. */
static bool append(char **list, const char *text) {
    const size_t before = *list ? strlen(*list) + 1 : 0;
    char *grown = realloc(*list, before + strlen(text) + 1);
    if (!grown) return false;
    if (before) grown[before - 1] = ',';
    strcpy(grown + before, text);
    *list = grown;
    return true;
}

static int take_kind(struct plot *plot, const char *word) {
    plot->kind = plot_ensemble_kind_find(word);
    if (plot->kind > 0) return CLI_DONE;
    cli_say("--kind: expected one of %s; found '%s'", plot_ensemble_kinds(), word);
    return CLI_USAGE;
}

static int take_window(struct plot *plot, const char *text) {
    const char *dots = strstr(text, "..");
    char *end[2] = {NULL, NULL};
    plot->window[0] = strtod(text, &end[0]); /* strtod consumes the first dot of "a..b" */
    if (dots) plot->window[1] = strtod(dots + 2, &end[1]);
    plot->has_window = dots && dots != text && (end[0] == dots || end[0] == dots + 1) &&
                       end[1] != dots + 2 && !*end[1] && plot->window[0] < plot->window[1];
    if (plot->has_window) return CLI_DONE;
    cli_say("--window: expected two times, the second the later one, as in 10..20; found '%s'",
            text);
    return CLI_USAGE;
}

/* Stores the value of an option of the figure. */
static int take_value(struct plot *plot, const char *option, const char *value) {
    if (!value) {
        cli_say("%s needs a value: %s %s", option, option,
                option[1] != '-'   ? "EXPRESSION"
                : option[2] == 'k' ? "KIND"
                : option[2] == 'w' ? "FROM..TO"
                                   : "x|y|xy");
        return CLI_USAGE;
    }
    if (strcmp(option, "--kind") == 0) return take_kind(plot, value);
    if (strcmp(option, "--window") == 0) return take_window(plot, value);
    if (strcmp(option, "--log") == 0) {
        plot->log = value;
        return CLI_DONE;
    }
    if (option[1] == 'y') return append(&plot->y, value) ? CLI_DONE : cli_no_memory();
    if (plot->x) {
        cli_say("-x is given twice: '%s' and '%s'", plot->x, value);
        return CLI_USAGE;
    }
    plot->x = value;
    return CLI_DONE;
}

/* Takes the options of the figure out of the arguments, and leaves the others to the option
 * table. */
static int take_expressions(struct plot *plot, int *argc, char **argv) {
    static const char *const own[] = {"-x", "-y", "--kind", "--log", "--window"};
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        const char *option = NULL, *rest = NULL;
        for (int k = 0; k < 5 && !option; k++) {
            const size_t length = strlen(own[k]);
            rest = argv[i] + length;
            if (strncmp(argv[i], own[k], length) == 0 && (k < 2 || !*rest || *rest == '='))
                option = own[k];
        }
        if (!option) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *value = *rest           ? rest + (*rest == '=' && option[1] == '-')
                            : i + 1 < *argc ? argv[++i]
                                            : NULL;
        const int exit = take_value(plot, option, value);
        if (exit) return exit;
    }
    *argc = kept;
    if (plot->log && (!*plot->log || plot->log[strspn(plot->log, "xy")])) {
        cli_say("--log: expected x, y or xy, found '%s'", plot->log);
        return CLI_USAGE;
    }
    if (!plot->x || plot->y) return CLI_DONE;
    cli_say("-x needs a -y: noether plot FILE -x t -y energy_error");
    return CLI_USAGE;
}

/* The first option that applies to runs only, or NULL. */
static const char *run_option(const struct cli_settings *settings) {
    return settings->nsets         ? "--set"
           : settings->method      ? "--method"
           : settings->step        ? "--step"
           : settings->until       ? "--until"
           : settings->steps       ? "--steps"
           : settings->from        ? "--from"
           : settings->sample      ? "--sample"
           : settings->members     ? "--members"
           : settings->seed        ? "--seed"
           : settings->threads     ? "--threads"
           : settings->lanes       ? "--lanes"
           : settings->final       ? "--final"
           : settings->reference   ? "--reference"
           : settings->generic     ? "--generic"
           : settings->specialised ? "--specialised"
           : settings->interpret   ? "--interpret"
                                   : NULL;
}

static char *with_extension(const char *path, const char *extension) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const int stem = (int)(dot && dot != slash + 1 ? dot - path : (long)strlen(path));
    const size_t size = (size_t)stem + strlen(extension) + 2;
    char *made = malloc(size);
    if (made) snprintf(made, size, "%.*s.%s", stem, path, extension);
    return made;
}

static int choose_picture(struct plot *plot) {
    const char *output = plot->settings.output;
    plot->picture = output ? strdup(output) : with_extension(plot->settings.file, "png");
    if (!plot->picture) return cli_no_memory();
    if (gnuplot_draws(plot->picture)) return CLI_DONE;
    cli_say("--output: the name of a picture ends in %s, not '%s'", gnuplot_kinds(), plot->picture);
    return CLI_USAGE;
}

static bool has_sections(const struct noe_model *model) {
    for (int i = 0; i < model->system->nevents; i++)
        if (model->system->crossing[i].name) return true;
    return false;
}

/* True if two parameters vary on a grid and none at random. */
static bool has_grid_of_two(const struct noe_model *model) {
    const struct noe_ensemble_definition population = noe_model_ensemble(model);
    return population.count == 2 && !population.has_random;
}

/* Runs the model in the way that the figure needs: sections, an ensemble, or one motion. */
static int run_model(const struct plot *plot, struct cli_settings *settings) {
    enum { SAMPLES = 400 };
    const struct noe_model_settings how = {
        .nsets = settings->nsets, .sets = settings->sets, .interpret = true};
    struct noe_model *model;
    if (noe_model_open(&model, settings->file, &how, NULL) != NOE_OK)
        return cli_run(settings); /* which prints the error of the file */
    const bool is_ensemble = noe_model_ensemble(model).count > 0 || plot->kind;
    const bool is_section = has_sections(model) && !plot->y && !plot->kind;
    settings->final |= plot_ensemble_need_ends((enum plot_ensemble_kind)plot->kind) ||
                       (!plot->kind && has_grid_of_two(model));
    settings->samples_most = SAMPLES;
    noe_model_free(model);
    return is_section                ? cli_section(settings)
           : is_ensemble && !plot->x ? cli_ensemble(settings)
                                     : cli_run(settings);
}

/* Runs the model into a temporary file. `recorded` is set if there is something to draw. */
static int record(struct plot *plot, const char *folder) {
    const char *precision = plot->settings.precision;
    if (precision && strcmp(precision, NOE_REAL_NAME) != 0) {
        cli_say("plot runs a model in %s precision; record it with 'noether run --precision %s -o "
                "FILE.h5' and plot that file",
                NOE_REAL_NAME, precision);
        return CLI_USAGE;
    }
    const char *extension = noe_format_find("trajectory.h5") ? "h5" : "csv";
    const size_t size = strlen(folder) + 32;
    char *path = malloc(size);
    if (!path) return cli_no_memory();
    snprintf(path, size, "%s/trajectory.%s", folder, extension);
    struct cli_settings settings = plot->settings;
    settings.output = path;
    settings.quiet = true;
    settings.json = false;
    const int exit = run_model(plot, &settings);
    if (access(path, R_OK) == 0)
        plot->recorded = path;
    else
        free(path);
    return exit;
}

static int report(const struct plot *plot, const struct figure *picture,
                  const struct noe_table *table, size_t rows) {
    if (!plot->settings.json) {
        if (!plot->settings.quiet)
            cli_print("%s: %zu rows, %d panel%s\n", plot->picture, rows, picture->npanels,
                      picture->npanels == 1 ? "" : "s");
        return CLI_DONE;
    }
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    json_string(&json, "picture", plot->picture);
    json_string(&json, "status", table->message ? "incomplete" : "ok");
    json_string(&json, "message", table->message ? table->message : "");
    json_integer(&json, "rows", (long long)rows);
    json_integer(&json, "panels", picture->npanels);
    json_end(&json);
    return cli_print_json(&json);
}

static enum noe_status make_picture(const struct plot *plot, struct figure *picture,
                                    const struct noe_table *table, struct noe_error *error) {
    const char *file = plot->settings.file;
    if (table->nrows == 0 && plot_section_are_in(table))
        return status_set(error, NOE_BAD_INPUT, "no section was crossed: there is nothing to plot");
    if (table->nrows == 0) return status_set(error, NOE_BAD_INPUT, "the trajectory has no rows");
    const bool is_ensemble = plot_ensemble_have_statistics(table) || plot_ensemble_have_ends(table);
    if (plot->kind && !is_ensemble)
        return status_set(error, NOE_BAD_INPUT, "--kind is for what 'noether ensemble' records");
    if (is_ensemble && !plot->x) {
        const struct plot_ensemble_view view = {(enum plot_ensemble_kind)plot->kind, plot->y, file};
        return plot_ensemble_make(picture, table, &view, error);
    }
    if (!plot->y && plot_section_are_in(table))
        return plot_section_make(picture, table, file, error);
    if (!plot->y) return plot_trajectory_make(picture, table, file, error);
    const char *x = plot->x ? plot->x : figure_across(table);
    return figure_of(picture, table, file, x, plot->y, error);
}

/* Makes the figure and writes its file. */
static int draw_tables(const struct plot *plot, const struct overlay *overlay) {
    struct noe_error error = {0};
    struct figure *picture = calloc(1, sizeof *picture);
    int exit = CLI_DONE;
    size_t rows = 0;
    if (!picture) return cli_no_memory();
    for (int i = 0; i < overlay->count; i++) rows += overlay->table[i]->nrows;
    const enum noe_status status = overlay->count == 1
                                       ? make_picture(plot, picture, overlay->table[0], &error)
                                       : overlay_make(picture, overlay, plot->x, plot->y, &error);
    if (status == NOE_OK && plot->log)
        figure_use_log(picture, strchr(plot->log, 'x'), strchr(plot->log, 'y'));
    if (status != NOE_OK)
        exit = cli_fail(plot->settings.file, &error);
    else if (gnuplot_draw(picture, plot->picture, &error) != NOE_OK)
        exit = cli_fail("plot", &error);
    else
        exit = report(plot, picture, overlay->table[0], rows);
    figure_clear(picture);
    free(picture);
    return exit;
}

static int draw(const struct plot *plot, int count, const char **path) {
    struct noe_error error = {0};
    struct overlay overlay = {.path = path, .table = calloc((size_t)count, sizeof(void *))};
    enum noe_status status = NOE_OK;
    if (!overlay.table) return cli_no_memory();
    for (int i = 0; i < count && status == NOE_OK; i++) {
        status = noe_table_open(&overlay.table[i], path[i], &error);
        overlay.count += status == NOE_OK;
        if (status == NOE_OK && plot->has_window)
            status =
                table_keep_rows(overlay.table[i], "t", plot->window[0], plot->window[1], &error);
    }
    const int exit = status == NOE_OK ? draw_tables(plot, &overlay) : cli_fail("plot", &error);
    for (int i = 0; i < overlay.count; i++) noe_table_free(overlay.table[i]);
    free(overlay.table);
    return exit;
}

/* The results of a failed run are drawn as well. Its failure remains the exit status. */
static int run_and_draw(struct plot *plot) {
    const char *parent = getenv("TMPDIR");
    char folder[4096];
    snprintf(folder, sizeof folder, "%.4000s/noether-plot-XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        cli_say("no temporary directory can be made as %s", folder);
        return CLI_ENVIRONMENT;
    }
    int exit = record(plot, folder);
    if (plot->recorded) {
        const char *path = plot->recorded;
        const int drawn = draw(plot, 1, &path);
        if (drawn) exit = drawn;
        unlink(plot->recorded);
    }
    rmdir(folder);
    return exit;
}

static int plot_file(struct plot *plot) {
    const char *file = plot->settings.file;
    const int exit = choose_picture(plot);
    if (exit) return exit;
    const char **files = plot->settings.names;
    const int count = plot->settings.nnames;
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(files[i]);
        const bool is_model = length > 4 && strcmp(files[i] + length - 4, ".noe") == 0;
        if (is_model && count == 1) return run_and_draw(plot);
        if (!is_model) continue;
        cli_say("a model is drawn alone, found '%s' and '%s'; 'noether run %s -o FILE.csv' records "
                "it",
                files[0], files[1], files[i]);
        return CLI_USAGE;
    }
    const char *option = run_option(&plot->settings);
    if (!option) return draw(plot, count, files);
    cli_say("%s is for a model file; '%s' is a recorded trajectory", option, file);
    return CLI_USAGE;
}

int cli_plot(int argc, char **argv) {
    struct plot plot = {.settings = {0}};
    int exit = take_expressions(&plot, &argc, argv);
    if (!exit) exit = cli_options_read(&plot.settings, &command, argc, argv);
    if (!exit && plot.settings.help)
        print_help();
    else if (!exit)
        exit = plot_file(&plot);
    cli_options_clear(&plot.settings);
    free(plot.y);
    free(plot.picture);
    free(plot.recorded);
    return exit;
}
