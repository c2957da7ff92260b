/* Names of the components of q and v. */
/* SPDX-License-Identifier: MIT */
#include "base/coordinate_names.h"

#include <stdio.h>

int coordinate_find(int count, const struct noe_coordinate *coordinate, bool of_velocity, int i,
                    int guess, int *index) {
    for (int k = 0, at = guess; k < count; k++, at = (at + 1) % count) {
        const struct noe_array_layout *place =
            of_velocity ? &coordinate[at].tangent : &coordinate[at].point;
        const int offset = i - place->first;
        const int row = offset / place->stride, col = offset % place->stride;
        if (offset < 0 || row >= place->rows || col >= place->cols) continue;
        *index = row * place->cols + col;
        return at;
    }
    return -1;
}

void coordinate_index_text(int rank, int cols, int index, size_t size, char *text) {
    const int row = index / cols + 1, rest = index % cols;
    if (rank == 0) snprintf(text, size, "%s", "");
    if (rank == 1) snprintf(text, size, "[%d]", index + 1);
    if (rank == 2) snprintf(text, size, "[%d][%d]", row, rest + 1);
    if (rank == 3) snprintf(text, size, "[%d][%d][%d]", row, rest / 3 + 1, rest % 3 + 1);
}
