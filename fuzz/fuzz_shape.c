/* A file of spherical harmonics, points or samples, read as a shape. */
/* SPDX-License-Identifier: MIT */
#include "fuzz.h"
#include "noether_optimise.h"

/* A fit takes time that grows with the sixth power of the band. */
enum { BAND = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_file file = fuzz_file_open(data, size);
    struct noe_shape *shape = NULL;
    noe_shape_read(&shape, file.path, BAND, NULL, NULL);
    noe_shape_free(shape);
    fuzz_file_close(&file);
    return 0;
}
