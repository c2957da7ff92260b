/* Ensemble as stated in a model file: the quantities that vary between members and their
 * distributions. */
/* SPDX-License-Identifier: MIT */
#include "model/ensemble_definition.h"

#include <limits.h>
#include <stdlib.h>

#include "base/random_stream.h"

void ensemble_definition_free(struct ensemble_definition *ensemble) {
    if (!ensemble) return;
    for (int i = 0; i < ensemble->count; i++) free(ensemble->number[i].name);
    free(ensemble->number);
    free(ensemble);
}

long ensemble_definition_grid(const struct ensemble_definition *ensemble) {
    long points = 1;
    for (int i = 0; i < ensemble->count; i++) {
        const struct ensemble_definition_number *number = &ensemble->number[i];
        if (number->law != ENSEMBLE_DEFINITION_GRID) continue;
        if (points > LONG_MAX / number->count) return -1;
        points *= number->count;
    }
    return points;
}

static real on_grid(const struct ensemble_definition_number *number, long k) {
    if (number->count == 1) return number->a;
    return number->a + (number->b - number->a) * (real)k / (real)(number->count - 1);
}

static real at_random(const struct ensemble_definition_number *number, const struct stream *stream,
                      int draw) {
    double two[2];
    if (number->law == ENSEMBLE_DEFINITION_NORMAL) {
        stream_normal(stream, (uint64_t)draw, two);
        return number->a + number->b * (real)two[0];
    }
    stream_uniform(stream, (uint64_t)draw, two);
    return number->a + (number->b - number->a) * (real)two[0];
}

void ensemble_definition_draw(const struct ensemble_definition *ensemble, unsigned long seed,
                              long member, real *value) {
    const struct stream stream = {seed, (uint64_t)member};
    long place = member;
    for (int i = ensemble->count - 1; i >= 0; i--) {
        const struct ensemble_definition_number *number = &ensemble->number[i];
        if (number->law == ENSEMBLE_DEFINITION_GRID) {
            value[i] = on_grid(number, place % number->count);
            place /= number->count;
        } else {
            value[i] = at_random(number, &stream, i);
        }
    }
}
