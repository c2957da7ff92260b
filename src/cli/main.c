/* The command: finds the subcommand, parses its options, runs it and checks that its output was
 * written. */
/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"
#include "cli/ensemble.h"

static const struct cli_command commands[] = {
    {"run", "FILE ", "integrate a model and report conservation and cost", CLI_RUN, cli_run, NULL},
    {"check", "FILE ",
     "verify derivatives by finite differences and measure the method's order, symplecticity and "
     "reversibility",
     CLI_CHECK, cli_check, NULL},
    {"converge", "FILE --steps H1,H2,... ",
     "measure the order of a method against a reference solution", CLI_CONVERGE, cli_converge,
     NULL},
    {"compare", "FILE --methods A,B,... ", "compare methods: work-precision table and diagram",
     CLI_COMPARE, cli_compare, NULL},
    {"section", "FILE ", "compute Poincare sections of a motion, to round-off", CLI_SECTION,
     cli_section, NULL},
    {"ensemble", "FILE ", "integrate an ensemble and compute statistics of observed quantities",
     CLI_ENSEMBLE, cli_ensemble, NULL},
    {"control", "FILE ", "solve an optimal control problem", CLI_CONTROL, cli_control, NULL},
    {"optimise", "FILE ", "minimise a function on a configuration space", CLI_OPTIMISE,
     cli_optimise, NULL},
    {"match", "SHAPE [SHAPE] ", "find the rotation that aligns two shapes on the sphere", CLI_MATCH,
     cli_match, NULL},
    {"plot", "FILE.h5|FILE.noe ", "plot a trajectory, section or ensemble", 0, NULL, cli_plot},
    {"methods", "", "list the methods with order, traits and options", CLI_METHODS, cli_methods,
     NULL},
    {"reproduce", "NAME...|all|--list ",
     "repeat published experiments and report a verdict on each", CLI_REPRODUCE | CLI_MANY,
     cli_reproduce, NULL},
    {"export", "FILE [-o model.c] ", "write the model as self-contained C", CLI_EXPORT, cli_export,
     NULL},
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *file) {
    fputs("noether SUBCOMMAND [options] [file.noe]\n\n", file);
    for (int i = 0; i < NCOMMANDS; i++)
        fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'noether SUBCOMMAND --help' lists the options of one; 'noether --version' the "
          "version.\nA first run: noether run examples/double_well.noe\n",
          file);
}

static const struct cli_command *find(const char *name) {
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[NCOMMANDS];
    for (int i = 0; i < NCOMMANDS; i++) names[i] = commands[i].name;
    const char *near = status_nearest(name, NCOMMANDS, names);
    const size_t length = strlen(name);
    if (near)
        cli_say("there is no subcommand '%s' (did you mean '%s'?)", name, near);
    else if (length > 4 && strcmp(name + length - 4, ".noe") == 0)
        cli_say("a subcommand must precede %s, for example: noether run %s", name, name);
    else
        cli_say("there is no subcommand '%s'; 'noether --help' lists them", name);
    return CLI_USAGE;
}

#ifdef NOE_QUAD
static int change_precision(const char *precision, char **argv) {
    (void)argv;
    if (!precision || strcmp(precision, "quad") == 0) return 0;
    cli_say("--precision: this build has only 'quad', found '%s'", precision);
    return CLI_USAGE;
}
#else
/* Replaces the process by the command for quadruple precision, if the option requests it. */
static int change_precision(const char *precision, char **argv) {
    if (!precision || strcmp(precision, "double") == 0) return 0;
    if (strcmp(precision, "quad") != 0) {
        cli_say("--precision: expected 'double' or 'quad', found '%s'", precision);
        return CLI_USAGE;
    }
    static const char *const places[] = {"noether-quad", "../libexec/noether/noether-quad"};
    char self[PATH_MAX], path[PATH_MAX + 64];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", self, places[i]);
        execv(path, argv);
    }
    cli_say("--precision quad needs the program noether-quad beside this one in %s, and it "
            "cannot be started: %s",
            self, strerror(errno));
    return CLI_ENVIRONMENT;
}
#endif

static int run_command(const struct cli_command *command, int argc, char **argv) {
    if (command->run_arguments) return command->run_arguments(argc - 1, argv + 1);
    struct cli_settings settings;
    int exit = cli_options_read(&settings, command, argc - 1, argv + 1);
    if (!exit && settings.help) {
        cli_options_help(command);
        if (command->group == CLI_OPTIMISE) cli_optimise_methods();
    } else if (!exit) {
        exit = change_precision(settings.precision, argv);
        if (!exit) exit = command->run(&settings);
    }
    cli_options_clear(&settings);
    return exit;
}

static int dispatch(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    const bool asks_help =
        strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
    if (asks_help && argc > 2 && find(argv[2])) {
        char *arguments[] = {argv[0], argv[2], (char[]){"--help"}, NULL};
        return run_command(find(argv[2]), 3, arguments);
    }
    if (asks_help) {
        print_usage(stdout);
        return CLI_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        puts("noether " NOE_VERSION " (" NOE_REAL_NAME ")");
        if (cli_ranks->words) puts(cli_ranks->words);
        return CLI_DONE;
    }
    const struct cli_command *command = find(name);
    return command ? run_command(command, argc, argv) : unknown(name);
}

/* True if the reader of standard output has closed it. The errno of an earlier failed write is
 * lost. */
static bool has_no_reader(void) {
    struct pollfd output = {.fd = STDOUT_FILENO};
    return errno == EPIPE || (poll(&output, 1, 0) == 1 && (output.revents & POLLERR));
}

int cli_main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* closed pipes and full quotas become write errors */
    signal(SIGXFSZ, SIG_IGN);
    const int exit = dispatch(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit;
    const int reason = errno ? errno : EIO;
    if (!has_no_reader()) cli_say("standard output could not be written: %s", strerror(reason));
    return CLI_ENVIRONMENT;
}
