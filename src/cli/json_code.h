/* The code that ran, for JSON reports: compiled or interpreted, by which compiler, in how many
 * lanes. */
/* SPDX-License-Identifier: MIT */
#ifndef CLI_JSON_CODE_H
#define CLI_JSON_CODE_H

#include "noether_model.h"
#include "output/json_writer.h"

/* Writes the object "code". Texts that do not apply are NULL. */
void code_write(struct json *json, const struct noe_model *model, const char *stepper,
                const char *reason, const char *lanes);

#endif
