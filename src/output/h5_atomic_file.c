/* Atomic replacement of an HDF5 file by one process, or by several that write it together. */
/* SPDX-License-Identifier: MIT */
#include "output/h5_atomic_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/h5_driver.h"

bool h5_atomic_file_agree(const struct noe_parallel_writers *writers, bool is_so) {
    return writers ? writers->agree(is_so) : is_so;
}

void h5_atomic_file_tell(const struct h5_atomic_file *where, void *data, size_t size) {
    if (where->writers) where->writers->tell(data, size);
}

enum noe_status h5_atomic_file_status(const struct h5_atomic_file *where, struct noe_error *error) {
    const enum noe_status status = where->place ? atomic_file_status(where->place, error) : NOE_OK;
    if (status != NOE_OK || !where->has_failed) return status;
    return status_set(error, NOE_IO, "cannot write '%s': %s", where->shown,
                      where->writers ? "HDF5 failed through MPI; the disk may be full"
                                     : "HDF5 failed");
}

enum noe_status h5_atomic_file_fail(struct h5_atomic_file *where, struct noe_error *error) {
    struct noe_error own = {0};
    where->has_failed = true;
    h5_atomic_file_status(where, &own);
    if (error) *error = own;
    if (where->writers) where->writers->end(own.text);
    return own.status;
}

/* Broadcasts the status of the first process to all others. */
static enum noe_status as_the_first(const struct h5_atomic_file *where, enum noe_status status,
                                    struct noe_error *error) {
    const bool is_first = !where->writers || where->writers->rank == 0;
    h5_atomic_file_tell(where, &status, sizeof status);
    if (status != NOE_OK && !is_first)
        return status_set(error, status, "the first process could not write the file");
    return status;
}

static enum noe_status prepare(struct h5_atomic_file *where, const char *path,
                               struct noe_error *error) {
    const enum noe_status status = atomic_file_prepare(&where->place, path, error);
    if (status != NOE_OK) return status;
    if (!atomic_file_is_regular(where->place))
        return status_set(error, NOE_IO, "cannot write '%s': HDF5 needs a regular file", path);
    const char *temporary = atomic_file_temporary(where->place);
    if (strlen(temporary) >= sizeof where->temporary)
        return status_set(error, NOE_IO, "cannot write '%.100s...': the path is too long", path);
    strcpy(where->temporary, temporary);
    return NOE_OK;
}

static enum noe_status create(struct h5_atomic_file *where, struct noe_error *error) {
    const enum noe_status status = atomic_file_create(where->place, error);
    if (status != NOE_OK) return status;
    atomic_file_reserve(where->place, where->size);
    return atomic_file_status(where->place, error);
}

/* All processes know the temporary name before the file exists, so that any surviving process can
 * remove it. */
enum noe_status h5_atomic_file_open(struct h5_atomic_file *where, const char *path, size_t size,
                                    const struct noe_parallel_writers *writers,
                                    struct noe_error *error) {
    *where = (struct h5_atomic_file){.writers = writers, .driver = -1, .size = size};
    snprintf(where->shown, sizeof where->shown, "%s", path);
    const bool is_first = !writers || writers->rank == 0;
    enum noe_status status =
        as_the_first(where, is_first ? prepare(where, path, error) : NOE_OK, error);
    if (status == NOE_OK) {
        h5_atomic_file_tell(where, where->temporary, sizeof where->temporary);
        if (writers) writers->note_temporary(where->temporary);
        h5_atomic_file_agree(writers, true);
        status = as_the_first(where, is_first ? create(where, error) : NOE_OK, error);
    }
    if (status != NOE_OK) h5_atomic_file_discard(where);
    return status;
}

hid_t h5_atomic_file_create(struct h5_atomic_file *where, hid_t access) {
    bool is_ready;
    if (where->writers) {
        is_ready = where->writers->use_hdf5(access);
        if (where->place) atomic_file_unlock(where->place); /* HDF5 opens the file itself */
    } else {
        where->driver = h5_driver_use(access, where->place);
        is_ready = where->driver >= 0;
    }
    if (!is_ready) return -1;
    const hid_t file = H5Fcreate(where->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (where->writers && where->place)
        atomic_file_reserve(where->place, where->size); /* again, because MPI truncates it */
    return file;
}

static void release(struct h5_atomic_file *where) {
    if (where->driver >= 0) H5FDunregister(where->driver);
    if (where->writers) where->writers->note_temporary(NULL);
}

enum noe_status h5_atomic_file_commit(struct h5_atomic_file *where, struct noe_error *error) {
    h5_atomic_file_agree(where->writers, true); /* barrier: all processes have closed the file */
    const enum noe_status own = where->place ? atomic_file_commit(where->place, error) : NOE_OK;
    const enum noe_status status = as_the_first(where, own, error);
    release(where);
    return status;
}

void h5_atomic_file_discard(struct h5_atomic_file *where) {
    if (where->place)
        atomic_file_discard(where->place);
    else if (where->temporary[0])
        unlink(where->temporary);
    release(where);
}
