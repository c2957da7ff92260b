/* Putting a text into a file, or on standard output. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "output/json_writer.h"
#include "output/atomic_file.h"

int cli_write_file(const char *path, const char *text) {
    struct noe_error error = {0};
    struct place *place = NULL;
    enum noe_status status = place_open(&place, path, &error);
    if (status == NOE_OK) {
        status = place_write(place, text, strlen(text), &error);
        if (status == NOE_OK)
            status = place_commit(place, &error);
        else
            place_discard(place);
    }
    if (status != NOE_OK) cli_say("%s", error.text);
    return cli_exit_of(status);
}

int cli_print_json(struct json *json) {
    const char *text = json_text(json);
    if (text) fputs(text, stdout);
    json_clear(json);
    if (text) return CLI_DONE;
    return cli_no_memory();
}
