/* Virtual file driver of HDF5 that writes to an atomic file and hides failures from HDF5. HDF5
 * cannot close a file that it could not flush, and keeps it open until the process exits. So the
 * atomic file records a failed write and will not commit, while HDF5 continues as if the write had
 * succeeded. */
/* SPDX-License-Identifier: MIT */
#include "output/h5_driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

struct driver_file {
    H5FD_t shared; /* must be first: the part that HDF5 owns */
    struct atomic_file *place;
    haddr_t end_of_addresses, end_of_file;
};

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t max) {
    (void)name;
    (void)flags;
    (void)max;
    struct atomic_file *const *place = H5Pget_driver_info(access);
    struct driver_file *file = place ? calloc(1, sizeof *file) : NULL;
    if (!file) return NULL;
    file->place = *place;
    return &file->shared;
}

static herr_t driver_close(H5FD_t *shared) {
    free(shared);
    return 0;
}

static herr_t driver_query(const H5FD_t *shared, unsigned long *features) {
    (void)shared;
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
                H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *shared, H5FD_mem_t type) {
    (void)type;
    return ((const struct driver_file *)shared)->end_of_addresses;
}

static herr_t driver_set_eoa(H5FD_t *shared, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((struct driver_file *)shared)->end_of_addresses = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *shared, H5FD_mem_t type) {
    (void)type;
    return ((const struct driver_file *)shared)->end_of_file;
}

/* Bytes beyond the end, or never written because the disk is full, read as zero. */
static herr_t driver_read(H5FD_t *shared, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, void *buffer) {
    (void)type;
    (void)transfer;
    const int descriptor = atomic_file_descriptor(((struct driver_file *)shared)->place);
    char *to = buffer;
    while (size > 0) {
        const ssize_t part = pread(descriptor, to, size, (off_t)address);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        to += part;
        size -= (size_t)part;
        address += (haddr_t)part;
    }
    memset(to, 0, size);
    return 0;
}

static herr_t driver_write(H5FD_t *shared, H5FD_mem_t type, hid_t transfer, haddr_t address,
                           size_t size, const void *buffer) {
    (void)type;
    (void)transfer;
    struct driver_file *file = (struct driver_file *)shared;
    if (address + size > file->end_of_file) file->end_of_file = address + size;
    const char *from = buffer;
    while (size > 0 && atomic_file_status(file->place, NULL) == NOE_OK) {
        const ssize_t part =
            pwrite(atomic_file_descriptor(file->place), from, size, (off_t)address);
        if (part >= 0) {
            from += part;
            size -= (size_t)part;
            address += (haddr_t)part;
        } else if (errno != EINTR) {
            atomic_file_fail(file->place, errno);
        }
    }
    return 0;
}

static herr_t driver_truncate(H5FD_t *shared, hid_t transfer, hbool_t is_closing) {
    (void)transfer;
    (void)is_closing;
    struct driver_file *file = (struct driver_file *)shared;
    if (file->end_of_file == file->end_of_addresses) return 0;
    file->end_of_file = file->end_of_addresses;
    if (atomic_file_status(file->place, NULL) == NOE_OK &&
        ftruncate(atomic_file_descriptor(file->place), (off_t)file->end_of_file) != 0)
        atomic_file_fail(file->place, errno);
    return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* outside the range that the HDF Group assigns */
#endif
    .name = "noether",
    .maxaddr = ((haddr_t)1 << 62),
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(struct atomic_file *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t h5_driver_use(hid_t access, struct atomic_file *place) {
    const hid_t driver = H5FDregister(&driver_class);
    if (driver >= 0 && H5Pset_driver(access, driver, &place) < 0) {
        H5FDunregister(driver);
        return -1;
    }
    return driver;
}
