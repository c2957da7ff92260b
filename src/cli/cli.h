/* Shared by the subcommands: exit statuses, settings from the command line, error messages. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"
#include "noether_model.h"

enum cli_exit {
    CLI_DONE = 0,
    CLI_NUMERICS = 1,   /* numerical failure */
    CLI_USAGE = 2,      /* bad input or usage */
    CLI_ENVIRONMENT = 3 /* disk, memory, compiler, a missing library */
};

/* Values of all options. Texts that were not given are NULL. */
struct cli_settings {
    const char *file, *other; /* other: the second file of subcommands that take two */
    int nsets;
    const char **sets;
    const char *method, *step, *until, *from, *steps, *sample, *output, *precision, *methods;
    const char *starts, *seed, *threads, *refine, *tolerance, *members, *lanes;
    const char *band, *search_band, *rotate, *iterates;
    int nnames;
    const char **names; /* arguments of subcommands that take many */
    const char *checkpoint, *checkpoint_every, *resume, *kernel;
    long samples_most; /* default limit on the samples of an ensemble; 0: every step */
    bool final, json, generic, specialised, verbose, quiet, interpret, stepper, help;
    bool list, quick, force, reference;
};

/* Options of a subcommand: bits in the rows of the option table. */
enum cli_group {
    CLI_RUN = 1,
    CLI_METHODS = 2,
    CLI_CHECK = 4,
    CLI_CONVERGE = 8,
    CLI_EXPORT = 16,
    CLI_COMPARE = 32,
    CLI_CONTROL = 64,
    CLI_ENSEMBLE = 128,
    CLI_OPTIMISE = 256,
    CLI_MATCH = 512,
    CLI_SECTION = 1024,
    CLI_REPRODUCE = 2048,
    CLI_ALL = 4095,
    CLI_MANY = 1 << 16 /* no option: files or names go to `names`, and the first also to `file` */
};

/* A subcommand: one row of a table. One of the two functions is NULL. */
struct cli_command {
    const char *name, *arguments, *summary;
    unsigned group;
    int (*run)(const struct cli_settings *);
    int (*run_arguments)(int argc, char **argv); /* parses its own options; argv[0] is its name */
};

/* Parses the options of `command`; argv[0] is its name. Returns 0, or the exit status after a
 * message. Clear the settings in every case. */
int cli_options_read(struct cli_settings *settings, const struct cli_command *command, int argc,
                     char **argv);
void cli_options_clear(struct cli_settings *settings);
/* Prints the help of one subcommand to standard output, from the option table. */
void cli_options_help(const struct cli_command *command);

/* Runs the command. Returns its exit status. */
int cli_main(int argc, char **argv);

int cli_run(const struct cli_settings *settings);
int cli_methods(const struct cli_settings *settings);
int cli_check(const struct cli_settings *settings);
int cli_converge(const struct cli_settings *settings);
int cli_compare(const struct cli_settings *settings);
int cli_export(const struct cli_settings *settings);
int cli_control(const struct cli_settings *settings);
int cli_section(const struct cli_settings *settings);
int cli_ensemble(const struct cli_settings *settings);
int cli_optimise(const struct cli_settings *settings);
/* Prints the descent methods with their options. */
void cli_optimise_methods(void);
int cli_match(const struct cli_settings *settings);
int cli_reproduce(const struct cli_settings *settings);
int cli_plot(int argc, char **argv);

/* Texts of files, paths and options may hold control characters. These functions print none:
 * "noether: ..." to standard error, a line to standard error, and a text to standard output. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the error relative to the start value, unless that is zero to round-off in comparison. */
void cli_print_relative(real start, real error);
/* Prints that memory ran out. Returns the exit status. */
int cli_no_memory(void);
/* Prints an error in the file `path` with its line and a caret. Returns the exit status. */
int cli_fail_file(const char *path, const struct noe_error *error);
/* Prints a warning on the file `path`, with its line and a caret. */
void cli_warn_file(const char *path, const struct noe_error *note);
/* Prints an error without a position in a file, after `origin` ("--step"). Returns the exit
 * status. */
int cli_fail(const char *origin, const struct noe_error *error);
/* Exit status of a library status. */
int cli_exit_of(enum noe_status status);
/* Short name of a status, stable for scripts: "ok", "not converged", ... */
const char *cli_status_word(enum noe_status status);

/* A model with the settings of a run from the file and the options. Numbers not stated are NaN. */
struct run_setup {
    struct noe_model *model;
    char *method; /* "name key=value ..."; NULL: not stated */
    real step, from, until;
    long sample, seed;
    const char *step_origin, *until_origin, *method_origin; /* an option, or NULL: the file */
};

/* Opens settings->file, which must state a Lagrangian. Returns 0, or the exit status after a
 * message. Clear the plan in every case. */
int run_setup_open(struct run_setup *plan, const struct cli_settings *settings);
/* run_setup_open for a file that may state an objective without a Lagrangian. */
int run_setup_read(struct run_setup *plan, const struct cli_settings *settings);
void run_setup_clear(struct run_setup *plan);
/* Rejects a model with noise, with the reason. Returns 0 if it has none. */
int run_setup_refuse_noise(const struct run_setup *plan, const struct cli_settings *settings,
                           const char *why);
/* Checks method and step size and initialises the problem. */
int run_setup_problem(const struct run_setup *plan, const struct cli_settings *settings,
                      struct noe_problem *problem);
/* Checks that `until` is stated and lies after `from`. */
int run_setup_horizon(const struct run_setup *plan, const struct cli_settings *settings);
/* Number of steps: --steps, or the number that fits between start time and end time, which need not
 * be reached exactly; -1 for adaptive methods. */
int run_setup_steps(const struct run_setup *plan, const struct cli_settings *settings,
                    const struct noe_problem *problem, long *steps, bool *ended_early);
/* Format of a path given to --output; unchanged if that is NULL. */
int run_setup_format(const char *path, const struct noe_format **format);
/* Description of the run for recorded files; `steps` -1 if an end time was given. */
void run_setup_words(const struct run_setup *plan, long steps, size_t size, char *words);
/* Evaluates a number given to an option, an expression in the model's parameters. */
int run_setup_number(const struct run_setup *plan, const char *option, const char *text,
                     real *value);
/* Evaluates a count given to an option, an expression whose value is an integer >= min. */
int run_setup_count(const struct run_setup *plan, const char *option, const char *text, long min,
                    long *value);
/* Copies the list entry at `at`, up to a comma outside of brackets, without surrounding spaces.
 * Returns the start of the next entry. */
const char *run_setup_entry(const char *at, size_t size, char *entry);
/* A step size that divides the time from start to end into `steps` equal parts. */
struct cli_rung {
    real h;
    long steps;
};
/* Parses the list of step sizes of --steps, at most `max` entries. */
int run_setup_rungs(const struct run_setup *plan, const char *list, int max, struct cli_rung *rung,
                    int *count);

/* Writes `text` to the file `path` by atomic replacement. Prints a message on failure. */
int cli_write_file(const char *path, const char *text);
struct json;
/* Prints the finished text on standard output and clears it. Prints a message on failure. */
int cli_print_json(struct json *json);

/* Set by SIGINT and SIGTERM once cli_interrupt_catch was called; a second signal kills. */
extern volatile sig_atomic_t cli_interrupted;
void cli_interrupt_catch(void);

#endif
