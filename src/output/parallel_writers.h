/* Processes that write one file together. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_PARALLEL_WRITERS_H
#define OUTPUT_PARALLEL_WRITERS_H

#include <stdbool.h>
#include <stddef.h>

/* Each of them opens the file, writes rows of its own and closes it. What all do together one
 * cannot leave: if it fails, it ends them all. */
struct noe_parallel_writers {
    int rank; /* the first, 0, puts the file in place */
    /* All call these: is it so in all of them? What the first has, to all. */
    bool (*agree)(bool is_so);
    void (*tell)(void *data, size_t size);
    /* Makes an HDF5 file access list (a hid_t) one for a file of all of them. */
    bool (*use_hdf5)(long long access);
    /* Ends all processes with these words; none of them puts the file in place. */
    void (*end)(const char *words);
    /* The path of what is not in place yet, to be removed by whoever is told to end; NULL: nothing.
     */
    void (*note_temporary)(const char *path);
};

#endif
