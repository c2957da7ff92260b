/* Options of the subcommands: one table for parsing, help and suggestions. */
/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "output/format.h"

enum kind { FLAG, TEXT, LIST };

struct option {
    const char *name;
    char letter; /* 0: none */
    enum kind kind;
    const char *value; /* placeholder of the value in the help */
    size_t offset;     /* offset of the field in struct cli_settings */
    unsigned groups;
    const char *help;
};

#define FIELD(name) offsetof(struct cli_settings, name)
#define MODEL       (STUDY | CLI_EXPORT | CLI_OPTIMISE)
#define STUDY                                                                                      \
    (CLI_RUN | CLI_CHECK | CLI_CONVERGE | CLI_COMPARE | CLI_CONTROL | CLI_ENSEMBLE | CLI_SECTION)
#define ONE_METHOD                                                                                 \
    (CLI_RUN | CLI_CHECK | CLI_CONVERGE | CLI_EXPORT | CLI_CONTROL | CLI_ENSEMBLE | CLI_SECTION)

static const struct option options[] = {
    {"set", 0, LIST, "NAME=VALUE", FIELD(sets), MODEL,
     "set a parameter of the model; may be repeated"},
    {"method", 0, TEXT, "\"NAME KEY=VALUE\"", FIELD(method), ONE_METHOD,
     "method, instead of the file's (see: noether methods)"},
    {"method", 0, TEXT, "\"NAME KEY=VALUE\"", FIELD(method), CLI_OPTIMISE,
     "descent method, instead of the file's: gradient-descent, momentum, nesterov, agd or sagd"},
    {"methods", 0, TEXT, "\"A, B KEY=VALUE\"", FIELD(methods), CLI_COMPARE,
     "methods to compare, separated by commas, each with its options"},
    {"step", 0, TEXT, "H", FIELD(step), CLI_RUN | CLI_CHECK | CLI_ENSEMBLE | CLI_SECTION,
     "step size, instead of the file's"},
    {"steps", 0, TEXT, "H1,H2,...", FIELD(steps), CLI_CONVERGE, "step sizes to compare"},
    {"steps", 0, TEXT, "H1,H2,...", FIELD(steps), CLI_COMPARE,
     "step sizes (default: the file's times 4, 2, 1, 1/2, 1/4, 1/8)"},
    {"until", 0, TEXT, "T", FIELD(until), STUDY, "end time, instead of the file's"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_RUN | CLI_ENSEMBLE | CLI_SECTION,
     "number of steps; overrides the end time"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_CONTROL,
     "number of intervals, instead of the file's"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_OPTIMISE,
     "maximum number of iterations (default: the file's 'steps', or 100000)"},
    {"starts", 0, TEXT, "N", FIELD(starts), CLI_CONTROL,
     "multistart: solve from N initial guesses, random but for the first, and list the minima"},
    {"members", 0, TEXT, "N", FIELD(members), CLI_ENSEMBLE | CLI_SECTION,
     "number of members, at each point of a grid, instead of the file's"},
    {"seed", 0, TEXT, "S", FIELD(seed), CLI_CONTROL, "seed of the random guesses (default: 1)"},
    {"seed", 0, TEXT, "S", FIELD(seed), CLI_ENSEMBLE | CLI_SECTION,
     "seed of random members and noise, instead of the file's"},
    {"seed", 0, TEXT, "S", FIELD(seed), CLI_RUN | CLI_CHECK,
     "seed of the noise, instead of the file's"},
    {"threads", 0, TEXT, "N", FIELD(threads), CLI_ENSEMBLE | CLI_SECTION,
     "number of threads (default: number of processors); the results do not depend on it"},
    {"lanes", 0, TEXT, "N", FIELD(lanes), CLI_ENSEMBLE | CLI_SECTION,
     "SIMD lanes per thread: 1, 2, 4, 8, or 0 for automatic; the results do not depend on it"},
    {"final", 0, FLAG, NULL, FIELD(final), CLI_ENSEMBLE,
     "report the final state of every member: in --json, and in -o instead of statistics"},
    {"threads", 0, TEXT, "N", FIELD(threads), CLI_CONTROL,
     "number of starts solved in parallel (default: number of processors)"},
    {"refine", 0, TEXT, "K", FIELD(refine), CLI_CONTROL,
     "solve on K coarser grids first, each with half the intervals of the next"},
    {"tolerance", 0, TEXT, "E", FIELD(tolerance), CLI_CONTROL,
     "tolerance of the KKT conditions (default: 1e-10)"},
    {"tolerance", 0, TEXT, "E", FIELD(tolerance), CLI_OPTIMISE,
     "stop when the gradient norm is below E (default: 1e-10)"},
    {"band", 0, TEXT, "B", FIELD(band), CLI_MATCH,
     "use degrees below B (default: those of the files; relief: 64)"},
    {"search-band", 0, TEXT, "B", FIELD(search_band), CLI_MATCH,
     "search on a grid with degrees below B (default: 16, or enough for half of the power)"},
    {"rotate", 0, TEXT, "X,Y,Z", FIELD(rotate), CLI_MATCH,
     "instead of a second shape: the first, rotated by this rotation vector in radians"},
    {"method", 0, TEXT, "\"NAME KEY=VALUE\"", FIELD(method), CLI_MATCH,
     "instead of the search: one descent method, as in 'noether optimise'"},
    {"from", 0, TEXT, "X,Y,Z", FIELD(from), CLI_MATCH,
     "initial rotation of --method, as a rotation vector (default: 0,0,0)"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_MATCH,
     "maximum number of iterations (default: 100000)"},
    {"tolerance", 0, TEXT, "E", FIELD(tolerance), CLI_MATCH,
     "stop when the gradient norm is below E (default: 1e-10)"},
    {"iterates", 0, TEXT, "FILE", FIELD(iterates), CLI_MATCH,
     "record the iterates; the extension selects the format:"},
    {"from", 0, TEXT, "T", FIELD(from), STUDY & ~CLI_CONTROL, "start time, instead of the file's"},
    {"sample", 0, TEXT, "N", FIELD(sample), CLI_RUN | CLI_ENSEMBLE, "record every N-th step"},
    {"reference", 0, FLAG, NULL, FIELD(reference), CLI_RUN,
     "also integrate a reference solution and record the error: trajectory_error, exact_energy"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_RUN,
     "record the trajectory; the extension selects the format:"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_ENSEMBLE,
     "record statistics at every sample, or final states with --final; the extension selects the "
     "format:"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_SECTION,
     "record the section points; the extension selects the format:"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_CONTROL,
     "record nodes, controls and costates; the extension selects the format:"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_OPTIMISE,
     "record the iterates; the extension selects the format:"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_MATCH,
     "write the coefficients of the first shape, rotated"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_EXPORT,
     "write the C source to FILE (default: standard output)"},
    {"output", 'o', TEXT, "PICTURE", FIELD(output), CLI_COMPARE,
     "draw a work-precision diagram, in .png, .svg or .pdf"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_CONVERGE,
     "record the error for each step size; the extension selects the format:"},
    {"output", 'o', TEXT, "DIRECTORY", FIELD(output), CLI_REPRODUCE,
     "directory of results and report.html (default: reproduced); finished results are kept"},
    {"list", 0, FLAG, NULL, FIELD(list), CLI_REPRODUCE, "list the experiments"},
    {"quick", 0, FLAG, NULL, FIELD(quick), CLI_REPRODUCE, "shortened runs"},
    {"force", 0, FLAG, NULL, FIELD(force), CLI_REPRODUCE,
     "accept a directory that is not empty, and repeat finished experiments"},
    {"checkpoint", 0, TEXT, "FILE", FIELD(checkpoint), CLI_RUN,
     "write checkpoints to FILE and rows to FILE.rows; resume with --resume"},
    {"checkpoint-every", 0, TEXT, "N", FIELD(checkpoint_every), CLI_RUN,
     "write a checkpoint every N steps (default: every minute), at the end and on interruption"},
    {"resume", 0, TEXT, "FILE", FIELD(resume), CLI_RUN,
     "continue from a checkpoint, with the same bits as an uninterrupted run"},
    {"stepper", 0, FLAG, NULL, FIELD(stepper), CLI_EXPORT,
     "also write a function that takes one step of the method"},
    {"json", 0, FLAG, NULL, FIELD(json),
     STUDY | CLI_METHODS | CLI_OPTIMISE | CLI_MATCH | CLI_REPRODUCE,
     "print one JSON value and nothing else"},
    {"precision", 0, TEXT, "double|quad", FIELD(precision), (STUDY & ~CLI_CONTROL) | CLI_OPTIMISE,
     "number type; quad has 33 digits and is about 50 times slower"},
    {"interpret", 0, FLAG, NULL, FIELD(interpret), STUDY | CLI_OPTIMISE,
     "do not compile the model"},
    {"kernel", 0, TEXT, "NAME", FIELD(kernel), CLI_RUN,
     "the fast path of a step; none: Newton's method on the plain residual"},
    {"generic", 0, FLAG, NULL, FIELD(generic), CLI_RUN | CLI_SECTION,
     "do not compile a specialised stepper; the results are the same"},
    {"specialised", 0, FLAG, NULL, FIELD(specialised), CLI_RUN | CLI_SECTION,
     "compile a stepper before the first step (default: if the run would take over a second)"},
    {"specialised", 0, FLAG, NULL, FIELD(specialised), CLI_COMPARE,
     "compile a stepper for each method (default: time the generic path)"},
    {"verbose", 0, FLAG, NULL, FIELD(verbose), CLI_RUN | CLI_SECTION,
     "also print solver, stepper and cost"},
    {"quiet", 0, FLAG, NULL, FIELD(quiet),
     CLI_RUN | CLI_CONTROL | CLI_ENSEMBLE | CLI_SECTION | CLI_OPTIMISE | CLI_MATCH | CLI_REPRODUCE,
     "print no progress bar and no summary"},
    {"help", 'h', FLAG, NULL, FIELD(help), CLI_ALL, "show this help"},
};
enum { NOPTIONS = sizeof options / sizeof *options };

static const struct option *find(const struct cli_command *command, const char *name,
                                 size_t length) {
    for (int i = 0; i < NOPTIONS; i++)
        if ((options[i].groups & command->group) && strlen(options[i].name) == length &&
            memcmp(options[i].name, name, length) == 0)
            return &options[i];
    return NULL;
}

static const struct option *find_letter(const struct cli_command *command, char letter) {
    for (int i = 0; i < NOPTIONS; i++)
        if ((options[i].groups & command->group) && letter && options[i].letter == letter)
            return &options[i];
    return NULL;
}

static bool unknown(const struct cli_command *command, const char *argument) {
    const char *names[NOPTIONS];
    char word[64];
    for (int i = 0; i < NOPTIONS; i++)
        names[i] = options[i].groups & command->group ? options[i].name : NULL;
    const size_t dashes = strspn(argument, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argument + dashes, "="), argument + dashes);
    const char *near = status_nearest(word, NOPTIONS, names);
    if (near)
        cli_say("%s has no option '%s' (did you mean --%s?)", command->name, argument, near);
    else
        cli_say("%s has no option '%s'; 'noether %s --help' lists them", command->name, argument,
                command->name);
    return false;
}

static void store(struct cli_settings *settings, const struct option *option, const char *value) {
    void *field = (char *)settings + option->offset;
    if (option->kind == FLAG) *(bool *)field = true;
    if (option->kind == TEXT) *(const char **)field = value;
    if (option->kind == LIST) settings->sets[settings->nsets++] = value;
}

/* Parses the option at argv[*at], whose value may be the next argument. */
static bool read_one(struct cli_settings *settings, const struct cli_command *command, int argc,
                     char **argv, int *at) {
    const char *argument = argv[*at];
    const bool is_long = argument[1] == '-';
    const size_t length = is_long ? strcspn(argument + 2, "=") : 1;
    const struct option *option =
        is_long ? find(command, argument + 2, length) : find_letter(command, argument[1]);
    if (!option) return unknown(command, argument);
    const char *value = is_long ? argument + 2 + length : argument + 2;
    if (is_long && *value == '=')
        value++;
    else if (!*value)
        value = NULL;
    if (option->kind == FLAG && value) {
        cli_say("--%s takes no value", option->name);
        return false;
    }
    if (option->kind != FLAG && !value) {
        if (*at + 1 >= argc) {
            cli_say("--%s needs a value: --%s %s", option->name, option->name, option->value);
            return false;
        }
        value = argv[++*at];
    }
    store(settings, option, value);
    return true;
}

static bool take_file(struct cli_settings *settings, const struct cli_command *command,
                      const char *argument) {
    if (!*command->arguments) {
        cli_say("%s takes no file: '%s'", command->name, argument);
        return false;
    }
    if (command->group & CLI_MANY) {
        settings->names[settings->nnames++] = argument;
        if (!settings->file) settings->file = argument;
        return true;
    }
    if (settings->file && !settings->other && command->group == CLI_MATCH) {
        settings->other = argument;
        return true;
    }
    if (settings->other) {
        cli_say("%s takes two shapes, found '%s' as well", command->name, argument);
        return false;
    }
    if (settings->file) {
        cli_say("%s takes one file, found '%s' and '%s'", command->name, settings->file, argument);
        return false;
    }
    settings->file = argument;
    return true;
}

int cli_options_read(struct cli_settings *settings, const struct cli_command *command, int argc,
                     char **argv) {
    *settings = (struct cli_settings){.sets = calloc((size_t)argc + 1, sizeof(char *)),
                                      .names = calloc((size_t)argc + 1, sizeof(char *))};
    if (!settings->sets || !settings->names) return cli_no_memory();
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const bool is_option = !options_ended && argv[i][0] == '-' && argv[i][1];
        if (is_option && strcmp(argv[i], "--") == 0)
            options_ended = true;
        else if (is_option ? !read_one(settings, command, argc, argv, &i)
                           : !take_file(settings, command, argv[i]))
            return CLI_USAGE;
    }
    if (settings->help) return CLI_DONE;
    if (*command->arguments && !settings->file && !(command->group & CLI_REPRODUCE)) {
        cli_say("%s needs a %s: noether %s %s", command->name,
                command->group & CLI_MATCH ? "shape" : "model file", command->name,
                command->arguments);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

void cli_options_clear(struct cli_settings *settings) {
    free(settings->sets);
    free(settings->names);
    settings->sets = settings->names = NULL;
}

/* Completes a help text that ends with a colon by the formats of the registry. */
static void print_formats(const char *help) {
    const int count = format_count();
    if (help[strlen(help) - 1] != ':') return;
    for (int i = 0; i < count; i++)
        printf("%s%s", i == 0 ? " " : i + 1 < count ? ", " : " or ", format_at(i)->name);
}

void cli_options_help(const struct cli_command *command) {
    printf("noether %s %s[options]\n  %s\n\noptions\n", command->name, command->arguments,
           command->summary);
    for (int i = 0; i < NOPTIONS; i++) {
        const struct option *option = &options[i];
        if (!(option->groups & command->group)) continue;
        char left[64];
        snprintf(left, sizeof left, "%c%c%s--%s %s", option->letter ? '-' : ' ',
                 option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
                 option->value ? option->value : "");
        printf("  %-32s %s", left, option->help);
        print_formats(option->help);
        putchar('\n');
    }
    if (command->group & MODEL)
        puts("\nNumbers may be expressions in the model's parameters, as in --step T/200.");
}
