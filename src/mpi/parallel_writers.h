/* Functions that the processes of noether-mpi need to write one file together. */
/* SPDX-License-Identifier: MIT */
#ifndef MPI_PARALLEL_WRITERS_H
#define MPI_PARALLEL_WRITERS_H

#include "output/parallel_writers.h"

/* The functions for process `rank`; NULL if this build has no parallel HDF5. */
const struct noe_parallel_writers *writers_of(int rank);
/* Name of the temporary file, for a signal handler to remove; NULL if there is none. */
extern const char *volatile parallel_writers_temporary;

#endif
