/* Writing a text to a file or to standard output. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "output/atomic_file.h"
#include "output/json_writer.h"

int cli_write_file(const char *path, const char *text) {
    struct noe_error error = {0};
    struct atomic_file *place = NULL;
    enum noe_status status = atomic_file_open(&place, path, &error);
    if (status == NOE_OK) {
        status = atomic_file_write(place, text, strlen(text), &error);
        if (status == NOE_OK)
            status = atomic_file_commit(place, &error);
        else
            atomic_file_discard(place);
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
