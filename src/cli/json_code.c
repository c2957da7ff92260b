/* The code that ran, for JSON reports. */
/* SPDX-License-Identifier: MIT */
#include "cli/json_code.h"

#include "model/jit/compile.h"

static void write_text(struct json *json, const char *key, const char *text) {
    if (text && *text) json_string(json, key, text);
}

void code_write(struct json *json, const struct noe_model *model, const char *stepper,
                const char *reason, const char *lanes) {
    static const char *const kinds[] = {"compiled", "cached", "interpreted"};
    char compiler[256], unused[256];
    json_object(json, "code");
    json_string(json, "model", kinds[model->code.kind]);
    if (compile_find(sizeof compiler, compiler, sizeof unused, unused))
        json_string(json, "compiler", compiler);
    write_text(json, "note", model->code.note);
    write_text(json, "stepper", stepper);
    write_text(json, "reason", reason);
    write_text(json, "lanes", lanes);
    json_end(json);
}
