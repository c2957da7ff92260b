/* The options of the subcommands: one table gives reading, help and suggestions. */
/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum kind { FLAG, TEXT, LIST };

struct option {
    const char *name;
    char letter; /* 0: none */
    enum kind kind;
    const char *value; /* what stands for the value in the help */
    size_t offset;     /* of its field in struct cli_settings */
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
     "the method, in place of the file's (see: noether methods)"},
    {"method", 0, TEXT, "\"NAME KEY=VALUE\"", FIELD(method), CLI_OPTIMISE,
     "the iteration, in place of the file's: gradient-descent, momentum, nesterov, agd or sagd"},
    {"methods", 0, TEXT, "\"A, B KEY=VALUE\"", FIELD(methods), CLI_COMPARE,
     "the methods to compare, separated by commas, each with its options"},
    {"step", 0, TEXT, "H", FIELD(step), CLI_RUN | CLI_CHECK | CLI_ENSEMBLE | CLI_SECTION,
     "the step, in place of the file's"},
    {"steps", 0, TEXT, "H1,H2,...", FIELD(steps), CLI_CONVERGE, "the steps to compare"},
    {"steps", 0, TEXT, "H1,H2,...", FIELD(steps), CLI_COMPARE,
     "the steps (default: the file's, twice and four times it, a half, a quarter, an eighth)"},
    {"until", 0, TEXT, "T", FIELD(until), STUDY, "the end time, in place of the file's"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_RUN | CLI_ENSEMBLE | CLI_SECTION,
     "take N steps, whatever the end time"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_CONTROL,
     "the number of intervals, in place of the file's"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_OPTIMISE,
     "at most N iterations (default: the file's 'steps', or 100000)"},
    {"starts", 0, TEXT, "N", FIELD(starts), CLI_CONTROL,
     "solve from N first guesses, all but the first of them random, and list the minima"},
    {"members", 0, TEXT, "N", FIELD(members), CLI_ENSEMBLE | CLI_SECTION,
     "how many members, at each point of a grid, in place of the file's"},
    {"seed", 0, TEXT, "S", FIELD(seed), CLI_CONTROL, "of the random guesses (default: 1)"},
    {"seed", 0, TEXT, "S", FIELD(seed), CLI_ENSEMBLE | CLI_SECTION,
     "of random members and of noise, in place of the file's"},
    {"seed", 0, TEXT, "S", FIELD(seed), CLI_RUN | CLI_CHECK, "of noise, in place of the file's"},
    {"threads", 0, TEXT, "N", FIELD(threads), CLI_ENSEMBLE | CLI_SECTION,
     "how many threads (default: as many as there are processors); the results are the same"},
    {"lanes", 0, TEXT, "N", FIELD(lanes), CLI_ENSEMBLE | CLI_SECTION,
     "members side by side in a thread: 1, 2, 4, 8 or 0 for as many as pay; the same results"},
    {"final", 0, FLAG, NULL, FIELD(final), CLI_ENSEMBLE,
     "tell where every member ended: with --json, and with -o in place of statistics"},
    {"threads", 0, TEXT, "N", FIELD(threads), CLI_CONTROL,
     "how many starts side by side (default: as many as there are processors)"},
    {"refine", 0, TEXT, "K", FIELD(refine), CLI_CONTROL,
     "solve on K coarser grids first, each half as fine as the next"},
    {"tolerance", 0, TEXT, "E", FIELD(tolerance), CLI_CONTROL,
     "of the conditions of a minimum (default: 1e-10)"},
    {"tolerance", 0, TEXT, "E", FIELD(tolerance), CLI_OPTIMISE,
     "stop where the norm of the gradient is below E (default: 1e-10)"},
    {"band", 0, TEXT, "B", FIELD(band), CLI_MATCH,
     "take degrees below B (default: those of the files; relief: 64)"},
    {"search-band", 0, TEXT, "B", FIELD(search_band), CLI_MATCH,
     "search on a grid with degrees below B (default: 16, or what holds half of the shapes)"},
    {"rotate", 0, TEXT, "X,Y,Z", FIELD(rotate), CLI_MATCH,
     "in place of a second shape: the first, turned by this rotation vector in radians"},
    {"method", 0, TEXT, "\"NAME KEY=VALUE\"", FIELD(method), CLI_MATCH,
     "in place of the search: one iteration, as in 'noether optimise'"},
    {"from", 0, TEXT, "X,Y,Z", FIELD(from), CLI_MATCH,
     "its first rotation, as a rotation vector (default: none)"},
    {"steps", 0, TEXT, "N", FIELD(steps), CLI_MATCH, "at most N iterations (default: 100000)"},
    {"tolerance", 0, TEXT, "E", FIELD(tolerance), CLI_MATCH,
     "stop where the norm of the gradient is below E (default: 1e-10)"},
    {"iterates", 0, TEXT, "FILE", FIELD(iterates), CLI_MATCH,
     "record them; the extension chooses the format: h5 or csv"},
    {"from", 0, TEXT, "T", FIELD(from), STUDY & ~CLI_CONTROL,
     "the start time, in place of the file's"},
    {"sample", 0, TEXT, "N", FIELD(sample), CLI_RUN | CLI_ENSEMBLE, "record every N-th step"},
    {"reference", 0, FLAG, NULL, FIELD(reference), CLI_RUN,
     "follow a tight solution beside the run; records trajectory_error and exact_energy"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_RUN,
     "record the trajectory; the extension chooses the format: h5 or csv"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_ENSEMBLE,
     "record statistics at every sample, or with --final ends; the extension chooses the format: "
     "h5 or csv"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_SECTION,
     "record the crossings; the extension chooses the format: h5 or csv"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_CONTROL,
     "record nodes, controls and costates; the extension chooses the format: h5 or csv"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_OPTIMISE,
     "record the iterates; the extension chooses the format: h5 or csv"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_MATCH,
     "write the coefficients of the first shape, turned"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_EXPORT,
     "write the C here (default: standard output)"},
    {"output", 'o', TEXT, "PICTURE", FIELD(output), CLI_COMPARE,
     "draw error against work, in .png, .svg or .pdf"},
    {"output", 'o', TEXT, "FILE", FIELD(output), CLI_CONVERGE,
     "record the errors at each step; the extension chooses the format: h5 or csv"},
    {"output", 'o', TEXT, "DIRECTORY", FIELD(output), CLI_REPRODUCE,
     "where results and report.html go (default: reproduced); what is finished there stays"},
    {"list", 0, FLAG, NULL, FIELD(list), CLI_REPRODUCE, "list the experiments"},
    {"quick", 0, FLAG, NULL, FIELD(quick), CLI_REPRODUCE, "shorter runs, for a first look"},
    {"force", 0, FLAG, NULL, FIELD(force), CLI_REPRODUCE,
     "write into a directory that is not empty, and run all anew"},
    {"checkpoint", 0, TEXT, "FILE", FIELD(checkpoint), CLI_RUN,
     "keep all that the run would go on with, so that it can be resumed; rows in FILE.rows"},
    {"checkpoint-every", 0, TEXT, "N", FIELD(checkpoint_every), CLI_RUN,
     "keep it after every N steps (default: every minute), at the end and when interrupted"},
    {"resume", 0, TEXT, "FILE", FIELD(resume), CLI_RUN,
     "go on from a checkpoint, to the same bits as an uninterrupted run"},
    {"stepper", 0, FLAG, NULL, FIELD(stepper), CLI_EXPORT,
     "also write a function that takes one step of the method"},
    {"json", 0, FLAG, NULL, FIELD(json),
     STUDY | CLI_METHODS | CLI_OPTIMISE | CLI_MATCH | CLI_REPRODUCE,
     "print one JSON value, and only it"},
    {"precision", 0, TEXT, "double|quad", FIELD(precision), (STUDY & ~CLI_CONTROL) | CLI_OPTIMISE,
     "the number type; quad has 33 digits and is some 50 times slower"},
    {"interpret", 0, FLAG, NULL, FIELD(interpret), STUDY | CLI_OPTIMISE,
     "do not compile the model"},
    {"kernel", 0, TEXT, "NAME", FIELD(kernel), CLI_RUN,
     "the fast path of a step; none: Newton's method on the plain residual"},
    {"generic", 0, FLAG, NULL, FIELD(generic), CLI_RUN | CLI_SECTION,
     "compile no stepper for this model and method; the results are the same"},
    {"specialised", 0, FLAG, NULL, FIELD(specialised), CLI_RUN | CLI_SECTION,
     "compile one at once; else only if the run is judged to take a second longer"},
    {"specialised", 0, FLAG, NULL, FIELD(specialised), CLI_COMPARE,
     "compile a stepper for each method, as long runs do; else the generic path is timed"},
    {"verbose", 0, FLAG, NULL, FIELD(verbose), CLI_RUN | CLI_SECTION,
     "say more about what was done: solver, stepper, effort"},
    {"quiet", 0, FLAG, NULL, FIELD(quiet),
     CLI_RUN | CLI_CONTROL | CLI_ENSEMBLE | CLI_SECTION | CLI_OPTIMISE | CLI_MATCH | CLI_REPRODUCE,
     "no progress, no summary"},
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

/* Reads the option at argv[*at], whose value may stand in the next argument. */
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

bool cli_options_read(struct cli_settings *settings, const struct cli_command *command, int argc,
                      char **argv) {
    *settings = (struct cli_settings){.sets = calloc((size_t)argc + 1, sizeof(char *)),
                                      .names = calloc((size_t)argc + 1, sizeof(char *))};
    if (!settings->sets || !settings->names) {
        cli_say("out of memory");
        return false;
    }
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const bool is_option = !options_ended && argv[i][0] == '-' && argv[i][1];
        if (is_option && strcmp(argv[i], "--") == 0)
            options_ended = true;
        else if (is_option ? !read_one(settings, command, argc, argv, &i)
                           : !take_file(settings, command, argv[i]))
            return false;
    }
    if (settings->help) return true;
    if (*command->arguments && !settings->file && !(command->group & CLI_REPRODUCE)) {
        cli_say("%s needs a %s: noether %s %s", command->name,
                command->group & CLI_MATCH ? "shape" : "model file", command->name,
                command->arguments);
        return false;
    }
    return true;
}

void cli_options_clear(struct cli_settings *settings) {
    free(settings->sets);
    free(settings->names);
    settings->sets = settings->names = NULL;
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
        printf("  %-32s %s\n", left, option->help);
    }
    if (command->group & MODEL)
        puts("\nNumbers may be expressions in the model's parameters, as in --step T/200.");
}
