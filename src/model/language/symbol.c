/* Symbol table: names and their values. */
/* SPDX-License-Identifier: MIT */
#include "model/language/symbol.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void symbol_clear(struct symbol_table *table) {
    free(table->symbol);
    free(table->place);
    *table = (struct symbol_table){0};
}

/* Slot of the name in the hash table: its own, or the free slot where it belongs. */
static int *find_place(const struct symbol_table *table, const char *name, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    const uint32_t last = 2 * (uint32_t)table->room - 1;
    for (uint32_t at = hash & last;; at = (at + 1) & last) {
        const int number = table->place[at];
        if (number < 0) return &table->place[at];
        const char *other = table->symbol[number]->name;
        if (strncmp(other, name, length) == 0 && other[length] == '\0') return &table->place[at];
    }
}

struct symbol *symbol_find(const struct symbol_table *table, const struct lex_token *name) {
    if (table->count == 0) return NULL;
    const int number = *find_place(table, name->start, (size_t)name->length);
    return number < 0 ? NULL : table->symbol[number];
}

static bool grow(struct symbol_table *table) {
    const int room = table->room ? 2 * table->room : 32;
    struct symbol **symbol = realloc(table->symbol, (size_t)room * sizeof(struct symbol *));
    if (!symbol) return false;
    table->symbol = symbol;
    int *place = realloc(table->place, 2 * (size_t)room * sizeof *place);
    if (!place) return false;
    table->place = place;
    table->room = room;
    memset(place, 0xff, 2 * (size_t)room * sizeof *place);
    for (int i = 0; i < table->count; i++)
        *find_place(table, symbol[i]->name, strlen(symbol[i]->name)) = i;
    return true;
}

struct symbol *symbol_add(struct symbol_table *table, struct tree_pool *pool,
                          const struct lex_token *name) {
    if (table->count == table->room && !grow(table)) return NULL;
    struct symbol *symbol = tree_take(pool, sizeof *symbol);
    char *text = symbol ? tree_take(pool, (size_t)name->length + 1) : NULL;
    if (!text) return NULL;
    memcpy(text, name->start, (size_t)name->length);
    symbol->name = text;
    symbol->line = name->line;
    symbol->column = name->column;
    *find_place(table, text, (size_t)name->length) = table->count;
    table->symbol[table->count++] = symbol;
    return symbol;
}
