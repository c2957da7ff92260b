/* Virtual file driver of HDF5 that writes to an atomic file and hides failures from HDF5. */
/* SPDX-License-Identifier: MIT */
#ifndef OUTPUT_H5_DRIVER_H
#define OUTPUT_H5_DRIVER_H

#include <hdf5.h>

#include "output/atomic_file.h"

/* Makes the file access list `access` write to `place`. Returns the driver's identifier, to be
 * released with H5FDunregister after the file is closed, or a negative number. */
hid_t h5_driver_use(hid_t access, struct atomic_file *place);

#endif
