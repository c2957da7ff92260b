/* Results of experiments as a short summary and as one JSON object. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reproduce/reproduce.h"
#include "output/json_reader.h"
#include "output/json_writer.h"

static const char *const verdict_words[] = {
    "reproduced", "reproduced under a convention", "narrowed", "open", "refuted", "not checked",
    "FAILED"};
enum { NWORDS = sizeof verdict_words / sizeof *verdict_words, FAILED = NWORDS - 1 };

char *reproduce_member_words(const char *object, const char *key) {
    const char *value = object ? json_member(object, key, strlen(key)) : NULL;
    return value ? json_copy(value) : NULL;
}

real reproduce_member_number(const char *object, const char *key) {
    const char *value = object ? json_member(object, key, strlen(key)) : NULL;
    real x;
    return value && json_number(value, &x) ? x : (real)__builtin_nan("");
}

bool reproduce_member_is_true(const char *object, const char *key) {
    const char *value = json_member(object, key, strlen(key));
    return value && *value == 't';
}

const char *reproduce_member_array(const char *object, const char *key) {
    const char *value = object ? json_member(object, key, strlen(key)) : NULL;
    return value ? value : "[]";
}

const char *reproduce_summary_word(int k) { return k < NWORDS ? verdict_words[k] : NULL; }

int reproduce_summary_count(const char *result, const char *word) {
    const char *claims = reproduce_member_array(result, "claims");
    int count = 0;
    for (struct json_item claim = {0}; json_step(claims, &claim);) {
        char *verdict = reproduce_member_words(claim.value, "verdict");
        count += verdict && strcmp(verdict, word) == 0;
        free(verdict);
    }
    return count;
}

static void count_verdicts(const struct reproduce_results *results, int *count) {
    for (int i = 0; i < results->count; i++)
        for (int k = 0; k < NWORDS; k++)
            count[k] += reproduce_summary_count(results->result[i], verdict_words[k]);
}

int reproduce_summary_failed(const struct reproduce_results *results) {
    int count[NWORDS] = {0};
    count_verdicts(results, count);
    return count[FAILED];
}

/* Prints a comparison that does not hold. */
static void print_comparison(const char *comparison) {
    char *label = reproduce_member_words(comparison, "label");
    char *message = reproduce_member_words(comparison, "message");
    char *relation = reproduce_member_words(comparison, "relation");
    cli_print("      %s: ", label ? label : "");
    if (message && *message)
        puts(message);
    else
        printf("found %.10g, expected %s %.10g (%.3g)\n",
               (double)reproduce_member_number(comparison, "value"), relation ? relation : "",
               (double)reproduce_member_number(comparison, "expected"),
               (double)reproduce_member_number(comparison, "tolerance"));
    free(label);
    free(message);
    free(relation);
}

static void print_claim(const char *claim) {
    char *keys = reproduce_member_words(claim, "keys");
    char *verdict = reproduce_member_words(claim, "verdict");
    cli_print("    %-44s %s\n", keys ? keys : "", verdict ? verdict : "");
    if (verdict && strcmp(verdict, verdict_words[FAILED]) == 0) {
        const char *comparisons = reproduce_member_array(claim, "comparisons");
        for (struct json_item item = {0}; json_step(comparisons, &item);)
            if (!reproduce_member_is_true(item.value, "holds") &&
                !reproduce_member_is_true(item.value, "skipped"))
                print_comparison(item.value);
    }
    free(keys);
    free(verdict);
}

/* Prints runs with an unexpected exit status. */
static void print_runs(const char *result) {
    const char *runs = reproduce_member_array(result, "runs");
    for (struct json_item run = {0}; json_step(runs, &run);) {
        const real found = reproduce_member_number(run.value, "exit");
        if (found == reproduce_member_number(run.value, "expected_exit")) continue;
        char *name = reproduce_member_words(run.value, "name");
        char *message = reproduce_member_words(run.value, "message");
        cli_print("      run %s: exit status %d: %s\n", name ? name : "", (int)found,
                  message ? message : "");
        free(name);
        free(message);
    }
}

static int count_missing(const struct reproduce_results *results) {
    int missing = 0;
    for (int i = 0; i < results->count; i++) {
        const char *pictures = reproduce_member_array(results->result[i], "pictures");
        for (struct json_item picture = {0}; json_step(pictures, &picture);) {
            char *file = reproduce_member_words(picture.value, "file");
            missing += !file;
            free(file);
        }
    }
    return missing;
}

void reproduce_summary_print(const struct reproduce_results *results) {
    int count[NWORDS] = {0}, claims = 0;
    count_verdicts(results, count);
    for (int i = 0; i < results->count; i++) {
        const char *result = results->result[i];
        char *name = reproduce_member_words(result, "name");
        char *title = reproduce_member_words(result, "title");
        cli_print("%s: %s (%.1f s)\n", name ? name : "", title ? title : "",
                  (double)reproduce_member_number(result, "seconds"));
        print_runs(result);
        const char *list = reproduce_member_array(result, "claims");
        for (struct json_item claim = {0}; json_step(list, &claim);) print_claim(claim.value);
        free(name);
        free(title);
    }
    for (int k = 0; k < NWORDS; k++) claims += count[k];
    printf("\n%d claim%s:", claims, claims == 1 ? "" : "s");
    for (int k = 0, shown = 0; k < NWORDS; k++)
        if (count[k]) printf("%s %d %s", shown++ ? "," : "", count[k], verdict_words[k]);
    const int missing = count_missing(results);
    if (missing)
        printf("\n%d picture%s missing; the report says why", missing, missing == 1 ? "" : "s");
    cli_print("\nreport: %s/report.html (%.1f s)\n", results->directory, results->seconds);
}

void reproduce_summary_json(const struct reproduce_results *results) {
    int count[NWORDS] = {0};
    count_verdicts(results, count);
    puts("{\"experiments\": [");
    for (int i = 0; i < results->count; i++)
        printf("%s%s", i ? "," : "", results->result[i] ? results->result[i] : "null");
    struct json json;
    json_init(&json);
    json_object(&json, NULL);
    for (int k = 0; k < NWORDS; k++) json_integer(&json, verdict_words[k], count[k]);
    json_end(&json);
    const char *text = json_text(&json);
    printf("], \"verdicts\": %s, \"pictures_missing\": %d, \"wall_seconds\": %.6g}\n",
           text ? text : "null", count_missing(results), results->seconds);
    json_clear(&json);
}
