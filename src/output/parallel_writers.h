/* Functions by which several processes write one file together. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_PARALLEL_WRITERS_H
#define OUTPUT_PARALLEL_WRITERS_H

#include <stdbool.h>
#include <stddef.h>

/* Each process opens the file, writes its own rows and closes it. These operations are collective:
 * a process that fails must abort all others. */
struct noe_parallel_writers {
    int rank; /* process 0 renames the file to its final path */
    /* Collective: true if the flag is true in all processes; broadcast of data of process 0. */
    bool (*agree)(bool is_so);
    void (*tell)(void *data, size_t size);
    /* Sets up an HDF5 file access list (a hid_t) for parallel access. */
    bool (*use_hdf5)(long long access);
    /* Aborts all processes with a message. None of them renames the file. */
    void (*end)(const char *words);
    /* Path of the temporary file, to be removed by a process that is terminated; NULL if there is
     * none. */
    void (*note_temporary)(const char *path);
};

#endif
