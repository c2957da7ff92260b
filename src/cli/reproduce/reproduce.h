/* Published experiments: what their files say, what running them gives, and the report. */
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
    REPRODUCE_NAME = 64,
    REPRODUCE_DIGEST = 17
};

/* A command line as a user types it. */
struct reproduce_run {
    const char *name, *command;
    const char *quick; /* arguments added by --quick, NULL: none */
    int exit_status;   /* the one expected */
};

/* A name for an expression. */
struct reproduce_value {
    const char *name, *expression;
};

struct reproduce_picture {
    const char *title, *command, *quick;
};

/* What was not stated and therefore chosen, and why. */
struct reproduce_choice {
    const char *what, *why;
};

enum reproduce_relation {
    REPRODUCE_EQUAL, /* left = right within tolerance */
    REPRODUCE_BELOW,
    REPRODUCE_ABOVE,
    REPRODUCE_BETWEEN, /* left in right .. tolerance */
    REPRODUCE_WORDS    /* left is the word `right` */
};

/* Texts of expressions. */
struct reproduce_test {
    enum reproduce_relation relation;
    const char *right, *tolerance; /* tolerance NULL: none */
    bool is_relative;              /* the tolerance is in percent of `right` */
};

struct reproduce_comparison {
    const char *label, *left;
    struct reproduce_test test, quick;
    bool has_rattle, is_skipped; /* by --quick */
    const char *published;       /* NULL: what is expected is what was published */
    const char *under;           /* the convention, NULL: none */
};

enum reproduce_verdict {
    REPRODUCE_NONE,
    REPRODUCE_REPRODUCED,
    REPRODUCE_CONVENTION,
    REPRODUCE_REFUTED
};

/* Something published, with the comparisons from `first` on that carry its verdict. */
struct reproduce_claim {
    const char *keys; /* of the inventory, separated by commas */
    const char *published;
    enum reproduce_verdict verdict;
    const char *reason;
    int first, ncomparisons;
};

/* What experiments/NAME/experiment says; texts point into `text`. */
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

/* Reads folder/experiment; 0, or the exit status after words. Free it in every case. */
int reproduce_file_open(struct reproduce_experiment **experiment, const char *folder,
                        const char *name);
void reproduce_file_free(struct reproduce_experiment *experiment);
const char *reproduce_verdict_word(enum reproduce_verdict verdict);

/* What runs printed: `output[i]` is the JSON of run i, NULL if there is none. */
struct reproduce_outputs {
    const struct reproduce_experiment *experiment;
    const char *folder; /* where recorded files are */
    char *output[REPRODUCE_RUNS];
};

/* The value of an expression; what is wrong with it fills the error. */
enum noe_status reproduce_value_number(const struct reproduce_outputs *outputs, const char *text,
                                       real *value, struct noe_error *error);
/* The string at a path; free() it. */
enum noe_status reproduce_value_words(const struct reproduce_outputs *outputs, const char *text,
                                      char **value, struct noe_error *error);

/* Runs an experiment in the directory `folder`, which exists, and writes folder/result.json with
 * `digest` in it. Returns an exit status. */
int reproduce_work(const struct reproduce_experiment *experiment, const char *folder,
                   bool is_rattle, const char *digest);

/* Results of experiments: `result[i]` is the text of a result.json. */
struct reproduce_results {
    const char *directory;
    int count;
    char *const *result;
    double seconds;
    bool is_rattle;
};

/* Writes directory/report.html. */
int reproduce_html_write(const struct reproduce_results *results);
void reproduce_summary_print(const struct reproduce_results *results);
void reproduce_summary_json(const struct reproduce_results *results);
/* How many claims have a verdict that does not stand. */
int reproduce_summary_failed(const struct reproduce_results *results);

/* Members of a JSON object: a string (free() it, NULL: none), a number (NaN: none), a truth, an
 * array (an empty one where there is none). */
char *reproduce_member_words(const char *object, const char *key);
real reproduce_member_number(const char *object, const char *key);
bool reproduce_member_is_true(const char *object, const char *key);
const char *reproduce_member_array(const char *object, const char *key);

/* Finds the folder that holds the experiments, and their names in it (free() all of them). */
int reproduce_directory_find(char *folder, size_t size);
int reproduce_directory_names(const char *folder, int *count, char ***names);
/* Makes or accepts the directory of results: empty, of an earlier call, or forced. */
int reproduce_directory_open(const char *directory, bool is_forced);
/* Makes directory/name; free() `folder`. */
int reproduce_directory_make(const char *directory, const char *name, char **folder);
/* Changes with the files of an experiment and with the program. */
void reproduce_directory_digest(const char *folder, bool is_rattle, char digest[REPRODUCE_DIGEST]);

/* The whole of a file, ended with 0; free() it. NULL: it cannot be read. */
char *reproduce_read_text(const char *path);
char *reproduce_read(const char *path, size_t *size);
/* folder/name; free() it. NULL: no memory. */
char *reproduce_path(const char *folder, const char *name);

#endif
