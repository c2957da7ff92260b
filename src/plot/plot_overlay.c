/* Figure of several files: curves in common panels, sections in separate panels. */
/* SPDX-License-Identifier: MIT */
#include "plot/plot_overlay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/column_expression.h"
#include "plot/plot_section.h"

enum { STEM = 40 };

/* Name of a file without directories and extension. */
static void stem_of(const char *path, char stem[STEM]) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    snprintf(stem, STEM, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

static enum noe_status add_curves(struct figure_panel *panel, const struct noe_table *table,
                                  const char *stem, const char *x, const struct column_list *list,
                                  struct noe_error *error) {
    real *across = NULL;
    enum noe_status status = column_values(table, x, &across, error);
    for (int i = 0; i < list->count && status == NOE_OK; i++) {
        char label[FIGURE_LABEL];
        real *up = NULL;
        snprintf(label, sizeof label, "%s%s%s", stem, list->count > 1 ? ": " : "",
                 list->count > 1 ? list->text[i] : "");
        status = column_values(table, list->text[i], &up, error);
        if (status == NOE_OK)
            status = figure_add_curve(panel, label, table->nrows, across, up, error);
        free(up);
    }
    free(across);
    return status;
}

static enum noe_status add_expressions(struct figure *picture, const struct overlay *overlay,
                                       const char *x, const char *y, struct noe_error *error) {
    if (!x) x = figure_across(overlay->table[0]);
    struct figure_panel *panel = figure_add_panel(picture, "", x, "");
    enum noe_status status = NOE_OK;
    for (int i = 0; i < overlay->count && status == NOE_OK; i++) {
        struct column_list list = {0};
        char stem[STEM];
        stem_of(overlay->path[i], stem);
        status = column_list_read(&list, overlay->table[i], y, error);
        if (status == NOE_OK && list.count == 1)
            snprintf(panel->y_label, sizeof panel->y_label, "%s", list.text[0]);
        if (status == NOE_OK) status = add_curves(panel, overlay->table[i], stem, x, &list, error);
        column_list_clear(&list);
    }
    return status;
}

/* The different titles of the models of all files, one after the other. */
static void add_titles(struct figure *picture, const struct overlay *overlay) {
    size_t length = 0;
    picture->title[0] = 0;
    for (int i = 0; i < overlay->count && length < sizeof picture->title; i++) {
        const char *title = overlay->table[i]->model_title;
        bool is_new = title != NULL;
        for (int k = 0; k < i && is_new; k++)
            is_new = !overlay->table[k]->model_title ||
                     strcmp(overlay->table[k]->model_title, title) != 0;
        if (is_new)
            length += (size_t)snprintf(picture->title + length, sizeof picture->title - length,
                                       "%s%s", length ? "; " : "", title);
    }
}

/* Subtitle of the figure: the method of each file, if the files state them. */
static void add_methods(struct figure *picture, const struct overlay *overlay) {
    size_t length = 0;
    picture->subtitle[0] = 0;
    for (int i = 0; i < overlay->count && length < sizeof picture->subtitle; i++) {
        const struct noe_table *table = overlay->table[i];
        char stem[STEM];
        stem_of(overlay->path[i], stem);
        if (!table->method) continue;
        length += (size_t)snprintf(picture->subtitle + length, sizeof picture->subtitle - length,
                                   "%s%s: %s", length ? "; " : "", stem, table->method);
    }
}

enum noe_status overlay_make(struct figure *picture, const struct overlay *overlay, const char *x,
                             const char *y, struct noe_error *error) {
    enum noe_status status = NOE_OK;
    *picture = (struct figure){0};
    if (y) status = add_expressions(picture, overlay, x, y, error);
    for (int i = 0; !y && i < overlay->count && status == NOE_OK; i++) {
        char stem[STEM];
        stem_of(overlay->path[i], stem);
        if (!plot_section_are_in(overlay->table[i]))
            return status_set(error, NOE_BAD_INPUT,
                              "several trajectories are drawn over one another with -y; %s is one",
                              overlay->path[i]);
        status = plot_section_add(picture, overlay->table[i], stem, error);
    }
    if (status == NOE_OK)
        status = figure_finish(picture, overlay->table[0], overlay->path[0], error);
    if (status == NOE_OK) {
        add_titles(picture, overlay);
        add_methods(picture, overlay);
    }
    return status;
}
