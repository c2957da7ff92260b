/* Parser of experiment files: statements begin at the margin, clauses follow bars. */
/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cli/reproduce/reproduce.h"

/* A statement, split into its first part and its clauses. All texts point into the experiment's. */
enum { CLAUSES = 8 };
struct statement {
    char *keyword, *rest; /* `rest` excludes the clauses */
    int nclauses;
    char *clause[CLAUSES];
};

struct reader {
    struct reproduce_experiment *experiment;
    const char *original; /* the unmodified text, with the same offsets */
    struct noe_error *error;
};

/* Reports an error at `at`, which points into the experiment's text. */
static bool wrong(const struct reader *reader, const char *at, const char *format, const char *word,
                  const char *hint) {
    int line = 1, column = 1;
    const size_t offset = (size_t)(at - reader->experiment->text);
    for (size_t i = 0; i < offset; i++) {
        const unsigned char c = (unsigned char)reader->original[i];
        column = c == '\n' ? 1 : column + ((c & 0xC0) != 0x80);
        line += c == '\n';
    }
    char text[160];
    snprintf(text, sizeof text, format, word);
    status_set_at(reader->error, line, column, "%s%s", text, hint ? hint : "");
    return false;
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1])) text[--length] = 0;
    return text;
}

/* Collapses white space in a text for display. */
static char *prose(char *text) {
    text = trim(text);
    char *out = text;
    for (const char *at = text; *at; at++)
        if (*at != ' ' || at[1] != ' ') *out++ = *at;
    *out = 0;
    return text;
}

/* Ends `text` before the first `mark` that stands between spaces and outside of brackets. Returns
 * the text after it, or NULL. */
static char *split(char *text, const char *mark) {
    const size_t length = strlen(mark);
    int depth = 0;
    for (char *at = text; *at; at++) {
        depth += strchr("([{", *at) != NULL;
        depth -= strchr(")]}", *at) != NULL;
        const bool is_mark = depth <= 0 && isspace((unsigned char)*at) &&
                             strncmp(at + 1, mark, length) == 0 &&
                             isspace((unsigned char)at[length + 1]);
        if (!is_mark) continue;
        *at = 0;
        return at + length + 2;
    }
    return NULL;
}

/* The text after the keyword of a clause, or NULL if it is another clause. */
static char *clause_of(char *clause, const char *word) {
    const size_t length = strlen(word);
    if (strncmp(clause, word, length) != 0) return NULL;
    if (clause[length] && !isspace((unsigned char)clause[length])) return NULL;
    return trim(clause + length);
}

static bool unknown_clause(const struct reader *reader, const char *clause, const char *known) {
    char hint[120];
    snprintf(hint, sizeof hint, "; known here: %s", known);
    return wrong(reader, clause, "unknown clause '%.60s'", clause, hint);
}

static bool is_name(const char *text) {
    if (!isalpha((unsigned char)*text)) return false;
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
           0;
}

/* "NAME : rest": splits off the rest. */
static char *after_colon(const struct reader *reader, char *text) {
    char *rest = split(text, ":");
    if (!rest) {
        wrong(reader, text, "expected ' : ' after '%.60s'", text, NULL);
        return NULL;
    }
    return trim(rest);
}

/* True if the word of a command, or the value of its option, is a path that leaves the folder. */
static bool leaves_folder(const char *word) {
    const char *value = strncmp(word, "-o", 2) == 0 ? word + 2 : word;
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    if (equals) value = equals + 1;
    if (value[0] == '/') return true;
    for (const char *at = value; at; at = strchr(at, '/')) {
        at += at != value;
        if (strncmp(at, "..", 2) == 0 && (!at[2] || at[2] == '/')) return true;
    }
    return false;
}

/* The commands of an experiment read and write in their own folder. `words` is a command, or
 * arguments that are added to it. */
static bool read_words(const struct reader *reader, const char *words) {
    char line[4096], *word[REPRODUCE_WORDS_MAX + 1];
    int count = 0;
    const int length = snprintf(line, sizeof line, "%s", words);
    if (length >= (int)sizeof line || !reproduce_cut_words(line, &count, word))
        return wrong(reader, words, "%s", "the command is too long", NULL);
    for (int i = 0; i < count; i++)
        if (leaves_folder(word[i]))
            return wrong(reader, words, "'%.60s' leads out of the folder of the experiment",
                         word[i], NULL);
    return true;
}

static bool read_command(const struct reader *reader, const char *command) {
    if (strncmp(command, "noether ", 8) == 0) return read_words(reader, command);
    return wrong(reader, command, "a command begins with 'noether', found '%.60s'", command, NULL);
}

static bool read_run(struct reader *reader, struct statement *statement) {
    struct reproduce_experiment *experiment = reader->experiment;
    struct reproduce_run run = {0};
    char *command = after_colon(reader, statement->rest), *words;
    if (!command) return false;
    run.name = trim(statement->rest);
    run.command = prose(command);
    if (!is_name(run.name))
        return wrong(reader, run.name, "'%.60s' is no name of letters, digits and _", run.name,
                     NULL);
    for (int i = 0; i < experiment->nruns; i++)
        if (strcmp(experiment->run[i].name, run.name) == 0)
            return wrong(reader, run.name, "a second run '%.60s'", run.name, NULL);
    if (!read_command(reader, command)) return false;
    for (int i = 0; i < statement->nclauses; i++) {
        char *clause = statement->clause[i];
        if ((words = clause_of(clause, "quick"))) {
            run.quick = words;
            if (!read_words(reader, words)) return false;
        } else if ((words = clause_of(clause, "exits")) && isdigit((unsigned char)*words))
            run.exit_status = atoi(words);
        else
            return unknown_clause(reader, clause, "quick ARGUMENTS, exits STATUS");
    }
    if (experiment->nruns == REPRODUCE_RUNS)
        return wrong(reader, run.name, "%s", "too many runs", NULL);
    experiment->run[experiment->nruns++] = run;
    return true;
}

static bool read_let(struct reader *reader, struct statement *statement) {
    struct reproduce_experiment *experiment = reader->experiment;
    char *expression = split(statement->rest, "=");
    const char *name = trim(statement->rest);
    if (!expression || !is_name(name))
        return wrong(reader, statement->rest, "expected NAME = EXPRESSION, found '%.60s'",
                     statement->rest, NULL);
    if (experiment->nvalues == REPRODUCE_VALUES)
        return wrong(reader, name, "%s", "too many values", NULL);
    experiment->value[experiment->nvalues++] = (struct reproduce_value){name, trim(expression)};
    return true;
}

/* Parses a relation and its right side, after the left side was split off. */
static bool read_test(const struct reader *reader, struct reproduce_test *test, char *right,
                      enum reproduce_relation relation) {
    const char *mark = relation == REPRODUCE_EQUAL     ? "within"
                       : relation == REPRODUCE_BETWEEN ? ".."
                                                       : NULL;
    char *tolerance = mark ? split(right, mark) : NULL;
    *test = (struct reproduce_test){relation, trim(right), NULL, false};
    if (!*test->right) return wrong(reader, right, "%s", "expected a value", NULL);
    if (!mark) return true;
    if (!tolerance || !*trim(tolerance))
        return wrong(reader, right, "expected '%s' and a value after it", mark, NULL);
    tolerance = trim(tolerance);
    const size_t length = strlen(tolerance);
    test->is_relative = relation == REPRODUCE_EQUAL && tolerance[length - 1] == '%';
    if (test->is_relative) tolerance[length - 1] = 0;
    test->tolerance = tolerance;
    return true;
}

static const struct {
    const char *mark;
    enum reproduce_relation relation;
} relations[] = {{"=", REPRODUCE_EQUAL},
                 {"<", REPRODUCE_BELOW},
                 {">", REPRODUCE_ABOVE},
                 {"in", REPRODUCE_BETWEEN},
                 {"is", REPRODUCE_WORDS}};
enum { NRELATIONS = sizeof relations / sizeof *relations };

/* Parses "LEFT RELATION RIGHT" and ends the text after LEFT. */
static bool read_relation(const struct reader *reader, struct reproduce_test *test, char *text) {
    for (int i = 0; i < NRELATIONS; i++) {
        char *right = split(text, relations[i].mark);
        if (right) return read_test(reader, test, trim(right), relations[i].relation);
    }
    return wrong(reader, text,
                 "expected '= V within T', '= V within P%%', '< V', '> V', 'in A .. B' or 'is "
                 "WORD' after '%.60s'",
                 text, NULL);
}

/* Parses the expectation of --quick: a relation without a left side, or `skip`. */
static bool read_quick(const struct reader *reader, struct reproduce_comparison *comparison,
                       char *words) {
    if (strcmp(words, "skip") == 0) {
        comparison->is_skipped = true;
        return true;
    }
    comparison->has_quick = true;
    if (words > reader->experiment->text) words--; /* the space before the mark */
    return read_relation(reader, &comparison->quick, words);
}

static bool read_compare(struct reader *reader, struct statement *statement) {
    struct reproduce_experiment *experiment = reader->experiment;
    struct reproduce_comparison comparison = {0};
    char *test = after_colon(reader, statement->rest), *words;
    if (!test) return false;
    if (experiment->nclaims == 0 || experiment->claim[experiment->nclaims - 1].verdict)
        return wrong(reader, statement->rest, "%s", "a comparison belongs after a claim", NULL);
    comparison.label = prose(statement->rest);
    comparison.left = test;
    if (!read_relation(reader, &comparison.test, test)) return false;
    trim(test);
    for (int i = 0; i < statement->nclauses; i++) {
        char *clause = statement->clause[i];
        if ((words = clause_of(clause, "published")))
            comparison.published = prose(words);
        else if ((words = clause_of(clause, "under")))
            comparison.under = prose(words);
        else if ((words = clause_of(clause, "quick"))) {
            if (!read_quick(reader, &comparison, words)) return false;
        } else
            return unknown_clause(reader, clause, "published, under, quick");
    }
    if (experiment->ncomparisons == REPRODUCE_COMPARISONS)
        return wrong(reader, test, "%s", "too many comparisons", NULL);
    experiment->comparison[experiment->ncomparisons++] = comparison;
    experiment->claim[experiment->nclaims - 1].ncomparisons++;
    return true;
}

static bool read_claim(struct reader *reader, struct statement *statement) {
    struct reproduce_experiment *experiment = reader->experiment;
    char *published = after_colon(reader, statement->rest);
    if (!published) return false;
    if (experiment->nclaims && !experiment->claim[experiment->nclaims - 1].verdict)
        return wrong(reader, statement->rest, "%s", "the claim before this one has no verdict",
                     NULL);
    if (experiment->nclaims == REPRODUCE_CLAIMS)
        return wrong(reader, statement->rest, "%s", "too many claims", NULL);
    experiment->claim[experiment->nclaims++] =
        (struct reproduce_claim){.keys = prose(statement->rest),
                                 .published = prose(published),
                                 .first = experiment->ncomparisons};
    return true;
}

/* In the order of enum reproduce_verdict. */
static const char *const verdicts[] = {"none",     "reproduced", "reproduced under a convention",
                                       "narrowed", "open",       "refuted"};
enum { NVERDICTS = sizeof verdicts / sizeof *verdicts };

const char *reproduce_verdict_word(enum reproduce_verdict verdict) { return verdicts[verdict]; }

static bool read_verdict(struct reader *reader, struct statement *statement) {
    struct reproduce_experiment *experiment = reader->experiment;
    char *reason = after_colon(reader, statement->rest);
    if (!reason) return false;
    const char *word = trim(statement->rest);
    struct reproduce_claim *claim =
        experiment->nclaims ? &experiment->claim[experiment->nclaims - 1] : NULL;
    if (!claim || claim->verdict)
        return wrong(reader, word, "%s", "a verdict belongs to a claim before it", NULL);
    if (claim->ncomparisons == 0)
        return wrong(reader, word, "%s", "a verdict needs a comparison that carries it", NULL);
    for (int i = 1; i < NVERDICTS; i++)
        if (strcmp(word, verdicts[i]) == 0) claim->verdict = (enum reproduce_verdict)i;
    claim->reason = prose(reason);
    if (claim->verdict) return true;
    return wrong(
        reader, word,
        "a verdict is 'reproduced', 'reproduced under a convention', 'narrowed', 'open' or "
        "'refuted', not '%.60s'",
        word, NULL);
}

static bool read_picture(struct reader *reader, struct statement *statement) {
    struct reproduce_experiment *experiment = reader->experiment;
    struct reproduce_picture picture = {0};
    char *command = after_colon(reader, statement->rest), *words;
    if (!command || !read_command(reader, command)) return false;
    picture.title = prose(statement->rest);
    picture.command = prose(command);
    for (int i = 0; i < statement->nclauses; i++)
        if ((words = clause_of(statement->clause[i], "quick"))) {
            picture.quick = words;
            if (!read_words(reader, words)) return false;
        } else
            return unknown_clause(reader, statement->clause[i], "quick ARGUMENTS");
    if (experiment->npictures == REPRODUCE_PICTURES)
        return wrong(reader, command, "%s", "too many pictures", NULL);
    experiment->picture[experiment->npictures++] = picture;
    return true;
}

static bool read_chosen(struct reader *reader, struct statement *statement) {
    struct reproduce_experiment *experiment = reader->experiment;
    char *why = after_colon(reader, statement->rest);
    if (!why) return false;
    if (experiment->nchoices == REPRODUCE_CHOICES)
        return wrong(reader, why, "%s", "too many choices", NULL);
    experiment->choice[experiment->nchoices++] =
        (struct reproduce_choice){prose(statement->rest), prose(why)};
    return true;
}

static bool read_title(struct reader *reader, struct statement *statement) {
    reader->experiment->title = prose(statement->rest);
    return true;
}

static bool read_source(struct reader *reader, struct statement *statement) {
    reader->experiment->source = prose(statement->rest);
    return true;
}

static bool read_about(struct reader *reader, struct statement *statement) {
    reader->experiment->about = prose(statement->rest);
    return true;
}

static const struct {
    const char *keyword;
    bool (*read)(struct reader *, struct statement *);
} kinds[] = {{"title", read_title},    {"source", read_source},   {"about", read_about},
             {"chosen", read_chosen},  {"run", read_run},         {"let", read_let},
             {"claim", read_claim},    {"compare", read_compare}, {"verdict", read_verdict},
             {"picture", read_picture}};
enum { NKINDS = sizeof kinds / sizeof *kinds };

static bool read_statement(struct reader *reader, struct statement *statement) {
    const char *names[NKINDS];
    if (!*statement->rest)
        return wrong(reader, statement->keyword, "'%s' says nothing", statement->keyword, NULL);
    for (int i = 0; i < NKINDS; i++) {
        names[i] = kinds[i].keyword;
        if (strcmp(kinds[i].keyword, statement->keyword) == 0)
            return kinds[i].read(reader, statement);
    }
    const char *near = status_nearest(statement->keyword, NKINDS, names);
    char hint[80] = "";
    if (near) snprintf(hint, sizeof hint, " (did you mean '%s'?)", near);
    return wrong(reader, statement->keyword, "unknown statement '%.40s'", statement->keyword, hint);
}

/* Splits "keyword rest | clause | clause". */
static bool cut(const struct reader *reader, struct statement *statement, char *text) {
    *statement = (struct statement){.keyword = text};
    char *rest = text + strcspn(text, " \t\n");
    for (char *at = rest; *at; at++)
        if (isspace((unsigned char)*at)) *at = ' ';
    if (*rest) *rest++ = 0;
    for (char *next = split(rest, "|"); next;) {
        char *clause = next;
        if (statement->nclauses == CLAUSES)
            return wrong(reader, clause, "%s", "too many clauses", NULL);
        next = split(clause, "|");
        statement->clause[statement->nclauses++] = trim(clause);
    }
    statement->rest = trim(rest);
    return true;
}

/* Replaces comments by spaces, so that a statement may continue after one. */
static void blank_comments(char *text) {
    for (char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        char *at = line + strspn(line, " \t");
        if (*at != '#') continue;
        while (*at && *at != '\n') *at++ = ' ';
    }
}

/* End of the statement that begins at `at`: the next line that begins at the margin. */
static char *statement_end(char *at) {
    for (char *line = strchr(at, '\n'); line; line = strchr(line + 1, '\n'))
        if (line[1] && !isspace((unsigned char)line[1])) return line;
    return at + strlen(at);
}

static bool read_all(struct reader *reader) {
    struct reproduce_experiment *experiment = reader->experiment;
    struct statement statement;
    char *at = experiment->text;
    blank_comments(at);
    while (isspace((unsigned char)*at)) at++;
    while (*at) {
        char *end = statement_end(at);
        const bool is_last = *end == 0;
        *end = 0;
        if (!cut(reader, &statement, at) || !read_statement(reader, &statement)) return false;
        at = is_last ? end : end + 1;
    }
    at = experiment->text;
    if (!experiment->title || !experiment->source)
        return wrong(reader, at, "%s", "an experiment states a title and a source", NULL);
    if (experiment->nclaims == 0) return wrong(reader, at, "%s", "an experiment has a claim", NULL);
    if (!experiment->claim[experiment->nclaims - 1].verdict)
        return wrong(reader, at, "%s", "the last claim has no verdict", NULL);
    return true;
}

char *reproduce_path(const char *folder, const char *name) {
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s", folder, name);
    return path;
}

char *reproduce_read_text(const char *path) {
    size_t size;
    return reproduce_read(path, &size);
}

char *reproduce_read(const char *path, size_t *size) {
    FILE *file = path ? fopen(path, "r") : NULL;
    if (!file) return NULL;
    char *text = NULL;
    size_t length = 0, room = 0;
    for (size_t got = 1; got > 0; length += got) {
        if (length + 1 >= room) {
            room = 2 * room + 4096;
            char *grown = realloc(text, room);
            if (!grown) break;
            text = grown;
        }
        got = fread(text + length, 1, room - length - 1, file);
    }
    if (text) text[length] = 0;
    *size = length;
    fclose(file);
    return text;
}

int reproduce_file_open(struct reproduce_experiment **experiment, const char *folder,
                        const char *name) {
    struct noe_error error = {0};
    struct reproduce_experiment *made = calloc(1, sizeof *made);
    *experiment = made;
    char *path = made ? reproduce_path(folder, "experiment") : NULL;
    if (!path) return cli_no_memory();
    snprintf(made->name, sizeof made->name, "%s", name);
    made->folder = strdup(folder);
    made->text = reproduce_read_text(path);
    char *original = made->text ? strdup(made->text) : NULL;
    int exit = CLI_DONE;
    struct reader reader = {made, original, &error};
    if (!original || !made->folder) {
        cli_say("%s cannot be read", path);
        exit = CLI_ENVIRONMENT;
    } else if (!read_all(&reader)) {
        exit = cli_fail_file(path, &error);
    }
    free(original);
    free(path);
    return exit;
}

void reproduce_file_free(struct reproduce_experiment *experiment) {
    if (!experiment) return;
    free(experiment->folder);
    free(experiment->text);
    free(experiment);
}
