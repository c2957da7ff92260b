/* What the subcommands share: exit statuses, settings from the command line, words for failures. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/real.h"
#include "noether.h"

enum cli_exit {
    CLI_DONE = 0,
    CLI_NUMERICS = 1,   /* the numerics failed */
    CLI_USAGE = 2,      /* bad input or usage */
    CLI_ENVIRONMENT = 3 /* disk, memory, compiler, a missing library */
};

/* All that options can say; texts that were not given are NULL. */
struct cli_settings {
    const char *file, *other; /* the second file, where a subcommand takes two */
    int nsets;
    const char **sets;
    const char *method, *step, *until, *from, *steps, *sample, *output, *precision, *methods;
    const char *starts, *seed, *threads, *refine, *tolerance, *members, *lanes;
    const char *band, *search_band, *rotate, *iterates;
    int nnames;
    const char **names; /* where a subcommand takes many */
    const char *checkpoint, *checkpoint_every, *resume, *kernel;
    long samples_most; /* of an ensemble, where neither file nor option says; 0: every step */
    bool final, json, generic, specialised, verbose, quiet, interpret, stepper, help;
    bool list, quick, force, reference;
};

/* Which options a subcommand has: bits in the rows of the option table. */
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
    CLI_MANY = 1 << 16 /* no option's: files or names go to `names`, the first is the file, too */
};

/* A subcommand: one row of a table. One of the two functions is NULL. */
struct cli_command {
    const char *name, *arguments, *summary;
    unsigned group;
    int (*run)(const struct cli_settings *);
    int (*run_arguments)(int argc, char **argv); /* reads its own options; argv[0] is its name */
};

/* Reads the options of `command`; argv[0] is its name. False: words were printed, exit 2. */
bool cli_options_read(struct cli_settings *settings, const struct cli_command *command, int argc,
                      char **argv);
void cli_options_clear(struct cli_settings *settings);
/* Prints the help of one subcommand, made from the option table, to standard output. */
void cli_options_help(const struct cli_command *command);

/* The whole command: returns its exit status. */
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
/* Prints what minimises, with the options of each. */
void cli_optimise_methods(void);
int cli_match(const struct cli_settings *settings);
int cli_reproduce(const struct cli_settings *settings);
int cli_plot(int argc, char **argv);

/* Prints "noether: ..." to standard error. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Says so; returns the exit status. */
int cli_no_memory(void);
/* Prints an error of the file `path` with its line and a caret; returns the exit status. */
int cli_fail_file(const char *path, const struct noe_error *error);
/* Prints a warning of the file `path` in the same way. */
void cli_warn_file(const char *path, const struct noe_error *note);
/* Prints an error that has no place in a file, after `origin` ("--step"); returns the exit
 * status. */
int cli_fail(const char *origin, const struct noe_error *error);
/* The exit status that belongs to a status of the library. */
int cli_exit_of(enum noe_status status);
/* A short stable word for a status: "ok", "not converged", ... */
const char *cli_status_word(enum noe_status status);

/* A model with what the file and the options say of the run; numbers not stated are NaN. */
struct run_setup {
    struct noe_model *model;
    char *method; /* "name key=value ...", NULL: not stated */
    real step, from, until;
    long sample, seed;
    const char *step_origin, *until_origin, *method_origin; /* an option's name or NULL: the file */
};

/* Opens settings->file, which must state a Lagrangian. 0, or the exit status after words. Clear the
 * plan in every case. */
int run_setup_open(struct run_setup *plan, const struct cli_settings *settings);
/* The same for a file that may only state what to minimise. */
int run_setup_read(struct run_setup *plan, const struct cli_settings *settings);
void run_setup_clear(struct run_setup *plan);
/* Says that a model with noise is not served, and why. 0: it has none. */
int run_setup_refuse_noise(const struct run_setup *plan, const struct cli_settings *settings,
                           const char *why);
/* Says what is missing or impossible of method and step, and makes the problem. */
int run_setup_problem(const struct run_setup *plan, const struct cli_settings *settings,
                      struct noe_problem *problem);
/* Checks that `until` is stated and lies after `from`. */
int run_setup_horizon(const struct run_setup *plan, const struct cli_settings *settings);
/* How many steps: --steps, or what fits between the start time and the end time, which then need
 * not be reached; -1: as many as the method takes to get there. */
int run_setup_steps(const struct run_setup *plan, const struct cli_settings *settings,
                    const struct noe_problem *problem, long *steps, bool *ended_early);
/* The format of a path given to --output; nothing if that is NULL. */
int run_setup_format(const char *path, const struct noe_format **format);
/* What a recorded file says of its run; `steps` -1: it was given an end time. */
void run_setup_words(const struct run_setup *plan, long steps, size_t size, char *words);
/* A number given to an option as an expression in the model's parameters. */
int run_setup_number(const struct run_setup *plan, const char *option, const char *text,
                     real *value);
/* A count given to an option: an expression whose value is an integer >= least. */
int run_setup_count(const struct run_setup *plan, const char *option, const char *text, long min,
                    long *value);
/* Copies the entry of a list at `at`, up to a comma outside of brackets and without the spaces
 * around it; returns where the next begins. */
const char *run_setup_entry(const char *at, size_t size, char *entry);
/* A step that divides the time from start to end into `steps` equal parts. */
struct cli_rung {
    real h;
    long steps;
};
/* The steps given to --steps as a list: at most `most` of them. */
int run_setup_rungs(const struct run_setup *plan, const char *list, int max, struct cli_rung *rung,
                    int *count);

/* Writes the whole of `text` to the file `path`, or nothing; words are printed on failure. */
int cli_write_file(const char *path, const char *text);
struct json;
/* Prints the finished text on standard output and clears it; words are printed on failure. */
int cli_print_json(struct json *json);

/* Set by SIGINT and SIGTERM once cli_interrupt_catch was called; a second signal kills. */
extern volatile sig_atomic_t cli_interrupted;
void cli_interrupt_catch(void);

#endif
