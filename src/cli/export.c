/* noether export: the model as C that needs nothing but libm. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "output/place.h"

static int write_file(const char *path, const char *text) {
    struct noe_error error = {0};
    struct place *place = NULL;
    enum noe_status status = place_open(&place, path, &error);
    if (status != NOE_OK) return cli_fail(path, &error);
    status = place_write(place, text, strlen(text), &error);
    if (status == NOE_OK)
        status = place_commit(place, &error);
    else
        place_discard(place);
    return status == NOE_OK ? CLI_DONE : cli_fail(path, &error);
}

int cli_export(const struct cli_settings *settings) {
    struct cli_plan plan;
    struct noe_error error = {0};
    char *text = NULL;
    int exit = cli_plan_open(&plan, settings);
    if (!exit && settings->stepper) {
        cli_say("--stepper is not available in this version yet");
        exit = CLI_USAGE;
    }
    if (!exit && noe_model_export(plan.model, &text, &error) != NOE_OK)
        exit = cli_fail_file(settings->file, &error);
    if (!exit && settings->output) exit = write_file(settings->output, text);
    if (!exit && !settings->output) fputs(text, stdout);
    free(text);
    cli_plan_clear(&plan);
    return exit;
}
