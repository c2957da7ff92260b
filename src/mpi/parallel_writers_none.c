/* Stands in for sharers.c where HDF5 cannot write from several processes: the first writes all. */
/* SPDX-License-Identifier: MIT */
#include "mpi/parallel_writers.h"

const struct noe_parallel_writers *writers_of(int rank) {
    (void)rank;
    return NULL;
}

const char *volatile parallel_writers_temporary;
