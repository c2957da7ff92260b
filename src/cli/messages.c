/* Error messages with their position in the file, and exit statuses. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/utf8.h"

enum { LINE_ROOM = 1024, SHOWN = 120 }; /* bytes, characters */

/* Prints the parts of a message as one text, without control characters. */
static void print_text(FILE *file, const char *front, const char *format, va_list arguments,
                       const char *end) {
    char *text;
    if (vasprintf(&text, format, arguments) < 0) return;
    utf8_make_printable(text);
    fprintf(file, "%s%s%s", front, text, end);
    free(text);
}

void cli_say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_text(stderr, "noether: ", format, arguments, "\n");
    va_end(arguments);
}

void cli_complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_text(stderr, "", format, arguments, "\n");
    va_end(arguments);
}

void cli_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_text(stdout, "", format, arguments, "");
    va_end(arguments);
}

void cli_print_relative(real start, real error) {
    const real ratio = error / noe_abs(start);
    if (ratio < 1 / noe_sqrt(NOE_EPSILON)) printf("  (relative %.2e)", (double)ratio);
}

int cli_no_memory(void) {
    cli_say("out of memory");
    return CLI_ENVIRONMENT;
}

static bool starts_character(int c) { return (c & 0xC0) != 0x80; }

/* Copies the characters of line `line` around number `column` (both from 1) into `text`. Returns
 * the number of characters left out before them, or -1 if there is no such line. */
static int line_around(const char *path, int line, int column, size_t size, char *text) {
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode)) return -1; /* a pipe cannot be read again */
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int c = 0, character = 0;
    for (int at = 1; at < line && c != EOF;)
        if ((c = getc(file)) == '\n') at++;
    const int skip = column > SHOWN ? column - SHOWN / 2 : 0;
    size_t length = 0;
    while (c != EOF && length + 1 < size) {
        c = getc(file);
        if (c == EOF || c == '\n' || c == '\r') break;
        if (starts_character(c)) character++;
        if (character > skip + SHOWN) break;
        if (character > skip) text[length++] = (char)c;
    }
    text[length] = 0;
    utf8_make_printable(text);
    fclose(file);
    return length ? skip : -1;
}

/* Prints the line, and a caret below the character `column`. Tabs are kept. */
static void show_line(const char *path, int line, int column) {
    char text[LINE_ROOM];
    const int skipped = line_around(path, line, column, sizeof text, text);
    if (skipped < 0) return;
    const char *dots = skipped ? "..." : "";
    fprintf(stderr, "  %s%s\n  %*s", dots, text, (int)strlen(dots), "");
    int character = skipped;
    for (const char *c = text; *c; c++) {
        if (!starts_character((unsigned char)*c)) continue;
        if (++character >= column) break;
        fputc(*c == '\t' ? '\t' : ' ', stderr);
    }
    fputs("^\n", stderr);
}

static void say_at(const char *path, const char *kind, const struct noe_error *error) {
    cli_complain("%s:%d:%d: %s%s", path, error->line, error->column, kind, error->text);
    show_line(path, error->line, error->column);
}

int cli_fail_file(const char *path, const struct noe_error *error) {
    if (error->line <= 0) {
        if (strstr(error->text, path))
            cli_say("%s", error->text);
        else
            cli_complain("%s: %s", path, error->text);
        return cli_exit_of(error->status);
    }
    say_at(path, "", error);
    return cli_exit_of(error->status);
}

void cli_warn_file(const char *path, const struct noe_error *note) {
    say_at(path, "warning: ", note);
}

int cli_fail(const char *origin, const struct noe_error *error) {
    cli_complain("%s: %s", origin, error->text);
    return cli_exit_of(error->status);
}

int cli_exit_of(enum noe_status status) {
    if (status == NOE_OK) return CLI_DONE;
    if (status > 0) return CLI_NUMERICS;
    return status == NOE_BAD_INPUT || status == NOE_NOT_SERVED ? CLI_USAGE : CLI_ENVIRONMENT;
}

const char *cli_status_word(enum noe_status status) {
    switch (status) {
    case NOE_OK: return "ok";
    case NOE_NOT_CONVERGED: return "not converged";
    case NOE_SINGULAR: return "singular";
    case NOE_NOT_FINITE: return "not finite";
    case NOE_STEP_TOO_SMALL: return "step too small";
    case NOE_NO_STEP: return "no step keeps the energy";
    case NOE_INTERRUPTED: return "interrupted";
    case NOE_NO_MEMORY: return "out of memory";
    case NOE_IO: return "not written";
    default: return noe_status_text(status);
    }
}
