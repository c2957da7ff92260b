/* The report: a self-contained HTML page. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/reproduce/reproduce.h"
#include "output/json_reader.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n"
    "<title>Published experiments beside ours</title>\n<style>\n"
    ":root { color-scheme: light dark; --paper: #fff; --ink: #1c1c1e; --faint: #6b6b70;"
    " --line: #d8d8dc; --shade: #f4f4f6; --good: #00704a; --half: #8a5a00; --bad: #a3195b;"
    " --fail: #c00000; --link: #0060a8; }\n"
    "@media (prefers-color-scheme: dark) { :root { --paper: #16161a; --ink: #e8e8ea;"
    " --faint: #9a9aa2; --line: #38383f; --shade: #222228; --good: #4fd0a0; --half: #e6b450;"
    " --bad: #f08ab8; --fail: #ff6b6b; --link: #7ab8f0; }\n"
    " img { filter: invert(0.9) hue-rotate(180deg); } }\n"
    "* { box-sizing: border-box; }\n"
    "body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--paper);"
    " color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }\n"
    "h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin: 0 0 .2rem; }\n"
    "h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; } p { margin: .4rem 0; }\n"
    "a { color: var(--link); } .faint { color: var(--faint); }\n"
    "details { border-top: 1px solid var(--line); padding: .8rem 0; }\n"
    "summary { display: flex; gap: .8rem; align-items: flex-start; cursor: pointer; }"
    " summary > img { flex: none; width: 7rem; max-height: 5rem; object-fit: contain; }"
    " summary h2 { font-size: 1.05rem; }\n"
    "details[open] > summary { flex-direction: column; }"
    " details[open] > summary > img { width: auto; max-height: none; order: 1; }"
    " details[open] h2 { font-size: 1.25rem; }\n"
    ".wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%;"
    " font-size: .92rem; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0;"
    " border-bottom: 1px solid var(--line); } th { color: var(--faint); font-weight: 600; }\n"
    "td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    "code, pre { font: .86rem/1.45 ui-monospace, monospace; } pre { background: var(--shade);"
    " padding: .7rem; overflow-x: auto; border-radius: .4rem; white-space: pre-wrap;"
    " overflow-wrap: anywhere; }\n"
    ".verdict { font-weight: 700; white-space: nowrap; } .reproduced { color: var(--good); }"
    " .convention, .narrowed { color: var(--half); } .refuted { color: var(--bad); }"
    " .failed { color: var(--fail); }\n"
    "figure { margin: 1rem 0; } figcaption { color: var(--faint); font-size: .92rem; }"
    " img { max-width: 100%; height: auto; border-radius: .4rem; }\n"
    "@media (max-width: 40rem) { body { padding: .7rem; } .verdict { white-space: normal; }\n"
    " details:not([open]) > summary .faint { display: none; } summary > img { width: 5rem; }\n"
    " details[open] > summary > img { width: 100%; }\n"
    " .compare, .compare tbody, .compare tr, .compare td { display: block; }"
    " .compare thead, .compare td:empty { display: none; }\n"
    " .compare tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }"
    " .compare td { border: 0; padding: .05rem 0; }\n"
    " .compare td[data-name]::before { content: attr(data-name) ' '; color: var(--faint); } }\n"
    "</style></head><body>\n";

static void put_text(FILE *page, const char *text) {
    for (const char *c = text ? text : ""; *c; c++) switch (*c) {
        case '&': fputs("&amp;", page); break;
        case '<': fputs("&lt;", page); break;
        case '>': fputs("&gt;", page); break;
        case '"': fputs("&quot;", page); break;
        default: fputc(*c, page);
        }
}

static void put_member(FILE *page, const char *before, const char *object, const char *key,
                       const char *after) {
    char *words = reproduce_member_words(object, key);
    if (words && *words) {
        fputs(before, page);
        put_text(page, words);
        fputs(after, page);
    }
    free(words);
}

static void put_base64(FILE *page, const char *data, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = (const unsigned char *)data;
    for (size_t left = size; left > 0;) {
        const size_t taken = left < 3 ? left : 3;
        const unsigned long bits = (unsigned long)at[0] << 16 |
                                   (taken > 1 ? (unsigned long)at[1] << 8 : 0) |
                                   (taken > 2 ? (unsigned long)at[2] : 0);
        for (size_t k = 0; k < 4; k++)
            fputc(k <= taken ? digits[bits >> (18 - 6 * k) & 63] : '=', page);
        at += taken;
        left -= taken;
    }
}

static const char *verdict_class(const char *verdict) {
    if (!verdict || strcmp(verdict, "FAILED") == 0) return "failed";
    if (strcmp(verdict, "reproduced") == 0) return "reproduced";
    if (strcmp(verdict, "refuted") == 0) return "refuted";
    if (strcmp(verdict, "narrowed") == 0) return "narrowed";
    const bool is_undecided = strcmp(verdict, "open") == 0 || strcmp(verdict, "not checked") == 0;
    return is_undecided ? "faint" : "convention";
}

static void put_verdict(FILE *page, const char *claim) {
    char *verdict = reproduce_member_words(claim, "verdict");
    fprintf(page, "<span class=\"verdict %s\">", verdict_class(verdict));
    put_text(page, verdict);
    fputs("</span>", page);
    free(verdict);
}

/* Numbers of verdicts by word, of one experiment or of all: "3 reproduced · 1 narrowed". */
static void put_counts(FILE *page, char *const *result, int nresults) {
    const char *word, *between = "";
    for (int k = 0; (word = reproduce_summary_word(k)); k++) {
        int count = 0;
        for (int i = 0; i < nresults; i++) count += reproduce_summary_count(result[i], word);
        if (count == 0) continue;
        fprintf(page, "%s<span class=\"verdict %s\">%d %s</span>", between, verdict_class(word),
                count, word);
        between = " · ";
    }
}

static void put_number(FILE *page, const char *object, const char *key, const char *format) {
    const double x = (double)reproduce_member_number(object, key);
    if (isnan(x))
        fputs("–", page);
    else
        fprintf(page, format, x);
}

static void put_expected(FILE *page, const char *comparison) {
    char *relation = reproduce_member_words(comparison, "relation");
    const bool is_range = relation && strcmp(relation, "in") == 0;
    char *text = reproduce_member_words(comparison, "expected_text");
    char *words = reproduce_member_words(comparison, "expected");
    if (relation && strchr("<>", *relation)) {
        put_text(page, relation);
        fputc(' ', page);
    }
    if (words) {
        put_text(page, words);
    } else if (is_range) {
        put_number(page, comparison, "expected", "%.6g");
        fputs(" … ", page);
        put_number(page, comparison, "tolerance", "%.6g");
    } else if (text && strspn(text, "-.0123456789e") == strlen(text)) {
        put_text(page, text); /* with the digits of the result file */
    } else {
        put_number(page, comparison, "expected", "%.8g");
    }
    free(relation);
    free(text);
    free(words);
}

static void put_cell(FILE *page, const char *name) {
    fprintf(page, "</td><td class=\"number\" data-name=\"%s\">", name);
}

/* Prints two digits more than the tolerance requires. */
static void put_value(FILE *page, const char *comparison, bool is_equal) {
    const double x = (double)reproduce_member_number(comparison, "value");
    const double tolerance = (double)reproduce_member_number(comparison, "tolerance");
    int digits = 4;
    if (is_equal && tolerance > 0 && x != 0) digits = (int)ceil(log10(fabs(x) / tolerance)) + 2;
    if (is_equal && !(tolerance > 0)) digits = 17;
    if (isnan(x))
        fputs("–", page);
    else
        fprintf(page, "%.*g", digits < 4 ? 4 : digits > 17 ? 17 : digits, x);
}

static void put_comparison(FILE *page, const char *comparison) {
    char *relation = reproduce_member_words(comparison, "relation");
    char *published = reproduce_member_words(comparison, "published");
    char *words = reproduce_member_words(comparison, "value");
    const bool is_equal = relation && strcmp(relation, "=") == 0;
    const bool is_skipped = reproduce_member_is_true(comparison, "skipped");
    put_member(page, "<tr><td><b>", comparison, "label", "</b>");
    put_member(page, "<br><span class=\"faint\">", comparison, "under", "</span>");
    put_member(page, "<br><span class=\"failed\">", comparison, "message", "</span>");
    put_cell(page, "published");
    if (published)
        put_text(page, published);
    else
        put_expected(page, comparison);
    put_cell(page, "expected");
    put_expected(page, comparison);
    put_cell(page, "ours");
    if (words)
        put_text(page, words);
    else
        put_value(page, comparison, is_equal);
    put_cell(page, "difference");
    if (is_equal) put_number(page, comparison, "difference", "%.1e");
    put_cell(page, "tolerance");
    if (is_equal) put_number(page, comparison, "tolerance", "%.1e");
    const bool holds = reproduce_member_is_true(comparison, "holds");
    fprintf(page, "</td><td class=\"verdict %s\">%s</td></tr>\n",
            is_skipped ? "faint"
            : holds    ? "reproduced"
                       : "failed",
            is_skipped ? "full run only"
            : holds    ? "holds"
                       : "does not hold");
    free(relation);
    free(published);
    free(words);
}

static void put_claim(FILE *page, const char *claim) {
    put_member(page, "<h3>", claim, "keys", ": ");
    put_verdict(page, claim);
    fputs("</h3>\n", page);
    put_member(page, "<p><b>Published:</b> ", claim, "published", "</p>\n");
    put_member(page, "<p><b>Verdict:</b> ", claim, "reason", "</p>\n");
    fputs("<div class=\"wide\"><table "
          "class=\"compare\"><thead><tr><th>quantity</th><th>published</th><th>expected"
          "</th><th>ours</th><th>difference</th><th>tolerance</th><th></th></tr></thead><tbody>\n",
          page);
    const char *comparisons = reproduce_member_array(claim, "comparisons");
    for (struct json_item item = {0}; json_step(comparisons, &item);)
        put_comparison(page, item.value);
    fputs("</tbody></table></div>\n", page);
}

/* The picture itself, embedded in the page. Empty, with the reason, if there is none. */
static void put_image(FILE *page, const char *folder, const char *picture) {
    char *file = reproduce_member_words(picture, "file");
    char *path = file ? reproduce_path(folder, file) : NULL;
    size_t size = 0;
    char *drawn = path ? reproduce_read(path, &size) : NULL;
    const bool is_shapes = file && strstr(file, ".svg");
    if (drawn) {
        put_member(page, "<img alt=\"", picture, "title", "\" src=\"data:image/");
        fputs(is_shapes ? "svg+xml;base64," : "png;base64,", page);
        put_base64(page, drawn, size);
        fputs("\">", page);
    } else {
        put_member(page, "<span class=\"failed\">This picture is missing: ", picture, "message",
                   "</span>");
    }
    free(drawn);
    free(path);
    free(file);
}

static void put_caption(FILE *page, const char *picture) {
    put_member(page, "<figcaption>", picture, "title", "");
    put_member(page, "<br><code>", picture, "command", "</code></figcaption>");
}

/* The pictures after the first, which stands in the head of the experiment. */
static void put_pictures(FILE *page, const char *folder, const char *pictures) {
    struct json_item item = {0};
    if (!json_step(pictures, &item)) return;
    fputs("<figure>", page);
    put_caption(page, item.value);
    fputs("</figure>\n", page);
    while (json_step(pictures, &item)) {
        fputs("<figure>", page);
        put_image(page, folder, item.value);
        put_caption(page, item.value);
        fputs("</figure>\n", page);
    }
}

static void put_runs(FILE *page, const char *result) {
    const char *runs = reproduce_member_array(result, "runs");
    fputs("<pre>", page);
    put_member(page, "noether reproduce ", result, "name",
               reproduce_member_is_true(result, "quick") ? " --quick\n" : "\n");
    for (struct json_item run = {0}; json_step(runs, &run);) {
        put_member(page, "", run.value, "command", "");
        put_member(page, " ", run.value, "quick", "");
        fprintf(page, "  # %.2g s", (double)reproduce_member_number(run.value, "seconds"));
        const int found = (int)reproduce_member_number(run.value, "exit");
        if (found != 0) fprintf(page, ", exit status %d", found);
        if (found != (int)reproduce_member_number(run.value, "expected_exit"))
            fputs(", NOT EXPECTED", page);
        put_member(page, "\n#   ", run.value, "message", "");
        fputc('\n', page);
    }
    fputs("</pre>\n", page);
}

/* Head of an experiment: first picture (small until the experiment is opened), title, verdicts. */
static void put_head(FILE *page, const char *folder, const char *result) {
    fputs("<summary>", page);
    struct json_item first = {0};
    if (json_step(reproduce_member_array(result, "pictures"), &first))
        put_image(page, folder, first.value);
    put_member(page, "<span><h2>", result, "title", "</h2>");
    put_member(page, "<span class=\"faint\">", result, "source", "</span><br>");
    put_counts(page, &(char *){(char *)result}, 1);
    fputs("</span></summary>\n", page);
}

static void put_choices(FILE *page, const char *result) {
    const char *chosen = reproduce_member_array(result, "chosen");
    struct json_item choice = {0};
    if (!json_step(chosen, &choice)) return;
    fputs("<h3>Chosen, because it was not stated</h3>\n<ul>\n", page);
    do {
        put_member(page, "<li><b>", choice.value, "what", "</b>");
        put_member(page, ": ", choice.value, "why", "</li>\n");
    } while (json_step(chosen, &choice));
    fputs("</ul>\n", page);
}

static void put_experiment(FILE *page, const struct reproduce_results *results,
                           const char *result) {
    char *name = reproduce_member_words(result, "name");
    char *folder = name ? reproduce_path(results->directory, name) : NULL;
    if (!folder) return;
    const bool is_failed = reproduce_summary_count(result, "FAILED") > 0;
    fprintf(page, "<details id=\"%s\"%s>", name, is_failed ? " open" : "");
    put_head(page, folder, result);
    put_pictures(page, folder, reproduce_member_array(result, "pictures"));
    put_member(page, "<p>", result, "about", "");
    fprintf(page, " <span class=\"faint\">(%.1f s)</span></p>\n",
            (double)reproduce_member_number(result, "seconds"));
    const char *claims = reproduce_member_array(result, "claims");
    for (struct json_item claim = {0}; json_step(claims, &claim);) put_claim(page, claim.value);
    put_choices(page, result);
    fputs("<h3>Commands</h3>\n", page);
    put_runs(page, result);
    fputs("</details>\n", page);
    free(folder);
    free(name);
}

int reproduce_html_write(const struct reproduce_results *results) {
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&text, &size);
    char *path = reproduce_path(results->directory, "report.html");
    int exit = CLI_ENVIRONMENT;
    if (page && path) {
        fputs(head, page);
        fputs("<h1>Published experiments beside ours</h1>\n", page);
        fprintf(page,
                "<p class=\"faint\">Computed by noether " NOE_VERSION "%s in %.1f s. A verdict "
                "stands only if all its comparisons hold.</p>\n",
                results->is_quick ? " with shortened runs (--quick)" : "", results->seconds);
        fputs("<p id=\"verdicts\">", page);
        put_counts(page, results->result, results->count);
        fputs("</p>\n", page);
        for (int i = 0; i < results->count; i++)
            if (results->result[i]) put_experiment(page, results, results->result[i]);
        fputs("</body></html>\n", page);
    }
    const bool is_whole = page && fclose(page) == 0;
    if (is_whole && path)
        exit = cli_write_file(path, text);
    else
        cli_say("out of memory");
    free(text);
    free(path);
    return exit;
}
