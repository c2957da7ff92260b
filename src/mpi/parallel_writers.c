/* Parallel HDF5: all processes write one file through MPI. */
/* SPDX-License-Identifier: MIT */
#include "mpi/parallel_writers.h"

#include <hdf5.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"

const char *volatile parallel_writers_temporary;

static bool agree(bool is_so) {
    int all = is_so;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

static void tell(void *data, size_t size) {
    MPI_Bcast(data, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static bool use_hdf5(long long access) {
    return H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0;
}

static void end(const char *words) {
    if (parallel_writers_temporary) unlink(parallel_writers_temporary);
    cli_say("%s", words);
    MPI_Abort(MPI_COMM_WORLD, CLI_ENVIRONMENT);
}

static void note_temporary(const char *path) {
    static char kept[PATH_MAX + 64];
    parallel_writers_temporary = NULL;
    if (!path) return;
    snprintf(kept, sizeof kept, "%s", path);
    parallel_writers_temporary = kept;
}

const struct noe_parallel_writers *writers_of(int rank) {
    static struct noe_parallel_writers writers = {.agree = agree,
                                                  .tell = tell,
                                                  .use_hdf5 = use_hdf5,
                                                  .end = end,
                                                  .note_temporary = note_temporary};
    int level;
    MPI_Query_thread(&level); /* any thread of a process may write, one at a time */
    writers.rank = rank;
    return level >= MPI_THREAD_SERIALIZED ? &writers : NULL;
}
