/* Elementary functions of several numbers at once in the functions of one model. */
/* SPDX-License-Identifier: MIT */
#include "model/vectors.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "model/program_alike.h"

/* Double precision alone has such functions. */
static bool has_library(const struct lanes *lanes) {
    return sizeof(real) == sizeof(double) && lanes->library;
}

enum noe_status vectors_find(const struct routines *routines, const struct lanes *lanes,
                             bool *has_vectors) {
    *has_vectors = false;
    for (int i = 0; has_library(lanes) && i < FUNCTION_COUNT && !*has_vectors; i++) {
        struct program_alike alike;
        const enum noe_status status =
            program_alike_make(&alike, &routines->program[i], routines->graph);
        if (status != NOE_OK) return status;
        *has_vectors = program_alike_has_calls(&alike);
        program_alike_clear(&alike);
    }
    return NOE_OK;
}

struct vectors_single vectors_single(const struct lanes *lanes, int f, bool has_twin) {
    const char *name = graph_functions[f].c_name + strlen("noe_");
    char symbol[80];
    struct vectors_single made = {.is_cosine = strcmp(name, "cos") == 0};
    snprintf(symbol, sizeof symbol, lanes->single, has_twin ? "sincos" : name);
    void *const function = dlsym(lanes->library, symbol);
    if (has_twin)
        *(void **)&made.both = function;
    else if (graph_functions[f].arity == 2)
        *(void **)&made.binary = function;
    else
        *(void **)&made.unary = function;
    return made;
}

real vectors_value(const struct vectors_single *single, real x, real y) {
    if (single->unary) return single->unary((double)x);
    if (single->binary) return single->binary((double)x, (double)y);
    const struct vectors_two two = single->both((double)x);
    return single->is_cosine ? two.cosine : two.sine;
}
