/* A CSV file, read as a trajectory. */
/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "fuzz.h"
#include "noether.h"
#include "output/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_file file = fuzz_file_open(data, size);
    struct noe_table *table = calloc(1, sizeof *table);
    if (!table) exit(1);
    noe_format_find("table.csv")->read(table, file.path, NULL);
    noe_table_free(table);
    fuzz_file_close(&file);
    return 0;
}
