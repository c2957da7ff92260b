/* Finding methods and spaces by name. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/registry.h"
#include "methods/method.h"
#include "spaces/space_set.h"

/* The method with the given rank in alphabetical order: the tables are few and short. */
const struct noe_method_info *noe_method_at(int index) {
    const struct noe_method_info *found = NULL;
    for (int rank = 0; rank <= index; rank++) {
        const struct noe_method_info *next = NULL;
        for (int i = 0; registry_methods[i]; i++)
            for (const struct method *m = registry_methods[i]; m->info.name; m++) {
                if (found && strcmp(m->info.name, found->name) <= 0) continue;
                if (!next || strcmp(m->info.name, next->name) < 0) next = &m->info;
            }
        found = next;
    }
    return found;
}

int noe_method_count(void) {
    int count = 0;
    for (int i = 0; registry_methods[i]; i++)
        for (const struct method *m = registry_methods[i]; m->info.name; m++) count++;
    return count;
}

const struct noe_method_info *noe_method_find(const char *name) {
    for (int i = 0; registry_methods[i]; i++)
        for (const struct method *m = registry_methods[i]; m->info.name; m++)
            if (strcmp(m->info.name, name) == 0) return &m->info;
    return NULL;
}

void registry_traits_text(unsigned traits, size_t size, char *text) {
    static const struct {
        unsigned trait;
        const char *word;
    } words[] = {
        {NOE_SYMPLECTIC, "symplectic"},
        {NOE_MOMENTUM, "momentum"},
        {NOE_SYMMETRIC, "symmetric"},
        {NOE_ENERGY, "energy"},
        {NOE_GROUP, "group"},
        {NOE_ADAPTIVE, "adaptive"},
        {NOE_EXPLICIT, "explicit"},
        {NOE_MULTISTEP, "multistep"},
        {NOE_NEEDS_SEPARABLE, "separable"},
        {NOE_NEEDS_GROUPS, "on-groups"},
        {NOE_NEEDS_INVARIANT, "euler-poincare"},
        {NOE_NEEDS_HAMILTONIAN, "hamiltonian"},
        {NOE_CONSTRAINTS, "constraints"},
        {NOE_NEEDS_CONSTRAINTS, "constrained"},
        {NOE_NEEDS_UNFORCED, "unforced"},
        {NOE_NEEDS_REGULAR, "regular"},
        {NOE_STOCHASTIC, "noise"},
        {NOE_NEEDS_BATH, "linear-friction"},
        {NOE_NEEDS_LINEAR, "linear"},
    };
    size_t used = 0;
    if (size) text[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!(traits & words[i].trait) || used >= size) continue;
        const int length =
            snprintf(text + used, size - used, "%s%s", used ? " " : "", words[i].word);
        used += (size_t)length;
    }
}

const struct noe_space *noe_space_find(const char *name) {
    for (int i = 0; registry_spaces[i]; i++)
        if (strcmp(registry_spaces[i]->name, name) == 0) return registry_spaces[i];
    return NULL;
}

void registry_space_names(unsigned spaces, size_t size, char *names) {
    size_t used = 0;
    names[0] = '\0';
    for (int is_group = 0; is_group < 2; is_group++)
        for (int i = 0; registry_spaces[i]; i++) {
            const struct noe_space *space = registry_spaces[i];
            const bool is_listed = (space->retractions != 0) == is_group;
            if (!is_listed || !space_set_has(spaces, space) || used >= size) continue;
            used +=
                (size_t)snprintf(names + used, size - used, "%s%s", used ? " " : "", space->name);
        }
}
