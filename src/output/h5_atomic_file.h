/* Where an HDF5 file goes: a file being put in place by one process, or by several together. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_H5_ATOMIC_FILE_H
#define OUTPUT_H5_ATOMIC_FILE_H

#include <hdf5.h>
#include <limits.h>

#include "output/atomic_file.h"
#include "output/parallel_writers.h"

struct h5_atomic_file {
    struct atomic_file *place; /* NULL where another process puts the file in place */
    const struct noe_parallel_writers *writers;
    hid_t driver;
    bool has_failed;
    size_t size; /* of the rows, where it is known */
    char temporary[PATH_MAX + 64], shown[128];
};

/* Room for `size` bytes is taken, as by atomic_file_reserve. With `sharers` (NULL: one process
 * alone) all of them call this, and create, agree, tell and commit; all fail where the first does.
 */
enum noe_status h5_atomic_file_open(struct h5_atomic_file *where, const char *path, size_t size,
                                    const struct noe_parallel_writers *writers,
                                    struct noe_error *error);
/* The file in HDF5, with the settings of the file access list `access`; negative: HDF5 failed. */
hid_t h5_atomic_file_create(struct h5_atomic_file *where, hid_t access);
/* Is it so in all processes? */
bool h5_atomic_file_agree(const struct noe_parallel_writers *writers, bool is_so);
/* What the first process has, to all. */
void h5_atomic_file_tell(const struct h5_atomic_file *where, void *data, size_t size);
/* NOE_OK, or the failure of this process to write, in words. */
enum noe_status h5_atomic_file_status(const struct h5_atomic_file *where, struct noe_error *error);
/* After HDF5 failed: the status, in words. Ends all processes where there are several, as the
 * others may wait in HDF5 for this one. */
enum noe_status h5_atomic_file_fail(struct h5_atomic_file *where, struct noe_error *error);
/* After the file is closed in HDF5: as atomic_file_commit; all processes return the same status. */
enum noe_status h5_atomic_file_commit(struct h5_atomic_file *where, struct noe_error *error);
/* As atomic_file_discard; one process may call it, too. */
void h5_atomic_file_discard(struct h5_atomic_file *where);

#endif
