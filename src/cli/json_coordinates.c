/* Values of the coordinates as JSON, by name and in their shapes. */
/* SPDX-License-Identifier: MIT */
#include "cli/json_coordinates.h"

static void write_place(struct json *json, const char *key, const struct noe_array_layout *place,
                        const noe_real *at) {
    if (place->rank == 0)
        json_real(json, key, *at);
    else if (place->rank == 1)
        json_vector(json, key, place->rows, at);
    else
        json_array(json, key);
    for (int k = 0; place->rank == 2 && k < place->rows; k++)
        json_vector(json, NULL, place->cols, at + k * place->stride);
    for (int k = 0; place->rank == 3 && k < place->rows; k++)
        json_matrix(json, NULL, 3, 3, at + k * place->stride);
    if (place->rank > 1) json_end(json);
}

static const struct noe_array_layout *place_of(const struct noe_model *model, int i,
                                               bool of_velocity) {
    return of_velocity ? &model->coordinate[i].tangent : &model->coordinate[i].point;
}

void coordinates_write(struct json *json, const char *key, const struct noe_model *model,
                       bool of_velocity, const noe_real *x) {
    json_object(json, key);
    for (int i = 0; i < model->ncoordinates; i++) {
        const struct noe_array_layout *place = place_of(model, i, of_velocity);
        write_place(json, model->coordinate[i].name, place, x + place->first);
    }
    json_end(json);
}

void coordinates_write_series(struct json *json, const char *key, const struct noe_model *model,
                              bool of_velocity, long count, long stride, const noe_real *x) {
    json_object(json, key);
    for (int i = 0; i < model->ncoordinates; i++) {
        const struct noe_array_layout *place = place_of(model, i, of_velocity);
        json_array(json, model->coordinate[i].name);
        for (long k = 0; k < count; k++)
            write_place(json, NULL, place, x + k * stride + place->first);
        json_end(json);
    }
    json_end(json);
}
