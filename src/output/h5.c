/* HDF5 format: one dataset, which grows by rows or has its full size from the start, and attributes
 * that describe it. */
/* SPDX-License-Identifier: MIT */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/real.h"
#include "output/h5_atomic_file.h"
#include "output/table.h"

#define TRAJECTORY     "trajectory"
#define FORMAT_NAME    "noether trajectory"
#define FORMAT_VERSION 1

enum { CHUNK_BYTES = 1 << 16, READ_BYTES = 1 << 20 };

struct h5 {
    struct h5_atomic_file place;
    hid_t file, dataset, type;
    size_t ncolumns, chunk_rows, buffered;
    hsize_t nrows; /* fixed number of rows; 0: the dataset grows */
    hsize_t first; /* index of the first row in the buffer */
    real *buffer;
};

/* Saved state of HDF5's error printing, which is switched off because errors go to the caller's
 * struct noe_error. */
struct silence {
    H5E_auto2_t print;
    void *data;
};

static void silence_begin(struct silence *silence) {
    H5Eget_auto2(H5E_DEFAULT, &silence->print, &silence->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void silence_end(const struct silence *silence) {
    H5Eset_auto2(H5E_DEFAULT, silence->print, silence->data);
}

/* HDF5 type of `real`, in memory and in files written by this build. */
static hid_t real_type(void) {
    const hid_t type = H5Tcopy(H5T_NATIVE_DOUBLE);
#ifdef NOE_QUAD /* IEEE binary128: sign 1, exponent 15, mantissa 112 bits */
    if (H5Tset_size(type, 16) < 0 || H5Tset_precision(type, 128) < 0 ||
        H5Tset_fields(type, 127, 112, 15, 0, 112) < 0 || H5Tset_ebias(type, 16383) < 0) {
        H5Tclose(type);
        return -1;
    }
#endif
    return type;
}

static hid_t string_type(void) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

/* Writes an attribute of `count` strings: an array if `is_array`, else one value. */
static bool put_strings(hid_t object, const char *name, bool is_array, size_t count,
                        const char *const *text) {
    const hsize_t size = count;
    const hid_t type = string_type();
    const hid_t space = is_array ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool is_written = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    H5Tclose(type);
    return is_written;
}

static bool put_string(hid_t object, const char *name, const char *text) {
    const char *value = text ? text : "";
    return put_strings(object, name, false, 1, &value);
}

static bool put_integer(hid_t object, const char *name, int value) {
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute =
        H5Acreate2(object, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool is_written = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT, &value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    H5Sclose(space);
    return is_written;
}

static bool put_description(const struct h5 *h5, const struct noe_record_header *header) {
    const hid_t file = h5->file;
    char created[32];
    time_t now = time(NULL);
    struct tm utc;
    h5_atomic_file_tell(&h5->place, &now, sizeof now); /* all processes must write the same time */
    gmtime_r(&now, &utc);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return put_string(file, "format", FORMAT_NAME) &&
           put_integer(file, "format_version", FORMAT_VERSION) &&
           put_string(file, "version", NOE_VERSION) &&
           put_string(file, "model_title", header->model_title) &&
           put_string(file, "model", header->model_text) &&
           put_string(file, "method", header->method) &&
           put_string(file, "settings", header->settings) &&
           put_string(file, "precision", NOE_REAL_NAME) &&
           put_string(file, "time_unit", "as in the model") && put_string(file, "created", created);
}

/* Creates the dataset: without rows and chunked by whole rows, or contiguous with all rows. */
static bool make_dataset(struct h5 *h5, const struct noe_record_header *header) {
    const hsize_t now[2] = {h5->nrows, h5->ncolumns};
    const hsize_t max[2] = {h5->nrows ? h5->nrows : H5S_UNLIMITED, h5->ncolumns};
    const hsize_t chunk[2] = {h5->chunk_rows, h5->ncolumns};
    static const char *const labels[2] = {"row", "column"};
    const hid_t space = H5Screate_simple(2, now, max);
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (h5->nrows) {
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
        H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
    } else {
        H5Pset_chunk(creation, 2, chunk);
    }
    H5Pset_obj_track_times(creation, false);
    h5->dataset =
        H5Dcreate2(h5->file, TRAJECTORY, h5->type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return h5->dataset >= 0 &&
           put_strings(h5->dataset, "columns", true, h5->ncolumns, header->column) &&
           put_strings(h5->dataset, "DIMENSION_LABELS", true, 2, labels);
}

static bool make_file(struct h5 *h5, const struct noe_record_header *header) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    /* from version 1.8 on, attributes may exceed 64 KB, as names of thousands of columns do */
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    h5->file = h5_atomic_file_create(&h5->place, access);
    H5Pclose(access);
    if (h5->file < 0) return false;
    return put_description(h5, header) && make_dataset(h5, header) &&
           h5_atomic_file_status(&h5->place, NULL) == NOE_OK;
}

/* Closes all open HDF5 objects of the file. False if some data could not be written. */
static bool release(struct h5 *h5) {
    bool is_clean = true;
    if (h5->dataset >= 0) is_clean &= H5Dclose(h5->dataset) >= 0;
    if (h5->file >= 0) is_clean &= H5Fclose(h5->file) >= 0;
    return is_clean;
}

static void free_memory(struct h5 *h5) {
    if (!h5) return;
    if (h5->type >= 0) H5Tclose(h5->type);
    free(h5->buffer);
    free(h5);
}

static struct h5 *make_memory(const struct noe_record_header *header) {
    struct h5 *h5 = calloc(1, sizeof *h5);
    if (!h5) return NULL;
    h5->file = h5->dataset = -1;
    h5->type = real_type();
    h5->ncolumns = (size_t)header->ncolumns;
    h5->nrows = header->nrows;
    const size_t row_bytes = h5->ncolumns * sizeof(real);
    h5->chunk_rows = row_bytes < CHUNK_BYTES ? CHUNK_BYTES / row_bytes : 1;
    h5->buffer = malloc(h5->chunk_rows * row_bytes);
    if (h5->buffer && h5->type >= 0) return h5;
    free_memory(h5);
    return NULL;
}

/* With several writers, a single process cannot close the file without the others. */
static void h5_discard(void *file) {
    struct h5 *h5 = file;
    struct silence silence;
    silence_begin(&silence);
    if (!h5->place.writers) release(h5);
    silence_end(&silence);
    h5_atomic_file_discard(&h5->place);
    free_memory(h5);
}

static enum noe_status h5_open(void **file, const char *path,
                               const struct noe_record_header *header, struct noe_error *error) {
    *file = NULL;
    if (header->ncolumns <= 0)
        return status_set(error, NOE_BAD_INPUT, "a trajectory needs at least one column");
    struct h5 *h5 = make_memory(header);
    if (!h5_atomic_file_agree(header->writers, h5 != NULL)) {
        free_memory(h5);
        return status_set(error, NOE_NO_MEMORY, "out of memory");
    }
    const size_t size = header->nrows * h5->ncolumns * sizeof(real);
    enum noe_status status = h5_atomic_file_open(&h5->place, path, size, header->writers, error);
    if (status != NOE_OK) {
        free_memory(h5);
        return status;
    }
    struct silence silence;
    silence_begin(&silence);
    if (!make_file(h5, header)) status = h5_atomic_file_fail(&h5->place, error);
    silence_end(&silence);
    if (status == NOE_OK)
        *file = h5;
    else
        h5_discard(h5);
    return status;
}

/* Writes the buffered rows to the dataset. */
static bool write_buffer(struct h5 *h5) {
    if (h5->place.has_failed || h5->buffered == 0) return !h5->place.has_failed;
    const hsize_t first[2] = {h5->first, 0}, count[2] = {h5->buffered, h5->ncolumns};
    const hsize_t size[2] = {h5->first + h5->buffered, h5->ncolumns};
    h5->buffered = 0;
    if (!h5->nrows && H5Dset_extent(h5->dataset, size) < 0) return false;
    h5->first = size[0];
    const hid_t space = H5Dget_space(h5->dataset), memory = H5Screate_simple(2, count, NULL);
    const bool is_written =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0 &&
        H5Dwrite(h5->dataset, h5->type, memory, space, H5P_DEFAULT, h5->buffer) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return is_written && h5_atomic_file_status(&h5->place, NULL) == NOE_OK;
}

static enum noe_status flush_buffer(struct h5 *h5, struct noe_error *error) {
    struct silence silence;
    silence_begin(&silence);
    const bool is_written = write_buffer(h5);
    silence_end(&silence);
    return is_written ? NOE_OK : h5_atomic_file_fail(&h5->place, error);
}

static enum noe_status h5_row(void *file, const real *values, struct noe_error *error) {
    struct h5 *h5 = file;
    memcpy(h5->buffer + h5->buffered * h5->ncolumns, values, h5->ncolumns * sizeof(real));
    return ++h5->buffered < h5->chunk_rows ? NOE_OK : flush_buffer(h5, error);
}

/* Consecutive rows are collected in the buffer. */
static enum noe_status h5_rows_at(void *file, size_t first, size_t count, const real *values,
                                  struct noe_error *error) {
    struct h5 *h5 = file;
    enum noe_status status = NOE_OK;
    if (first > h5->nrows || count > h5->nrows - first)
        return status_set(error, NOE_BAD_INPUT,
                          "%zu rows from row %zu on do not fit into a file for %llu rows", count,
                          first, (unsigned long long)h5->nrows);
    if (first != h5->first + h5->buffered) {
        status = flush_buffer(h5, error);
        h5->first = first;
    }
    for (size_t i = 0; i < count && status == NOE_OK; i++)
        status = h5_row(h5, values + i * h5->ncolumns, error);
    return status;
}

static enum noe_status h5_close(void *file, const char *message, struct noe_error *error) {
    struct h5 *h5 = file;
    struct silence silence;
    silence_begin(&silence);
    const struct noe_parallel_writers *writers = h5->place.writers;
    bool is_written = write_buffer(h5) &&
                      put_string(h5->file, "status", message ? "incomplete" : "complete") &&
                      put_string(h5->file, "message", message);
    if (writers && is_written) /* every machine syncs its own part of the file */
        is_written = H5Fflush(h5->file, H5F_SCOPE_GLOBAL) >= 0;
    if (!writers || is_written) is_written &= release(h5);
    silence_end(&silence);
    enum noe_status status = is_written ? NOE_OK : h5_atomic_file_fail(&h5->place, error);
    if (status == NOE_OK)
        status = h5_atomic_file_commit(&h5->place, error);
    else
        h5_atomic_file_discard(&h5->place);
    free_memory(h5);
    return status;
}

/* Reads `count` strings of an attribute into text[], each to be freed. False if the attribute has
 * another shape. */
static bool get_strings(hid_t object, const char *name, size_t count, char **text) {
    if (H5Aexists(object, name) <= 0) return false;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t found = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hid_t type = string_type();
    bool is_read =
        H5Tis_variable_str(found) > 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count;
    char **value = is_read ? calloc(count + 1, sizeof *value) : NULL;
    is_read = value && H5Aread(attribute, type, value) >= 0;
    for (size_t i = 0; is_read && i < count; i++) {
        text[i] = strdup(value[i] ? value[i] : "");
        is_read = text[i] != NULL;
    }
    if (value) H5Dvlen_reclaim(type, space, H5P_DEFAULT, value);
    free(value);
    H5Tclose(type);
    H5Sclose(space);
    H5Tclose(found);
    H5Aclose(attribute);
    return is_read;
}

/* A string attribute; NULL if it is empty or missing. */
static char *get_string(hid_t object, const char *name) {
    char *text = NULL;
    if (!get_strings(object, name, 1, &text)) return NULL;
    if (text[0]) return text;
    free(text);
    return NULL;
}

static int get_integer(hid_t object, const char *name) {
    int value = 0;
    if (H5Aexists(object, name) <= 0) return 0;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (H5Aread(attribute, H5T_NATIVE_INT, &value) < 0) value = 0;
    H5Aclose(attribute);
    return value;
}

static enum noe_status get_description(struct noe_table *table, const char *path, hid_t file,
                                       struct noe_error *error) {
    char *format = get_string(file, "format");
    const bool is_trajectory = format && strcmp(format, FORMAT_NAME) == 0;
    free(format);
    if (!is_trajectory)
        return status_set(error, NOE_BAD_INPUT, "'%s' is HDF5, but not a trajectory of noether",
                          path);
    const int version = get_integer(file, "format_version");
    if (version != FORMAT_VERSION)
        return status_set(error, NOE_BAD_INPUT,
                          "'%s' has format version %d, this program reads version %d", path,
                          version, FORMAT_VERSION);
    table->model_title = get_string(file, "model_title");
    table->model_text = get_string(file, "model");
    table->method = get_string(file, "method");
    table->settings = get_string(file, "settings");
    table->message = get_string(file, "message");
    return NOE_OK;
}

/* Reads blocks of rows and transposes them into columns. */
static bool get_rows(struct noe_table *table, hid_t dataset, hid_t space) {
    const size_t row_bytes = (size_t)table->ncolumns * sizeof(real);
    const size_t block = row_bytes < READ_BYTES ? READ_BYTES / row_bytes : 1;
    real *rows = malloc(block * row_bytes);
    const hid_t type = real_type();
    bool is_read = rows && type >= 0;
    for (size_t done = 0; is_read && done < table->nrows; done += block) {
        const size_t count = table->nrows - done < block ? table->nrows - done : block;
        const hsize_t first[2] = {done, 0}, size[2] = {count, (hsize_t)table->ncolumns};
        const hid_t memory = H5Screate_simple(2, size, NULL);
        is_read = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, size, NULL) >= 0 &&
                  H5Dread(dataset, type, memory, space, H5P_DEFAULT, rows) >= 0;
        H5Sclose(memory);
        for (size_t c = 0; is_read && c < size[1]; c++)
            for (size_t r = 0; r < count; r++)
                table->values[c * table->nrows + done + r] = rows[r * size[1] + c];
    }
    if (type >= 0) H5Tclose(type);
    free(rows);
    return is_read;
}

static enum noe_status get_dataset(struct noe_table *table, const char *path, hid_t dataset,
                                   struct noe_error *error) {
    const hid_t space = H5Dget_space(dataset);
    hsize_t size[2] = {0, 0};
    bool is_read = H5Sget_simple_extent_ndims(space) == 2 &&
                   H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[1] > 0 &&
                   size[1] < 1 << 30;
    enum noe_status status = NOE_OK;
    if (is_read) status = table_make_columns(table, (int)size[1], error);
    if (is_read && status == NOE_OK)
        is_read = get_strings(dataset, "columns", size[1], table->column);
    if (is_read && status == NOE_OK) status = table_make_rows(table, size[0], error);
    if (is_read && status == NOE_OK) is_read = get_rows(table, dataset, space);
    if (space >= 0) H5Sclose(space);
    if (is_read) return status;
    return status_set(error, NOE_IO, "'%s' is damaged: its rows cannot be read", path);
}

static enum noe_status h5_read(struct noe_table *table, const char *path, struct noe_error *error) {
    struct silence silence;
    silence_begin(&silence);
    enum noe_status status = NOE_OK;
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        status = status_set(error, NOE_BAD_INPUT, "'%s' is not a trajectory: it is not HDF5", path);
    else
        status = get_description(table, path, file, error);
    if (status == NOE_OK) {
        const hid_t dataset = H5Dopen2(file, TRAJECTORY, H5P_DEFAULT);
        status = get_dataset(table, path, dataset, error);
        if (dataset >= 0) H5Dclose(dataset);
    }
    if (file >= 0) H5Fclose(file);
    silence_end(&silence);
    return status;
}

const struct noe_format noe_format_h5 = {
    .name = "h5",
    .summary = "HDF5: chunked rows, with model, method and settings",
    .open = h5_open,
    .row = h5_row,
    .rows_at = h5_rows_at,
    .close = h5_close,
    .discard = h5_discard,
    .read = h5_read,
};
