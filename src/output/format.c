/* Output formats of this build, selected by the extension of a path. */
/* SPDX-License-Identifier: MIT */
#include "output/format.h"

#include <string.h>

#include "base/registry.h"

int format_count(void) {
    int count = 0;
    while (registry_formats[count]) count++;
    return count;
}

const struct noe_format *format_at(int index) {
    return index >= 0 && index < format_count() ? registry_formats[index] : NULL;
}

const struct noe_format *noe_format_find(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    if (!dot) return NULL;
    for (int i = 0; registry_formats[i]; i++)
        if (strcmp(registry_formats[i]->name, dot + 1) == 0) return registry_formats[i];
    return NULL;
}
