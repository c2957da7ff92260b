/* A checkpoint and its rows, changed, from which a run is resumed.
 *
 * The first input makes the checkpoints of a few runs. An input is a byte that selects the run, a
 * byte of flags and edits of twelve bytes: three of the place in the checkpoint followed by its
 * rows, one of the kind and eight of the value. With SUMS set the checksums are made right, as a
 * forger would, so that the edits reach the code behind them. */
/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "cli/cli.h"
#include "fuzz.h"

static const char *const texts[] = {
    "coord x, y\nL = (1 + x^2/4)*x'^2/2 + y'^2/2 - x^2*y - x^2 - y^2/2\nstart x = 0.4, y = 0.3\n"
    "invariant j = x*y\nmethod gauss stages = 2\nstep 0.02\nuntil 0.3\n",
    "coord q\nL = q'^2/2 - q^4\nstart q = 1\nstop when q + 9 = 0\nmethod energy-midpoint\n"
    "step 0.02\nuntil 0.3\n",
    "rotation R, W\nL = dot(W, diag(1, 2, 3)*W)/2 - R[3][3]\nstart W = [0.3, 1, 0.1]\n"
    "method lgvi\nstep 0.02\nuntil 0.3\n",
    "coord x[2]\nL = dot(x', x')/2 - x[2]\nconstraint dot(x, x) = 1\nstart x = [1, 0]\n"
    "method lobatto stages = 2\nstep 0.02\nuntil 0.3\n",
    "coord q[12]\nL = sum(i = 1..12, q[i]'^2*(2 + cos(q[i]))/2 + cos(q[i]))"
    " - sum(i = 2..12, (q[i] - q[i-1])^2)\nstart q[1] = 1\nmethod midpoint\nstep 0.02\nuntil 0.3\n",
};
enum { TEXTS = sizeof texts / sizeof *texts, EDIT = 12, SUMS = 1, ROWS = 2 };
/* Bytes of the headers before the texts and before the rows, and the place of the sum of the rows. */
enum { ROWS_HEADER = 32, PLACE_OF_ROWS_SUM = 96 };

struct file {
    uint8_t *bytes;
    size_t size;
};
static struct file state[TEXTS], rows[TEXTS];

static char *path_of(const char *name) {
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", fuzz_folder(), name);
    return path;
}

static struct file read_file(const char *path) {
    struct file content = {.bytes = malloc(1 << 16)};
    FILE *file = fopen(path, "rb");
    if (!file || !content.bytes) exit(1);
    content.size = fread(content.bytes, 1, 1 << 16, file);
    fclose(file);
    return content;
}

/* Runs the model for `steps` steps, with a checkpoint written or read. */
static int run(const char *steps, const char *option, bool has_rows) {
    char *words[] = {"noether", "run", path_of("model.noe"), "--quiet", "--interpret", "--generic",
                     "--steps", (char *)steps, (char *)option, path_of("state"),
                     has_rows ? "-o" : NULL, path_of("out.csv"), NULL};
    return cli_main(has_rows ? 12 : 10, words);
}

static void make_checkpoints(void) {
    for (int i = 0; i < TEXTS && !state[i].bytes; i++) {
        fuzz_write(path_of("model.noe"), (const uint8_t *)texts[i], strlen(texts[i]));
        if (run("9", "--checkpoint", true) != CLI_DONE) abort();
        state[i] = read_file(path_of("state"));
        rows[i] = read_file(path_of("state.rows"));
    }
}

/* Overwrites eight bytes, adds to a byte, or cuts the file off. */
static void edit(struct file *file, size_t place, uint8_t kind, const uint8_t value[8]) {
    if (file->size < 8) return;
    place %= file->size - 7;
    if (kind % 3 == 0)
        memcpy(file->bytes + place, value, 8);
    else if (kind % 3 == 1)
        file->bytes[place] = (uint8_t)(file->bytes[place] + value[0]);
    else
        file->size = place;
}

static void put_sums(const struct file *state_file, const struct file *rows_file) {
    uint64_t sum = checksum_empty;
    if (state_file->size < PLACE_OF_ROWS_SUM + 2 * sizeof sum) return;
    if (rows_file->size >= ROWS_HEADER) {
        sum = checksum_add(sum, rows_file->bytes + ROWS_HEADER, rows_file->size - ROWS_HEADER);
        memcpy(state_file->bytes + PLACE_OF_ROWS_SUM, &sum, sizeof sum);
    }
    const size_t body = state_file->size - sizeof sum;
    sum = checksum_add(checksum_empty, state_file->bytes, body);
    memcpy(state_file->bytes + body, &sum, sizeof sum);
}

static struct file copy(const struct file *file) {
    struct file copied = {.bytes = malloc(file->size + 1), .size = file->size};
    if (!copied.bytes) exit(1);
    memcpy(copied.bytes, file->bytes, file->size);
    return copied;
}

static void write_changed(int i, const uint8_t *data, size_t size, bool is_forged) {
    struct file one = copy(&state[i]), other = copy(&rows[i]);
    for (; size >= EDIT; data += EDIT, size -= EDIT) {
        const size_t place = data[0] + 256u * data[1] + 65536u * (data[2] & 1u);
        edit(data[2] & 2u ? &other : &one, place, data[3], data + 4);
    }
    if (is_forged) put_sums(&one, &other);
    fuzz_write(path_of("state"), one.bytes, one.size);
    fuzz_write(path_of("state.rows"), other.bytes, other.size);
    free(one.bytes);
    free(other.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    make_checkpoints();
    if (size < 2) return 0;
    const int i = data[0] % TEXTS;
    fuzz_write(path_of("model.noe"), (const uint8_t *)texts[i], strlen(texts[i]));
    write_changed(i, data + 2, size - 2, data[1] & SUMS);
    const int exit = run("12", "--resume", data[1] & ROWS);
    if (exit != CLI_DONE && exit != CLI_NUMERICS && exit != CLI_USAGE) abort();
    const char *const names[] = {"model.noe", "state", "state.rows", "out.csv"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) unlink(path_of(names[k]));
    return 0;
}
