/* What the processes of noether-mpi need to write one file together. */
/* SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_WRITERS_H
#define MPI_PARALLEL_WRITERS_H

#include "output/parallel_writers.h"

/* For process `rank`; NULL where this build cannot. */
const struct noe_parallel_writers *writers_of(int rank);
/* The file that is not in place yet, for a signal handler to remove; NULL: there is none. */
extern const char *volatile parallel_writers_temporary;

#endif
