/* Report of noether check on a circuit. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_CHECK_CIRCUIT_H
#define CLI_CHECK_CIRCUIT_H

#include "noether_model.h"
#include "output/json_writer.h"

/* Prints the loops of the meshes, and whether they are closed. Prints nothing if there is no
 * circuit. */
void circuit_print(const struct noe_circuit *circuit, int label);
void circuit_json(const struct noe_circuit *circuit, struct json *json);

#endif
