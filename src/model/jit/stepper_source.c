/* C source text of a specialised stepper for one model and one method, an amalgamation of the step
 * path, the method and the model's functions. */
/* SPDX-License-Identifier: MIT */
#include "model/jit/stepper_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/problem.h"
#include "mechanics/constraint_jacobian.h"
#include "mechanics/lie_product.h"
#include "methods/method.h"
#include "model/codegen/emit_model.h"
#include "model/codegen/vectorise/emit_simd.h"
#include "model/codegen/vectorise/vector_functions.h"
#include "model/jit/amalgam.h"
#include "model/model.h"

/* The step path of the engine, with the lines that it includes. */
static const char *const engine_files[] = {"linalg/dense.c",         "linalg/linear_system.c",
                                           "mechanics/legendre.c",   "mechanics/multipliers.c",
                                           "engine/newton.c",        "engine/predictor.c",
                                           "engine/fixed_point.c",   "engine/advance.c",
                                           "engine/adaptive_step.c", NULL};
/* One run: records of every step, and events. */
static const char *const run_files[] = {"engine/monitor.c", "engine/events.c", NULL};
/* A batch of runs in lanes, with its memory; and its events. */
static const char *const batch_files[] = {"base/batch_abi.h",
                                          "linalg/linear_system_memory.c",
                                          "mechanics/legendre_memory.c",
                                          "mechanics/multipliers_memory.c",
                                          "engine/newton_memory.c",
                                          "engine/continuation.c",
                                          "engine/work_memory.c",
                                          "engine/lanes/batch.c",
                                          NULL};
static const char *const event_files[] = {"engine/lanes/event_substeps.c",
                                          "engine/lanes/event_log.c", NULL};

enum {
    UNKNOWNS_MAX = 24, /* max unknowns, because matrices are dense */
    FREEDOMS_MAX = 32  /* max degrees of freedom of explicit steps; larger systems gain nothing */
};

/* True if the whole step runs in vectorised loops. Then a stepper is worthwhile for any size. */
static bool is_in_loops(const struct noe_problem *problem, const struct noe_model *model) {
    return kernel_takes_steps(problem) && ((const struct model *)model)->code.has_vectors;
}

const char *stepper_obstacle(const struct noe_problem *problem, const struct noe_model *model,
                             bool is_batch) {
    const struct noe_system *system = problem->system;
    if (sizeof(real) != sizeof(double)) return "only double precision is specialised";
    if (system != model->system) return "the problem is not this model's";
    if (!problem->internals->scheme->source) return "the method has no specialised stepper";
    if (problem->internals->is_least_squares) return "least squares are not specialised";
    if (model->code.kind == NOE_INTERPRETED) return "the model is interpreted";
    const bool needs_matrices = !kernel_is_direct(problem) && !kernel_is_fixed_point(problem);
    if (needs_matrices ? problem->internals->nu > UNKNOWNS_MAX
                       : system->n > FREEDOMS_MAX && (is_batch || !is_in_loops(problem, model)))
        return "the system is too large for a specialised stepper to pay";
    return NULL;
}

static void write_pattern(struct writer *out, const char *name, int count, const int *index) {
    if (!index) return;
    writer_print(out, "static const int %s[] = {", name);
    for (int e = 0; e < count; e++) writer_print(out, "%d,", index[e]);
    writer_put(out, "};\n");
}

static void write_constraints(struct writer *out, const struct noe_system *system) {
    if (system->nholonomic + system->nnonholonomic == 0) return;
    writer_print(out,
                 "    .nholonomic = %d, .nnonholonomic = %d, .nzc = %d, .crow = %s, .ccol = %s,\n"
                 "    .constraints = model_constraints,\n"
                 "    .constraints_second = model_constraints_second,\n",
                 system->nholonomic, system->nnonholonomic, system->nzc,
                 system->crow ? "specialised_crow" : "0", system->crow ? "specialised_ccol" : "0");
}

static void write_noise(struct writer *out, const struct noe_system *system) {
    if (system->nnoises == 0) return;
    writer_print(out, "    .nnoises = %d, .noise = model_noise,\n", system->nnoises);
}

static void write_events(struct writer *out, const struct noe_system *system) {
    if (system->nevents == 0) return;
    writer_print(out, "    .nevents = %d, .events = model_events, .event_rates = %s,\n",
                 system->nevents, system->event_rates ? "model_event_rates" : "0");
}

static void write_factors(struct writer *out, const struct noe_system *system) {
    if (!system->factors) return;
    writer_put(out, "static const struct noe_factor specialised_factors[] = {");
    for (int i = 0; i < system->nfactors; i++)
        writer_print(out, "{&noe_space_%s, %d},", system->factors[i].space->name,
                     system->factors[i].size);
    writer_put(out, "};\n");
}

/* True if a step uses L_q separately from forces. */
static bool needs_gradient(const struct noe_problem *problem) {
    const unsigned told = NOE_STOCHASTIC | NOE_NEEDS_HAMILTONIAN;
    return problem->system->gradient &&
           (problem->internals->scheme->energy_equation || problem->traits & told);
}

/* Writes the constant system of the stepper with the functions that it calls, because others would
 * only cost compile time. A batch also `starts` its runs. Parameters are read at run time, so other
 * values need no new stepper. */
static void write_system(struct writer *out, const struct noe_problem *problem, bool starts,
                         bool crosses, bool has_wide) {
    const struct noe_system *system = problem->system;
    write_pattern(out, "specialised_row", system->nz, system->row);
    write_pattern(out, "specialised_col", system->nz, system->col);
    write_pattern(out, "specialised_crow", system->nzc, system->crow);
    write_pattern(out, "specialised_ccol", system->nzc, system->ccol);
    write_factors(out, system);
    const bool is_direct = kernel_is_direct(problem);
    const bool by_force = is_direct || kernel_is_fixed_point(problem);
    const bool is_first_order = system->traits & NOE_LINEAR; /* see legendre_first_order */
    const bool needs_second = is_first_order ||
                              (starts && problem->internals->constraint_jacobian) ||
                              (kernel_is_fixed_point(problem) && !has_wide);
    writer_put(out, "static const struct noe_system specialised_system = {\n");
    write_constraints(out, system);
    write_noise(out, system);
    if (crosses) write_events(out, system);
    writer_print(out,
                 "    .n = %d, .nfactors = %d, .factors = %s, .traits = %u, .nz = %d, .row = %s, "
                 ".col = %s,\n"
                 "    .lagrangian = model_lagrangian, .momentum = model_momentum,\n"
                 "    %s%s%s%s,\n    .nvalues = %d, .quantities = %s, .force_simd = %s,\n"
                 "    .stage_simd = %s};\n",
                 system->n, system->nfactors, system->factors ? "specialised_factors" : "0",
                 system->traits, system->nz, system->row ? "specialised_row" : "0",
                 system->row ? "specialised_col" : "0",
                 by_force ? ".force = model_force" : ".second = model_second",
                 by_force && needs_second ? ", .second = model_second" : "",
                 is_direct && !starts && !is_first_order ? "" : ", .first = model_first",
                 needs_gradient(problem) ? ", .gradient = model_gradient" : "", system->nvalues,
                 system->nvalues ? "model_quantities" : "0", has_wide ? "model_force_simd" : "0",
                 has_wide ? "model_stage_simd" : "0");
}

/* The functions of the scheme that a step calls; others are not compiled. */
static void write_functions(struct writer *out, const struct noe_problem *problem) {
    const char *prefix = problem->internals->scheme->prefix;
    if (!prefix || kernel_is_direct(problem)) return;
    if (kernel_is_implicit(problem)) writer_put(out, "#ifdef NOE_LANES\n");
    writer_print(out, "    .initial_guess = %s_initial_guess, .update = %s_update,\n", prefix,
                 prefix);
    if (!kernel_is_fixed_point(problem))
        writer_print(out, "    .residual = %s_residual, .jacobian = %s_jacobian,\n", prefix,
                     prefix);
    if (kernel_is_implicit(problem)) writer_put(out, "#endif\n");
}

static void write_scheme(struct writer *out, const struct noe_problem *problem) {
    const struct scheme *scheme = problem->internals->scheme;
    writer_put(out, "static const struct scheme specialised_scheme = {\n");
    write_functions(out, problem);
    if (scheme->energy_symbol)
        writer_print(out, "    .energy_equation = &%s,\n", scheme->energy_symbol);
    writer_print(out, "    .checks_orientation = %d};\n", scheme->checks_orientation);
}

/* Coefficients and patterns in C; NULL: no memory. */
static char *write_data(const struct noe_problem *problem) {
    const struct scheme *scheme = problem->internals->scheme;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    if (problem->internals->lie_product) lie_product_write(out, problem->internals->lie_product);
    if (problem->internals->constraint_jacobian)
        constraint_jacobian_write(out, problem->internals->constraint_jacobian);
    fprintf(out, "static const %s specialised_coefficients",
            scheme->write_coefficients ? scheme->coefficients_type : "int");
    if (scheme->write_coefficients) fputs(" = ", out);
    if (scheme->write_coefficients) scheme->write_coefficients(out, problem);
    fputs(";\n", out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

static void write_internals(struct writer *out, const struct problem_internals *internals) {
    const struct step_guard *guard = &internals->guard;
    writer_print(out,
                 "static const struct problem_internals specialised_internals = {\n"
                 "    .scheme = &specialised_scheme, .kernel = %s%s, .restarts_every_step = %d,\n"
                 "    .nu = %d, .nscratch = %zu, .nnormals = %d,\n"
                 "    .lie_product = (struct lie_product *)%s,\n"
                 "    .constraint_jacobian = (struct constraint_jacobian *)%s,\n"
                 "    .guard = {%d, %d, %a, %a},\n"
                 "    .coefficients = (void *)&specialised_coefficients};\n",
                 internals->kernel ? "&" : "", internals->kernel ? internals->kernel->symbol : "0",
                 internals->restarts_every_step, internals->nu, internals->nscratch,
                 internals->nnormals, internals->lie_product ? "&specialised_lie_product" : "0",
                 internals->constraint_jacobian ? "&specialised_constraint_jacobian" : "0",
                 guard->is_anchored, guard->is_relative, (double)guard->threshold,
                 (double)guard->cap);
}

static void write_problem(struct writer *out, const struct noe_problem *problem) {
    write_internals(out, problem->internals);
    writer_print(out,
                 "static const struct noe_problem specialised_problem = {\n"
                 "    .system = &specialised_system, .traits = %u, .order = %d,\n"
                 "    .retraction = %d, .np = %d,\n"
                 "    .internals = (struct problem_internals *)&specialised_internals};\n",
                 problem->traits, problem->order, problem->retraction, problem->np);
}

static const char one_run[] = "__attribute__((externally_visible, visibility(\"default\")))\n"
                              "enum noe_status noe_stepper(struct noe_work *work, long count) {\n"
                              "    return advance_steps(work, count);\n}\n"
                              "__attribute__((externally_visible, visibility(\"default\")))\n"
                              "enum noe_status noe_stepper_monitored(struct noe_work *work,\n"
                              "                                    long count,\n"
                              "                                    struct noe_monitor *monitor) {\n"
                              "    return monitor_steps(work, count, monitor);\n}\n";

static const char event_finder_run[] =
    "__attribute__((externally_visible, visibility(\"default\")))\n"
    "enum noe_status noe_stepper_scan_events(struct noe_work *work, long count,\n"
    "                                    struct event_scan *scan) {\n"
    "    return events_steps(work, count, scan);\n}\n"
    "__attribute__((externally_visible, visibility(\"default\")))\n"
    "enum noe_status noe_stepper_substep(struct noe_work *part, const struct noe_work *work,\n"
    "                                 noe_real h, noe_real *values) {\n"
    "    return events_part(part, work, h, values);\n}\n"
    "#ifdef NOE_KERNEL_EVENTS\n"
    "__attribute__((externally_visible, visibility(\"default\")))\n"
    "noe_real noe_stepper_event_root(struct noe_work *part, const struct noe_work *work,\n"
    "                          noe_real before, noe_real after) {\n"
    "    return events_root(part, work, before, after);\n}\n"
    "#endif\n";

static const char batch_head[] =
    "extern const struct batch_code batch_code\n"
    "    __attribute__((externally_visible, visibility(\"default\")));\n"
    "extern const struct event_log_code event_log_code\n"
    "    __attribute__((externally_visible, visibility(\"default\")));\n";

static void write_lanes(struct writer *out, const struct stepper_lanes *lanes) {
    writer_print(out, "#define NOE_LANES %d\n#define NOE_GROUPS %d\n", lanes->width,
                 lanes->groups > 1 ? lanes->groups : 1);
    if (lanes->plain_sums) writer_put(out, "#define NOE_PLAIN_SUMS\n");
}

/* Small functions on groups are always inlined, because otherwise the rotation matrix goes through
 * memory. Short loops are unrolled. */
static void write_inlining(struct writer *out, const struct noe_problem *problem,
                           const struct system_functions *routines) {
    enum { SMALL = 200, FEW = 32 }; /* max operations; max nonzeros of the constraint Jacobian */
    if (problem->system->nzc <= FEW) writer_put(out, "#define NOE_FEW_NUMBERS\n");
    if ((problem->internals->lie_product || kernel_is_implicit(problem)) &&
        routines->program[SECOND].nsteps <= SMALL)
        writer_put(out, "#define NOE_INLINE static inline __attribute__((always_inline))\n");
}

/* Defines the features that the engine compiles out. */
static void write_absences(struct writer *out, const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    if (kernel_takes_steps(problem)) writer_put(out, "#define NOE_BY_KERNEL\n");
    if (kernel_is_fixed_point(problem) || kernel_is_implicit(problem))
        writer_put(out, "#define NOE_NEWTON_ELSEWHERE\n");
    if (!problem->internals->scheme->energy_equation)
        writer_put(out, "#define NOE_WITHOUT_ENERGY_EQUATION\n");
    if (!kernel_is_fixed_point(problem)) writer_put(out, "#define NOE_WITHOUT_FIXED_POINT\n");
    if (system->nholonomic + system->nnonholonomic == 0)
        writer_put(out, "#define NOE_WITHOUT_CONSTRAINTS\n");
}

/* True if it evaluates several points at once by SIMD callbacks, as the generic path does. */
static bool uses_wide(const struct noe_problem *problem) {
    return kernel_is_fixed_point(problem) && problem->system->force_simd;
}

/* The files of the problem's spaces. */
static void add_spaces(struct amalgam *amalgam, const struct noe_system *system) {
    char path[80];
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        snprintf(path, sizeof path, "spaces/%s.c", system->factors[i].space->name);
        amalgam_add(amalgam, path);
    }
}

static void add_all(struct amalgam *amalgam, const char *const *paths) {
    for (; *paths; paths++) amalgam_add(amalgam, *paths);
}

/* The file up to the system. */
static enum noe_status write_head(struct amalgam *amalgam, const struct noe_problem *problem,
                                  const struct system_functions *routines,
                                  const struct stepper_lanes *lanes, const bool *is_vector) {
    struct writer *out = amalgam->out;
    const bool has_wide = uses_wide(problem), crosses = !lanes || lanes->crosses;
    writer_put(out, "#define NOE_SPECIALISED\n");
    write_inlining(out, problem, routines);
    write_absences(out, problem);
    if (lanes) write_lanes(out, lanes);
    if (crosses && problem_has_kernel_events(problem))
        writer_print(out, "#define NOE_KERNEL_EVENTS %d\n", problem->system->nevents);
    amalgam_add(amalgam, "model/codegen/model_abi.h");
    if (lanes || has_wide || is_vector) amalgam_add(amalgam, "base/lane_functions.h");
    enum noe_status status =
        emit_inline_functions(out, routines, lanes ? EMIT_LANES : EMIT_SCALARS, is_vector);
    if (has_wide && status == NOE_OK) status = emit_simd_functions(out, routines);
    add_all(amalgam, engine_files);
    if (lanes)
        writer_put(out, batch_head);
    else
        add_all(amalgam, run_files);
    add_spaces(amalgam, problem->system);
    write_system(out, problem, lanes != NULL, crosses, has_wide);
    return status;
}

/* The method: the files of its scheme and kernel, and `data`. */
static void write_method(struct amalgam *amalgam, const struct noe_problem *problem,
                         const char *data) {
    const struct scheme *scheme = problem->internals->scheme;
    amalgam_add_list(amalgam, scheme->source);
    if (scheme->energy_source) amalgam_add_list(amalgam, scheme->energy_source);
    if (problem->internals->kernel) amalgam_add_list(amalgam, problem->internals->kernel->source);
    writer_put(amalgam->out, data);
    write_scheme(amalgam->out, problem);
    write_problem(amalgam->out, problem);
}

static enum noe_status write_file(struct writer *out, const struct noe_problem *problem,
                                  const struct model *model, const struct stepper_lanes *lanes,
                                  const char *data) {
    const struct simd_target machine = simd_target_find();
    struct system_functions routines;
    struct amalgam amalgam = {.out = out};
    bool *is_vector = NULL;
    enum noe_status status =
        system_functions_make(&routines, model->source, &model->equations, true);
    if (status != NOE_OK) return status;
    if (!lanes && model->code.has_vectors)
        status = vector_functions_find(&routines, &machine, &is_vector);
    if (status == NOE_OK) status = write_head(&amalgam, problem, &routines, lanes, is_vector);
    write_method(&amalgam, problem, data);
    if (lanes)
        add_all(&amalgam, batch_files);
    else
        writer_put(out, one_run);
    if (lanes && lanes->crosses) add_all(&amalgam, event_files);
    if (!lanes && problem->system->nevents) writer_put(out, event_finder_run);
    system_functions_clear(&routines);
    free(is_vector);
    return status;
}

enum noe_status stepper_write(struct writer *out, const struct noe_problem *problem,
                              const struct noe_model *model, const struct stepper_lanes *lanes) {
    char *data = write_data(problem);
    if (!data) return NOE_NO_MEMORY;
    const enum noe_status status =
        write_file(out, problem, (const struct model *)model, lanes, data);
    free(data);
    return out->failed ? NOE_NO_MEMORY : status;
}
