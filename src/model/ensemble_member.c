/* Members of an ensemble: the model with the drawn values of one member. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "model/ensemble_member.h"
#include "model/model.h"
#include "noether_ensemble.h"

enum { SET_ROOM = 160 };

static const struct ensemble_definition *ensemble_definition_of(const struct noe_model *model) {
    return ((const struct model *)model)->source->ensemble;
}

struct noe_ensemble_definition noe_model_ensemble(const struct noe_model *model) {
    const struct ensemble_definition *ensemble = ensemble_definition_of(model);
    struct noe_ensemble_definition result = {.grid = 1, .seed = 1};
    if (!ensemble) return result;
    result.count = ensemble->count;
    result.grid = ensemble_definition_grid(ensemble);
    result.members = ensemble->members;
    if (ensemble->has_seed) result.seed = ensemble->seed;
    for (int i = 0; i < ensemble->count; i++) {
        result.has_random |= ensemble->number[i].law != ENSEMBLE_DEFINITION_GRID;
        result.has_parameters |= ensemble->number[i].is_parameter;
    }
    return result;
}

const char *model_ensemble_name(const struct noe_model *model, int i) {
    return ensemble_definition_of(model)->number[i].name;
}

bool model_ensemble_is_parameter(const struct noe_model *model, int i) {
    return ensemble_definition_of(model)->number[i].is_parameter;
}

void model_ensemble_draw(const struct noe_model *model, unsigned long seed, long member,
                         noe_real *varied) {
    const struct ensemble_definition *ensemble = ensemble_definition_of(model);
    if (ensemble) ensemble_definition_draw(ensemble, seed, member, varied);
}

/* Reads the file again with the member's parameters in place of the stated ones, so that dependent
 * values are recomputed. */
static enum noe_status read_again(const struct model *model, const real *value,
                                  struct definition **source, struct noe_error *error) {
    const struct ensemble_definition *ensemble = model->source->ensemble;
    const int max = model->nsets + ensemble->count;
    const char **sets = malloc(((size_t)max + 1) * sizeof *sets);
    char(*text)[SET_ROOM] = malloc(((size_t)ensemble->count + 1) * sizeof *text);
    enum noe_status status = NOE_NO_MEMORY;
    if (sets && text) {
        int count = 0;
        for (; count < model->nsets; count++) sets[count] = model->sets[count];
        for (int i = 0; i < ensemble->count; i++) {
            char number[64];
            if (!ensemble->number[i].is_parameter) continue;
            real_print(number, sizeof number, value[i]);
            snprintf(text[i], SET_ROOM, "%.80s=%s", ensemble->number[i].name, number);
            sets[count++] = text[i];
        }
        status = definition_read(source, model->text, strlen(model->text), count, sets, error);
    }
    free(sets);
    free(text);
    return status;
}

static enum noe_status with_parameters(const struct model *model, const real *value, real *q,
                                       real *v, real *parameters, struct noe_error *error) {
    const struct definition *own = model->source;
    struct definition *source = NULL;
    enum noe_status status = read_again(model, value, &source, error);
    if (status != NOE_OK) return status;
    if (source->np != own->np || source->n != own->n || source->nnumbers != own->nnumbers) {
        status = status_set(error, NOE_NOT_SERVED,
                            "a parameter that varies changes the number of coordinates");
    } else {
        memcpy(q, source->q, (size_t)own->np * sizeof *q);
        memcpy(v, source->v, (size_t)own->n * sizeof *v);
        memcpy(parameters, source->number, (size_t)own->nnumbers * sizeof *parameters);
    }
    definition_free(source);
    return status;
}

enum noe_status noe_model_member(const struct noe_model *public, unsigned long seed, long member,
                                 noe_real *q, noe_real *v, noe_real *parameters, noe_real *varied,
                                 struct noe_error *error) {
    const struct model *model = (const struct model *)public;
    const struct definition *source = model->source;
    const struct ensemble_definition *ensemble = source->ensemble;
    const struct noe_ensemble_definition kind = noe_model_ensemble(public);
    real *value = malloc(((size_t)kind.count + 1) * sizeof *value);
    if (!value) return status_set(error, NOE_NO_MEMORY, "out of memory for a member");
    if (kind.count) ensemble_definition_draw(ensemble, seed, member, value);
    enum noe_status status = NOE_OK;
    if (kind.has_parameters) {
        status = with_parameters(model, value, q, v, parameters, error);
    } else {
        memcpy(q, source->q, (size_t)source->np * sizeof *q);
        memcpy(v, source->v, (size_t)source->n * sizeof *v);
        for (int i = 0; i < source->nnumbers; i++) parameters[i] = source->number[i];
    }
    for (int i = 0; i < kind.count && status == NOE_OK; i++) {
        const struct ensemble_definition_number *number = &ensemble->number[i];
        if (varied) varied[i] = value[i];
        if (!number->is_parameter) (number->is_velocity ? v : q)[number->index] = value[i];
    }
    free(value);
    return status;
}
