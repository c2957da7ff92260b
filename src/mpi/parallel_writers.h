/* What the processes of noether-mpi need to write one file together. */
/* SPDX-License-Identifier: MIT */
#ifndef MPI_SHARERS_H
#define MPI_SHARERS_H

#include "output/parallel_writers.h"

/* For process `rank`; NULL where this build cannot. */
const struct noe_sharers *sharers_of(int rank);
/* The file that is not in place yet, for a signal handler to remove; NULL: there is none. */
extern const char *volatile sharers_temporary;

#endif
