/* noether methods: what the library can integrate with. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/registry.h"
#include "cli/cli.h"
#include "output/json_writer.h"

/* An array of the words of a text separated by spaces. */
static void write_words(struct json *json, const char *key, const char *words) {
    json_array(json, key);
    for (const char *at = words ? words : ""; *(at += strspn(at, " "));) {
        char word[64];
        const size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        json_string(json, NULL, word);
        at += length;
    }
    json_end(json);
}

static void write_method(struct json *json, const struct noe_method_info *method) {
    char traits[256], spaces[256], *end;
    registry_traits_text(method->traits, sizeof traits, traits);
    registry_space_names(method->spaces, sizeof spaces, spaces);
    json_object(json, NULL);
    json_string(json, "name", method->name);
    json_array(json, "options");
    for (const struct noe_option *option = method->options; option && option->name; option++)
        json_string(json, NULL, option->name);
    json_end(json);
    write_words(json, "spaces", spaces);
    const long order = strtol(method->order_text, &end, 10);
    if (*end)
        json_string(json, "order", method->order_text);
    else
        json_integer(json, "order", order);
    write_words(json, "traits", traits);
    write_words(json, "constraints", method->constraints);
    json_string(json, "summary", method->summary);
    json_string(json, "reference", method->reference);
    json_end(json);
}

static int print_json(void) {
    struct json json;
    json_init(&json);
    json_array(&json, NULL);
    for (int i = 0; i < noe_method_count(); i++) write_method(&json, noe_method_at(i));
    json_end(&json);
    return cli_print_json(&json);
}

static void print_option(const struct noe_option *option) {
    printf("      %s = ", option->name);
    if (option->kind == NOE_WORD)
        printf("%s", option->words);
    else
        printf("%g .. %g (default %g)", option->min, option->max, option->default_value);
    if (option->summary && *option->summary) printf(": %s", option->summary);
    putchar('\n');
}

enum { ORDER_MAX = 14 }; /* a longer text takes a line of its own */

/* The widest name and order, for columns that line up. */
static void measure_columns(int *name, int *order) {
    *name = (int)strlen("name");
    *order = (int)strlen("order");
    for (int i = 0; i < noe_method_count(); i++) {
        const struct noe_method_info *method = noe_method_at(i);
        const int lengths[] = {(int)strlen(method->name), (int)strlen(method->order_text)};
        if (lengths[0] > *name) *name = lengths[0];
        if (lengths[1] > *order && lengths[1] <= ORDER_MAX) *order = lengths[1];
    }
}

static void print_method(const struct noe_method_info *method, int name, int order) {
    char traits[256];
    registry_traits_text(method->traits, sizeof traits, traits);
    const bool is_long = (int)strlen(method->order_text) > order;
    printf("%-*s  %-*s", name, method->name, order, method->order_text);
    if (is_long) printf("\n%*s", name + order + 2, "");
    printf("  %s\n", method->summary);
    if (*traits) printf("%*s%s\n", name + order + 4, "", traits);
    for (const struct noe_option *option = method->options; option && option->name; option++)
        print_option(option);
}

int cli_methods(const struct cli_settings *settings) {
    int name, order;
    if (settings->json) return print_json();
    measure_columns(&name, &order);
    printf("%-*s  %-*s  %s\n", name, "name", order, "order", "what it is, and what it keeps");
    for (int i = 0; i < noe_method_count(); i++) print_method(noe_method_at(i), name, order);
    puts("\nIn a model file: method gauss stages = 4. On the command line: --method \"gauss "
         "stages=4\".");
    return CLI_DONE;
}
