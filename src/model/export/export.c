/* Export: a model as self-contained C99 that needs only libm. */
/* SPDX-License-Identifier: MIT */
#include "model/export/export.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinate_names.h"
#include "model/codegen/emit.h"
#include "model/codegen/emit_power.h"
#include "model/export/export_stepper.h"
#include "model/model.h"

/* --- Names. Text of the model's author is reduced to harmless characters. */

/* Keeps letters and digits of `title` and replaces the others by single underscores. */
static void make_names(struct export_names *names, const char *title) {
    const size_t max = sizeof names->lower - 8;
    size_t length = 0;
    for (const unsigned char *c = (const unsigned char *)title; *c && length < max; c++) {
        const bool is_plain = *c < 128 && isalnum(*c);
        if (length == 0 && !(is_plain && isalpha(*c))) continue;
        if (is_plain)
            names->lower[length++] = (char)tolower(*c);
        else if (names->lower[length - 1] != '_')
            names->lower[length++] = '_';
    }
    while (length > 0 && names->lower[length - 1] == '_') length--;
    names->lower[length] = 0;
    if (length == 0) strcpy(names->lower, "model");
    size_t i = 0;
    for (; names->lower[i]; i++) names->upper[i] = (char)toupper((unsigned char)names->lower[i]);
    names->upper[i] = 0;
}

/* Writes `text` into a comment. */
static void write_comment_text(struct writer *out, const char *text) {
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool is_kept = c < 128 && (isalnum(c) || strchr("_'[] .,:=-+()", c));
        writer_bytes(out, is_kept ? text : " ", 1);
    }
}

/* Names of the C library, or our own for functions it does not have. */
static const char *function_name(int f) {
    const char *name = graph_functions[f].c_name + strlen("noe_");
    if (strcmp(name, "abs") == 0) return "fabs";
    if (strcmp(name, "min") == 0) return "smaller";
    if (strcmp(name, "max") == 0) return "larger";
    return name;
}

static const struct {
    const char *name, *text;
} own_functions[] = {
    {"smaller", "static double smaller(double x, double y)\n"
                "{\n    return x <= y ? x : y <= x ? y : x + y;\n}\n"},
    {"larger", "static double larger(double x, double y)\n"
               "{\n    return x >= y ? x : y >= x ? y : x + y;\n}\n"},
    {"sign", "static double sign(double x)\n{\n    return x > 0 ? 1 : x < 0 ? -1 : x;\n}\n"},
    {"step_at", "static double step_at(double x)\n{\n    return x >= 0 ? 1 : x < 0 ? 0 : x;\n}\n"},
};

static bool uses_function(const struct system_functions *routines, const char *name) {
    const struct graph *graph = routines->graph;
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        const struct program *program = &routines->program[i];
        for (int k = 0; k < program->nsteps; k++) {
            const struct graph_node *node = &graph->node[program->step[k]];
            if (node->op == GRAPH_CALL && strcmp(function_name(node->f), name) == 0) return true;
        }
    }
    return false;
}

/* --- Data. */

static void write_name(struct writer *out, const char *name, int rank, int cols, int index) {
    char indices[48];
    coordinate_index_text(rank, cols, index, sizeof indices, indices);
    write_comment_text(out, name);
    writer_put(out, indices);
}

static void write_parameters(struct writer *out, const struct export_names *names,
                             const struct definition *source) {
    if (source->nnumbers == 0) return;
    writer_print(out, "\nconst double %s_parameters[%d] = {\n", names->lower, source->nnumbers);
    for (int i = 0; i < source->nparameters; i++) {
        const struct definition_parameter *parameter = &source->parameter[i];
        for (int k = 0; k < parameter->rows * parameter->cols; k++) {
            const int number = definition_element(parameter, k);
            if (number < 0) continue;
            writer_put(out, "    ");
            writer_number(out, source->number[number], "");
            writer_print(out, ", /* a[%d]: ", number);
            write_name(out, parameter->name, parameter->rank, parameter->cols, k);
            writer_put(out, " */\n");
        }
    }
    writer_put(out, "};\n");
}

/* Writes the start values in the order of q or v, each with its name. */
static void write_start(struct writer *out, const struct export_names *names,
                        const struct definition *source, bool of_velocity) {
    const real *value = of_velocity ? source->v : source->q;
    const int count = of_velocity ? source->n : source->np;
    const char letter = of_velocity ? 'v' : 'q';
    writer_print(out, "\nconst double %s_%c0[%d] = {\n", names->lower, letter, count);
    for (int i = 0, at = 0, index = 0; i < count; i++) {
        at = coordinate_find(source->ncoordinates, source->coordinate, of_velocity, i, at, &index);
        const struct noe_coordinate *coordinate = &source->coordinate[at];
        const struct noe_array_layout *place =
            of_velocity ? &coordinate->tangent : &coordinate->point;
        const bool has_own = of_velocity && coordinate->velocity;
        writer_put(out, "    ");
        writer_number(out, value[i], "");
        writer_print(out, ", /* %c[%d]: ", letter, i);
        write_name(out, has_own ? coordinate->velocity : coordinate->name, place->rank, place->cols,
                   index);
        writer_put(out, of_velocity && !has_own ? "' */\n" : " */\n");
    }
    writer_put(out, "};\n");
}

/* Rows or columns of a sparsity pattern with n columns. `given` is NULL if it is dense. */
static void write_indices(struct writer *out, const char *name, const char *what, int count, int n,
                          const int *given) {
    const bool is_row = strchr(what, 'r') != NULL;
    writer_print(out, "\nconst int %s_%s[%d] = {", name, what, count);
    for (int k = 0; k < count; k++) {
        const int index = given ? given[k] : is_row ? k / n : k % n;
        writer_print(out, "%s%d,", k % 16 == 0 ? "\n    " : " ", index);
    }
    writer_put(out, "\n};\n");
}

static void write_patterns(struct writer *out, const struct export_names *names,
                           const struct equations *equations) {
    const struct constraints *constraints = &equations->constraints;
    write_indices(out, names->lower, "row", equations->nz, equations->n, equations->row);
    write_indices(out, names->lower, "col", equations->nz, equations->n, equations->col);
    if (constraints->count == 0) return;
    write_indices(out, names->lower, "crow", constraints->nz, equations->n, constraints->row);
    write_indices(out, names->lower, "ccol", constraints->nz, equations->n, constraints->col);
}

static const char on_groups[] =
    "\n *\n"
    " * q has NP components: for a rotation R in row-major order, for a pose R and then the\n"
    " * position. v is the angular velocity, followed for a pose by the linear velocity, in body\n"
    " * axes. p, w and derivatives by q are taken along R exp(hat(s)), in the same order. The\n"
    " * equations of motion of a rotation are R' = R hat(v), p' = p cross v + w. Those of a pose\n"
    " * with v = (a, b), p = (m, f) are R' = R hat(a), x' = R b,\n"
    " * m' = m cross a + f cross b + w_m, f' = f cross a + w_f.";

static const char on_matrix_groups[] = "\n *\n"
                                       " * Of a matrix group q holds the matrix row by row, and v "
                                       "the coefficients of the velocity in\n"
                                       " * the basis of its algebra; p, w and derivatives in q are "
                                       "taken along g exp(s) in the same way.";

static const char with_constraints[] =
    "\n *\n"
    " * There are NHOLONOMIC constraints g(t,q) = 0, then NNONHOLONOMIC constraints\n"
    " * phi(t,q,v) = 0; psi is g' and phi. The multipliers lambda follow the N velocities in\n"
    " * v, and w = L_q + force - g_q^T lambda + phi_v^T lambda. psi_v and psi_q are stored on\n"
    " * the sparsity pattern (@_crow, @_ccol); the derivatives of g are rows of psi_v.";

/* The first space that is neither R^n nor one of rotations or poses, or NULL. */
static const struct noe_space *matrix_group(const struct definition *source) {
    for (int i = 0; i < source->nfactors; i++) {
        const struct noe_space *space = source->factor[i].space;
        if (space->retractions && space->kind.algebra == NOE_ALGEBRA_OTHER) return space;
    }
    return NULL;
}

static void write_head(struct writer *out, const struct export_names *names,
                       const struct model *model, const struct system_functions *routines) {
    writer_put(out, "/* ");
    write_comment_text(out, model->title);
    writer_put(out, "\n * Written by Noether " NOE_VERSION "; C99, needs only libm.\n"
                    " *\n * t time, q configuration, v velocity, p = L_v, w = L_q + force.\n"
                    " * d holds p_v, p_q, w_v, w_q in this order, each on the sparsity pattern\n");
    export_stepper_template(out, names, " * (@_row, @_col).");
    if (model->source->has_groups) writer_put(out, on_groups);
    if (matrix_group(model->source)) writer_put(out, on_matrix_groups);
    if (definition_constraints(model->source) > 0)
        export_stepper_template(out, names, with_constraints);
    writer_put(out, " */\n#include <math.h>\n\nenum { ");
    writer_print(out, "%s_N = %d, %s_NZ = %d", names->upper, routines->n, names->upper,
                 routines->nz);
    if (model->source->has_groups)
        writer_print(out, ", %s_NP = %d", names->upper, model->source->np);
    if (routines->nzc > 0)
        writer_print(out, ", %s_NHOLONOMIC = %d, %s_NNONHOLONOMIC = %d, %s_NZC = %d", names->upper,
                     routines->nholonomic, names->upper, routines->nnonholonomic, names->upper,
                     routines->nzc);
    if (routines->nnoises > 0)
        writer_print(out, ", %s_NOISES = %d", names->upper, routines->nnoises);
    if (routines->nvalues > 0)
        writer_print(out, ", %s_VALUES = %d", names->upper, routines->nvalues);
    if (routines->nevents > 0)
        writer_print(out, ", %s_EVENTS = %d", names->upper, routines->nevents);
    if (routines->nrecorded > 0)
        writer_print(out, ", %s_RECORDED = %d", names->upper, routines->nrecorded);
    writer_put(out, " };\n");
    write_parameters(out, names, model->source);
    write_start(out, names, model->source, false);
    write_start(out, names, model->source, true);
    write_patterns(out, names, &model->equations);
}

static int write_values(struct writer *out, const struct definition_quantity *quantity, int index) {
    for (int k = 0; k < quantity->rows * quantity->cols; k++) {
        writer_print(out, " * values[%d]: ", index++);
        write_name(out, quantity->name, quantity->rank, quantity->cols, k);
        writer_put(out, "\n");
    }
    return index;
}

static void write_quantity_names(struct writer *out, const struct definition *source) {
    int index = 0;
    if (source->nquantities == 0) return;
    writer_put(out, "\n/* Observed quantities:\n");
    for (int i = 0; i < source->nquantities; i++)
        index = write_values(out, &source->quantity[i], index);
    writer_put(out, " */\n");
}

static void write_record_texts(struct writer *out, const struct definition *source) {
    int index = 0;
    if (source->nrecorded == 0) return;
    writer_put(out, "\n/* Quantities recorded at sections:\n");
    for (int i = 0; i < source->nevents; i++)
        for (int k = 0; k < source->event[i].nrecords; k++)
            index = write_values(out, &source->event[i].record[k], index);
    writer_put(out, " */\n");
}

static void write_event_texts(struct writer *out, const struct definition *source) {
    if (source->nevents == 0) return;
    writer_put(out,
               "\n/* Event functions, left side minus right side of the equations of sections and "
               "stops:\n");
    for (int i = 0; i < source->nevents; i++) {
        writer_print(out, " * values[%d]: ", i);
        write_comment_text(out, source->event[i].text);
        writer_put(out, "\n");
    }
    writer_put(out, " */\n");
}

/* --- Functions. */

static enum noe_status write_functions(struct writer *out, const struct export_names *names,
                                       const struct model *model,
                                       const struct system_functions *routines) {
    char prefix[48], parameters[64];
    snprintf(prefix, sizeof prefix, "%s_", names->lower);
    snprintf(parameters, sizeof parameters, "%s_parameters", names->lower);
    const struct emit_style style = {.real = "double",
                                     .suffix = "",
                                     .storage = "",
                                     .power_prefix = "",
                                     .part_storage = "static ",
                                     .prefix = prefix,
                                     .parameters = parameters,
                                     .parameter = "double",
                                     .time = "t",
                                     .has_comments = true,
                                     .function = function_name};
    for (size_t i = 0; i < sizeof own_functions / sizeof *own_functions; i++) {
        if (!uses_function(routines, own_functions[i].name)) continue;
        writer_print(out, "\n%s", own_functions[i].text);
    }
    enum noe_status status = emit_power_functions(out, &style, "static ", routines->graph,
                                                  ROUTINE_COUNT, routines->program);
    for (int i = 0; status == NOE_OK && i < FUNCTION_COUNT; i++) {
        if (i == QUANTITIES) write_quantity_names(out, model->source);
        if (i == EVENTS) write_event_texts(out, model->source);
        if (i == RECORDS) write_record_texts(out, model->source);
        status = emit_routine(out, &style, routines, i);
    }
    return status;
}

/* Diagonal of p_v as numbers. Fails if p_v is not diagonal and constant. */
static enum noe_status find_mass(const struct model *model, real *mass, struct noe_error *error) {
    const struct equations *equations = &model->equations;
    const struct noe_system *system = &model->system;
    real *p = calloc((size_t)equations->n + (size_t)equations->nz, sizeof *p);
    if (!p) return status_set(error, NOE_NO_MEMORY, "out of memory while exporting");
    bool is_diagonal = (equations->traits & NOE_SEPARABLE) != 0;
    if (is_diagonal) {
        system->momentum(system, model->source->from, model->source->q, model->source->v, p,
                         p + equations->n);
    }
    for (int k = 0; k < equations->nz && is_diagonal; k++) {
        const int row = equations->row ? equations->row[k] : k / equations->n;
        const int col = equations->row ? equations->col[k] : k % equations->n;
        if (row == col) mass[row] = p[equations->n + k];
        is_diagonal = row == col || p[equations->n + k] == 0;
    }
    free(p);
    if (is_diagonal) return NOE_OK;
    return status_set(error, NOE_NOT_SERVED,
                      "an explicit step function needs a separable Lagrangian with a diagonal mass "
                      "matrix");
}

static enum noe_status write_stepper(struct writer *out, const struct export_names *names,
                                     const struct model *model, const struct export_method *method,
                                     struct noe_error *error) {
    writer_put(out, "\n/* One step of ");
    write_comment_text(out, method->words);
    writer_put(out, ". */\n");
    if (method->groups) {
        export_stepper_groups(out, names, &model->system, method);
        return NOE_OK;
    }
    if (method->stages > 0) {
        export_stepper_stages(out, names, method);
        return NOE_OK;
    }
    real *mass = malloc((size_t)model->equations.n * sizeof *mass);
    if (!mass) return status_set(error, NOE_NO_MEMORY, "out of memory while exporting");
    const enum noe_status status = find_mass(model, mass, error);
    if (status == NOE_OK) export_stepper_splitting(out, names, model->equations.n, mass, method);
    free(mass);
    return status;
}

/* Quantities of the tangent map (Lyapunov exponents, MEGNO) are not functions of the state. */
static enum noe_status check_quantities(const struct definition *source, struct noe_error *error) {
    for (int i = 0; i < source->nquantities; i++)
        if (source->quantity[i].tangent)
            return status_set(error, NOE_NOT_SERVED,
                              "'%s' is a quantity of the tangent map, as lyapunov and megno are, "
                              "and cannot be exported: leave it out of 'observe'",
                              source->quantity[i].name);
    return NOE_OK;
}

enum noe_status export_with_stepper(const struct noe_model *public,
                                    const struct export_method *method, char **c_text,
                                    struct noe_error *error) {
    const struct model *model = (const struct model *)public;
    struct export_names names;
    struct writer out = {0};
    struct system_functions routines;
    *c_text = NULL;
    if (model_check_dynamics(model, error) != NOE_OK) return NOE_BAD_INPUT;
    if (check_quantities(model->source, error) != NOE_OK) return NOE_NOT_SERVED;
    if (method && model->source->has_groups && !method->groups)
        return status_set(error, NOE_NOT_SERVED,
                          "no step function of this method can be exported for rotations or "
                          "poses; of euler-a, euler-b, verlet, lgvi and midpoint it can, and "
                          "without --stepper the model's functions can");
    if (method && matrix_group(model->source))
        return status_set(error, NOE_NOT_SERVED,
                          "no step function can be exported for %s; without --stepper the model's "
                          "functions can",
                          matrix_group(model->source)->plural);
    make_names(&names, model->title);
    enum noe_status status =
        system_functions_make(&routines, model->source, &model->equations, false);
    if (status == NOE_OK) {
        write_head(&out, &names, model, &routines);
        status = write_functions(&out, &names, model, &routines);
        system_functions_clear(&routines);
    }
    if (status != NOE_OK) status_set(error, status, "out of memory while exporting");
    if (status == NOE_OK && method) status = write_stepper(&out, &names, model, method, error);
    if (status == NOE_OK && out.failed) {
        status = status_set(error, NOE_NO_MEMORY, "out of memory while exporting");
    }
    if (status == NOE_OK)
        *c_text = out.text;
    else
        writer_clear(&out);
    return status;
}

enum noe_status noe_model_export(const struct noe_model *model, char **c_text,
                                 struct noe_error *error) {
    return export_with_stepper(model, NULL, c_text, error);
}
