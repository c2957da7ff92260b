/* Atomic replacement of an HDF5 file by one process, or by several that write it together. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_H5_ATOMIC_FILE_H
#define OUTPUT_H5_ATOMIC_FILE_H

#include <hdf5.h>
#include <limits.h>

#include "output/atomic_file.h"
#include "output/parallel_writers.h"

struct h5_atomic_file {
    struct atomic_file *place; /* NULL in processes other than the first */
    const struct noe_parallel_writers *writers;
    hid_t driver;
    bool has_failed;
    size_t size; /* size of the rows in bytes; 0 if unknown */
    char temporary[PATH_MAX + 64], shown[128];
};

/* Opens the file and preallocates `size` bytes, like atomic_file_reserve. With `writers` (NULL: a
 * single process) all processes must call this function and create, agree, tell and commit. If the
 * first process fails, all fail. */
enum noe_status h5_atomic_file_open(struct h5_atomic_file *where, const char *path, size_t size,
                                    const struct noe_parallel_writers *writers,
                                    struct noe_error *error);
/* Creates the HDF5 file with the file access list `access`; negative if HDF5 failed. */
hid_t h5_atomic_file_create(struct h5_atomic_file *where, hid_t access);
/* True if the flag is true in all processes. */
bool h5_atomic_file_agree(const struct noe_parallel_writers *writers, bool is_so);
/* Broadcasts data of the first process to all others. */
void h5_atomic_file_tell(const struct h5_atomic_file *where, void *data, size_t size);
/* NOE_OK, or the failure of this process to write, with its message. */
enum noe_status h5_atomic_file_status(const struct h5_atomic_file *where, struct noe_error *error);
/* Status and message after HDF5 failed. Aborts all processes if there are several, because the
 * others may wait inside HDF5 for this one. */
enum noe_status h5_atomic_file_fail(struct h5_atomic_file *where, struct noe_error *error);
/* Commits the file, like atomic_file_commit, after HDF5 has closed it. All processes return the
 * same status. */
enum noe_status h5_atomic_file_commit(struct h5_atomic_file *where, struct noe_error *error);
/* Discards the file, like atomic_file_discard. A single process may call it. */
void h5_atomic_file_discard(struct h5_atomic_file *where);

#endif
