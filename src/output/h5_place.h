/* Where an HDF5 file goes: a file being put in place by one process, or by several together. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_H5_PLACE_H
#define OUTPUT_H5_PLACE_H

#include <hdf5.h>
#include <limits.h>

#include "output/place.h"
#include "output/sharers.h"

struct h5_place {
    struct place *place; /* NULL where another process puts the file in place */
    const struct noe_sharers *sharers;
    hid_t driver;
    bool has_failed; /* HDF5 could not do what it was asked to */
    char temporary[PATH_MAX + 64], shown[128];
};

/* With `sharers` (NULL: one process alone) all of them call this, and create, agree, tell and
 * commit; all fail if one does. */
enum noe_status h5_place_open(struct h5_place *where, const char *path,
                              const struct noe_sharers *sharers, struct noe_error *error);
/* The file in HDF5, with the settings of the file access list `access`; negative: failed. */
hid_t h5_place_create(struct h5_place *where, hid_t access);
/* As place_reserve. */
void h5_place_reserve(struct h5_place *where, size_t size);
/* Is it so in all processes? */
bool h5_place_agree(const struct noe_sharers *sharers, bool is_so);
/* What the first process has, to all. */
void h5_place_tell(const struct h5_place *where, void *data, size_t size);
/* NOE_OK, or the failure of this process to write, in words. */
enum noe_status h5_place_status(const struct h5_place *where, struct noe_error *error);
/* After the file is closed in HDF5: as place_commit; all processes return the same status. */
enum noe_status h5_place_commit(struct h5_place *where, struct noe_error *error);
/* As place_discard; one process may call it, too. */
void h5_place_discard(struct h5_place *where);

#endif
