/* The C text of a stepper for one model and one method. */
/* SPDX-License-Identifier: MIT */
#include "model/jit/stepper_source.h"

#include <stdlib.h>

#include "engine/problem.h"
#include "model/codegen/emit_model.h"
#include "model/codegen/vectorise/emit_simd.h"
#include "model/codegen/vectorise/vector_functions.h"
#include "model/model.h"

extern const char model_header_text[];   /* from the build, as are the next */
extern const char lanes_header_text[];   /* elementary functions of lanes */
extern const char stepper_source_text[]; /* the engine's step path and what it needs */
extern const char space_source_text[];   /* spaces other than R^n */
extern const char watch_source_text[];   /* the engine's notes of every step */
extern const char batch_source_text[];   /* runs side by side, and their memory */
extern const char notes_source_text[];   /* their changes of sign */

enum {
    UNKNOWNS_MAX = 24, /* dense matrices by hand only */
    FREEDOMS_MAX = 32  /* without matrices: beyond, loops win and compiling takes long */
};

/* Is all of a step in loops? Then any length pays: they use what the processor has. */
static bool is_in_loops(const struct noe_problem *problem, const struct noe_model *model) {
    return problem->use_kernel && !problem->use_fixed_point &&
           ((const struct model *)model)->code.has_vectors;
}

const char *stepper_obstacle(const struct noe_problem *problem, const struct noe_model *model,
                             bool is_batch) {
    const struct noe_system *system = problem->system;
    if (sizeof(real) != sizeof(double)) return "only double precision is specialised";
    if (system != model->system) return "the problem is not this model's";
    if (!problem->method->source) return "the method has no specialised stepper";
    if (problem->is_least_squares) return "least squares are not specialised";
    if (model->code.kind == NOE_INTERPRETED) return "the model is interpreted";
    const bool needs_matrices =
        (!problem->use_kernel || problem->kernel_is_implicit) && !problem->use_fixed_point;
    if (needs_matrices ? problem->nu > UNKNOWNS_MAX
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

/* Does a step tell L_q from forces? */
static bool needs_gradient(const struct noe_problem *problem) {
    const unsigned told = NOE_STOCHASTIC | NOE_NEEDS_HAMILTONIAN;
    return problem->system->gradient &&
           (problem->method->energy_equation || problem->method->traits & told);
}

/* What the stepper knows of the system, and the functions that it calls: others would be compiled
 * for nothing. A batch `starts` its runs itself. Parameters are read where it runs: other values
 * need no other stepper. */
static void write_system(struct writer *out, const struct noe_problem *problem, bool starts,
                         bool crosses, bool has_wide) {
    const struct noe_system *system = problem->system;
    write_pattern(out, "specialised_row", system->nz, system->row);
    write_pattern(out, "specialised_col", system->nz, system->col);
    write_pattern(out, "specialised_crow", system->nzc, system->crow);
    write_pattern(out, "specialised_ccol", system->nzc, system->ccol);
    write_factors(out, system);
    const bool is_direct = problem->use_kernel && !problem->kernel_is_implicit;
    const bool by_force = is_direct || problem->use_fixed_point;
    const bool needs_second =
        (starts && problem->constraint_jacobian) || (problem->use_fixed_point && !has_wide);
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
                 is_direct && !starts ? "" : ", .first = model_first",
                 needs_gradient(problem) ? ", .gradient = model_gradient" : "", system->nvalues,
                 system->nvalues ? "model_quantities" : "0", has_wide ? "model_force_simd" : "0",
                 has_wide ? "model_stage_simd" : "0");
}

static void write_problem(struct writer *out, const struct noe_problem *problem) {
    writer_print(out,
                 "static const struct noe_problem specialised_problem = {\n"
                 "    .system = &specialised_system, .method = &specialised_method,\n"
                 "    .order = %d, .retraction = %d, .use_kernel = %d, .kernel_is_implicit = %d,\n"
                 "    .use_fixed_point = %d, .restarts_every_step = %d,\n"
                 "    .np = %d, .nu = %d, .nscratch = %zu, .nnormals = %d, .lie_product = (struct "
                 "lie_product *)%s,\n"
                 "    .constraint_jacobian = (struct constraint_jacobian *)%s,\n"
                 "    .guard = {%d, %d, %a, %a},\n"
                 "    .coefficients = (void *)&specialised_coefficients};\n",
                 problem->order, problem->retraction, problem->use_kernel,
                 problem->kernel_is_implicit, problem->use_fixed_point,
                 problem->restarts_every_step, problem->np, problem->nu, problem->nscratch,
                 problem->nnormals, problem->lie_product ? "&specialised_lie_product" : "0",
                 problem->constraint_jacobian ? "&specialised_constraint_jacobian" : "0",
                 problem->guard.is_anchored, problem->guard.is_relative,
                 (double)problem->guard.threshold, (double)problem->guard.cap);
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

/* Small functions of bodies are inlined wherever they are called: else R waits in memory. Loops
 * over few numbers are written out. */
static void write_inlining(struct writer *out, const struct noe_problem *problem,
                           const struct system_functions *routines) {
    enum { SMALL = 200, FEW = 32 }; /* operations; derivatives of constraints */
    if (problem->system->nzc <= FEW) writer_put(out, "#define NOE_FEW_NUMBERS\n");
    if ((problem->lie_product || problem->kernel_is_implicit) &&
        routines->program[SECOND].nsteps <= SMALL)
        writer_put(out, "#define NOE_INLINE static inline __attribute__((always_inline))\n");
}

/* What the engine leaves out. */
static void write_absences(struct writer *out, const struct noe_problem *problem) {
    const struct noe_system *system = problem->system;
    if (problem->use_kernel) writer_put(out, "#define NOE_BY_KERNEL\n");
    if (problem->use_fixed_point || (problem->use_kernel && problem->kernel_is_implicit))
        writer_put(out, "#define NOE_NEWTON_ELSEWHERE\n");
    if (!problem->method->energy_equation) writer_put(out, "#define NOE_WITHOUT_ENERGY_EQUATION\n");
    if (!problem->use_fixed_point) writer_put(out, "#define NOE_WITHOUT_FIXED_POINT\n");
    if (system->nholonomic + system->nnonholonomic == 0)
        writer_put(out, "#define NOE_WITHOUT_CONSTRAINTS\n");
}

/* Does it evaluate several points side by side? So it does if the library does. */
static bool uses_wide(const struct noe_problem *problem) {
    return problem->use_fixed_point && problem->system->force_simd;
}

/* Does the method's source name spaces, be it that it does not use them? */
static bool needs_spaces(const struct noe_problem *problem) {
    return problem->system->factors || problem->lie_product ||
           problem->method->traits & NOE_STOCHASTIC;
}

/* The file up to the method. */
static enum noe_status write_file(struct writer *out, const struct noe_problem *problem,
                                  const struct system_functions *routines,
                                  const struct stepper_lanes *lanes, const bool *is_vector) {
    const bool has_wide = uses_wide(problem), crosses = !lanes || lanes->crosses;
    writer_put(out, "#define NOE_SPECIALISED\n");
    write_inlining(out, problem, routines);
    write_absences(out, problem);
    if (lanes) write_lanes(out, lanes);
    if (crosses && problem_has_kernel_events(problem))
        writer_print(out, "#define NOE_KERNEL_EVENTS %d\n", problem->system->nevents);
    writer_put(out, model_header_text);
    if (lanes || has_wide || is_vector) writer_put(out, lanes_header_text);
    enum noe_status status =
        emit_inline_functions(out, routines, lanes ? EMIT_LANES : EMIT_SCALARS, is_vector);
    if (has_wide && status == NOE_OK) status = emit_simd_functions(out, routines);
    writer_put(out, stepper_source_text);
    if (needs_spaces(problem)) writer_put(out, space_source_text);
    writer_put(out, lanes ? batch_head : watch_source_text);
    write_system(out, problem, lanes != NULL, crosses, has_wide);
    return status;
}

enum noe_status stepper_write(struct writer *out, const struct noe_problem *problem,
                              const struct noe_model *open, const struct stepper_lanes *lanes) {
    const struct model *model = (const struct model *)open;
    const struct simd_target machine = simd_target_find();
    struct system_functions routines;
    bool *is_vector = NULL;
    char *method = problem->method->source(problem);
    if (!method) return NOE_NO_MEMORY;
    enum noe_status status = system_functions_make(&routines, model->source, &model->blocks, true);
    if (status == NOE_OK) {
        if (!lanes && model->code.has_vectors)
            status = vector_functions_find(&routines, &machine, &is_vector);
        if (status == NOE_OK) status = write_file(out, problem, &routines, lanes, is_vector);
        writer_put(out, method);
        write_problem(out, problem);
        writer_put(out, lanes ? batch_source_text : one_run);
        if (lanes && lanes->crosses) writer_put(out, notes_source_text);
        if (!lanes && problem->system->nevents) writer_put(out, event_finder_run);
        system_functions_clear(&routines);
    }
    free(is_vector);
    free(method);
    return out->failed ? NOE_NO_MEMORY : status;
}
