/* Published experiments: their files, their results, and the report. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_REPRODUCE_REPRODUCE_H
#define CLI_REPRODUCE_REPRODUCE_H

#include "cli/cli.h"

enum {
    REPRODUCE_RUNS = 64,
    REPRODUCE_VALUES = 64,
    REPRODUCE_CLAIMS = 32,
    REPRODUCE_COMPARISONS = 128,
    REPRODUCE_PICTURES = 16,
    REPRODUCE_CHOICES = 32,
    REPRODUCE_WORDS_MAX = 128,
    REPRODUCE_NAME = 64,
    REPRODUCE_DIGEST = 17
};

/* A command line as typed by a user. */
struct reproduce_run {
    const char *name, *command;
    const char *quick; /* arguments added by --quick; NULL: none */
    int exit_status;   /* expected exit status */
};

/* A named expression. */
struct reproduce_value {
    const char *name, *expression;
};

struct reproduce_picture {
    const char *title, *command, *quick;
};

/* A choice that the publication leaves open, and its reason. */
struct reproduce_choice {
    const char *what, *why;
};

enum reproduce_relation {
    REPRODUCE_EQUAL, /* left = right within tolerance */
    REPRODUCE_BELOW,
    REPRODUCE_ABOVE,
    REPRODUCE_BETWEEN, /* left in right .. tolerance */
    REPRODUCE_WORDS    /* left is the string `right` */
};

/* A comparison of expressions, as text. */
struct reproduce_test {
    enum reproduce_relation relation;
    const char *right, *tolerance; /* tolerance NULL: none */
    bool is_relative;              /* the tolerance is in percent of `right` */
};

struct reproduce_comparison {
    const char *label, *left;
    struct reproduce_test test, quick;
    bool has_quick, is_skipped; /* effect of --quick */
    const char *published;      /* published value; NULL: the expected one */
    const char *under;          /* convention under which the value holds; NULL: none */
};

enum reproduce_verdict {
    REPRODUCE_NONE,
    REPRODUCE_REPRODUCED,
    REPRODUCE_CONVENTION,
    REPRODUCE_NARROWED, /* holds for less than was claimed */
    REPRODUCE_OPEN,     /* not decided by the evidence */
    REPRODUCE_REFUTED
};

/* A published claim, with its comparisons from `first` on. */
struct reproduce_claim {
    const char *keys; /* keys of the inventory, separated by commas */
    const char *published;
    enum reproduce_verdict verdict;
    const char *reason;
    int first, ncomparisons;
};

/* Content of experiments/NAME/experiment. Texts point into `text`. */
struct reproduce_experiment {
    char name[REPRODUCE_NAME];
    char *folder, *text;
    const char *title, *source, *about;
    int nruns, nvalues, nclaims, ncomparisons, npictures, nchoices;
    struct reproduce_run run[REPRODUCE_RUNS];
    struct reproduce_value value[REPRODUCE_VALUES];
    struct reproduce_claim claim[REPRODUCE_CLAIMS];
    struct reproduce_comparison comparison[REPRODUCE_COMPARISONS];
    struct reproduce_picture picture[REPRODUCE_PICTURES];
    struct reproduce_choice choice[REPRODUCE_CHOICES];
};

/* Reads folder/experiment. Returns 0, or the exit status after a message. Free it in every case. */
int reproduce_file_open(struct reproduce_experiment **experiment, const char *folder,
                        const char *name);
void reproduce_file_free(struct reproduce_experiment *experiment);
const char *reproduce_verdict_word(enum reproduce_verdict verdict);

/* Splits a command line into words like a shell, including quotes; `line` is modified, and `word`
 * has room for REPRODUCE_WORDS_MAX and a NULL. False if there are too many. */
bool reproduce_cut_words(char *line, int *count, char **word);

/* Output of the runs: `output[i]` is the JSON of run i, NULL if there is none. */
struct reproduce_outputs {
    const struct reproduce_experiment *experiment;
    const char *folder; /* directory of the recorded files */
    char *output[REPRODUCE_RUNS];
};

/* Evaluates an expression. Fills the error on failure. */
enum noe_status reproduce_value_number(const struct reproduce_outputs *outputs, const char *text,
                                       real *value, struct noe_error *error);
/* The string at a path; free() it. */
enum noe_status reproduce_value_words(const struct reproduce_outputs *outputs, const char *text,
                                      char **value, struct noe_error *error);

/* Runs an experiment in the existing directory `folder` and writes folder/result.json, which
 * contains `digest`. Returns an exit status. */
int reproduce_work(const struct reproduce_experiment *experiment, const char *folder, bool is_quick,
                   const char *digest);

/* Results of experiments: `result[i]` is the text of a result.json. */
struct reproduce_results {
    const char *directory;
    int count;
    char *const *result;
    double seconds;
    bool is_quick;
};

/* Writes directory/report.html. */
int reproduce_html_write(const struct reproduce_results *results);
void reproduce_summary_print(const struct reproduce_results *results);
void reproduce_summary_json(const struct reproduce_results *results);
/* The words of verdicts in the order of the report, NULL after the last, and the number of claims
 * of one experiment with such a verdict. */
const char *reproduce_summary_word(int k);
int reproduce_summary_count(const char *result, const char *word);
/* Number of claims whose verdict does not hold. */
int reproduce_summary_failed(const struct reproduce_results *results);

/* Members of a JSON object: a string (free() it; NULL: none), a number (NaN: none), a boolean, an
 * array (empty if missing). */
char *reproduce_member_words(const char *object, const char *key);
real reproduce_member_number(const char *object, const char *key);
bool reproduce_member_is_true(const char *object, const char *key);
const char *reproduce_member_array(const char *object, const char *key);

/* Finds the directory of the experiments, and their names (free() all of them). */
int reproduce_directory_find(char *folder, size_t size);
int reproduce_directory_names(const char *folder, int *count, char ***names);
/* Creates the directory of results, or accepts it if it is empty, from an earlier call, or
 * forced. */
int reproduce_directory_open(const char *directory, bool is_forced);
/* Creates directory/name; free() `folder`. */
int reproduce_directory_make(const char *directory, const char *name, char **folder);
/* Digest of the files of an experiment and of the program. */
void reproduce_directory_digest(const char *folder, bool is_quick, char digest[REPRODUCE_DIGEST]);

/* Content of a file, null-terminated; free() it. NULL if it cannot be read. */
char *reproduce_read_text(const char *path);
char *reproduce_read(const char *path, size_t *size);
/* folder/name; free() it. NULL if memory runs out. */
char *reproduce_path(const char *folder, const char *name);

#endif
