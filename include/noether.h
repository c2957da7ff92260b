/* Noether: structure-preserving (variational, symplectic, Lie group) integration of mechanical
 * systems. The public interface, by noun. docs/c_api.md explains it by example.
 *
 * Functions that can fail return enum noe_status and fill a struct noe_error, which may be NULL.
 * System, method and problem are constant once made and may be shared by threads; one noe_work
 * belongs to one thread. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_H
#define NOETHER_H

#include <stdbool.h>
#include <stddef.h>

#include "noether_method.h"
#include "noether_status.h"
#include "noether_system.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* the library exports the functions of this header */

#define NOE_VERSION "0.2.0"

/* --- Status, space and method. */

/* The general meaning of a status, in lower case. */
const char *noe_status_text(enum noe_status status);

/* The space called `name`, or NULL. */
const struct noe_space *noe_space_find(const char *name);

/* The methods of this build: index 0 .. noe_method_count()-1, in alphabetical order. */
int noe_method_count(void);
const struct noe_method_info *noe_method_at(int index);
/* The method called `name`, or NULL. */
const struct noe_method_info *noe_method_find(const char *name);
/* Writes the names of `traits` ("symplectic momentum ..."), at most `size` bytes. */
void noe_method_traits_text(unsigned traits, size_t size, char *text);

/* --- Problem: system, method and settings, checked once and constant afterwards. */

struct noe_work;
struct noe_monitor;

/* Writes `count` independent standard normal numbers of step k (from 0) of a member. The result
 * depends on the arguments alone. */
typedef void noe_normals(unsigned long seed, unsigned long member, long k, int count,
                         noe_scalar *normal);

struct event_scan;
struct noe_problem {
    const struct noe_system *system;
    const struct noe_method_info *method;
    unsigned traits;             /* claims of the method for this kind of system */
    const struct scheme *scheme; /* the equations of a step; the library's own */
    const void *scheme_data;     /* what the scheme is made of: a tableau's maker, weights */
    const struct kernel *kernel; /* the fast path of a step; NULL: Newton's method. May be cleared
                                    before a stepper is compiled */
    noe_scalar option[NOE_OPTIONS_MAX]; /* by index in the method's table */
    noe_scalar h;                       /* the step; the first one where the method adapts it */
    int retraction;                     /* by index in NOE_RETRACTIONS */
    int order;
    struct noe_step_guard guard; /* where the method has a balance */
    bool is_least_squares;       /* constraints may follow from one another: shortest multipliers */
    bool has_no_derivative;      /* of its steps in (q,p), though the method gives them elsewhere */
    bool restarts_every_step; /* every step with the method's own guess: roots do not go on smoothly
                               */
    int np;                   /* numbers in a point */
    int nu;                   /* unknowns of one interval */
    size_t nscratch;          /* reals the method works in */
    unsigned long seed;   /* of the noise of its runs: 1; may be set to another before they begin */
    int nnormals;         /* normal numbers that a step takes, the first ones for its noises; */
    noe_normals *normals; /* where they come from: may be set to another source before a run */
    void *coefficients;   /* the method's own; freed by noe_problem_clear */
    struct lie_product
        *lie_product; /* how its groups are coupled, or NULL: R^n; the library's own */
    struct constraint_jacobian
        *constraint_jacobian; /* where its constraints act, or NULL: none; as well */
    struct noe_plan *plan;    /* how its linear systems are solved; the library's own */
    /* A stepper compiled for this problem alone, or NULL: noe_problem_specialise. */
    enum noe_status (*steps)(struct noe_work *work, long count);
    enum noe_status (*monitored)(struct noe_work *work, long count, struct noe_monitor *monitor);
    enum noe_status (*scan_events)(struct noe_work *work, long count, struct event_scan *scan);
    enum noe_status (*part)(struct noe_work *part, const struct noe_work *work, noe_real h,
                            noe_real *values);
    noe_real (*root)(struct noe_work *part, const struct noe_work *work, noe_real before,
                     noe_real after);
    void *stepper;          /* the loaded object it stands in */
    bool stepper_is_cached; /* it was compiled earlier */
};

/* Fills and checks `problem` for `method`, given as "name key=value ...", with step size h. The
 * system must outlive the problem. Release it with noe_problem_clear. */
enum noe_status noe_problem_init(struct noe_problem *problem, const struct noe_system *system,
                                 const char *method, noe_real h, struct noe_error *error);
void noe_problem_clear(struct noe_problem *problem);

/* --- State and work: one run. */

/* The state at the end of step k. `h` is the size of the last step; before the first step it is
 * the size of the next. The carries hold the round-off of earlier additions (compensated
 * summation), so q + q_carry is the better value. */
struct noe_state {
    long k;
    noe_real t, h;
    noe_real *q, *p, *q_carry, *p_carry;
    noe_real *multipliers; /* of the constraints; NULL if there are none */
    /* For methods that solve for the step size: the discrete energy of the last step (before the
     * first: of the first), its target with carry, which is the first discrete energy plus the work
     * done since, and the energy of (q,p) minus the target. For other methods that preserve energy
     * the target is the initial energy, and NaN before the first step. */
    noe_real energy, energy_target, energy_target_carry, energy_defect;
};

/* Effort and accuracy of the root finder since the start. */
struct noe_step_stats {
    long steps, iterations, evaluations, factorisations, rejected;
    long lengths, held; /* step sizes tried; steps that the guard took with the first step size */
    int iterations_max;
    noe_real residual_max; /* largest accepted residual, relative to the momentum */
    /* For methods that propagate multipliers: their largest distance from those that the state
     * demands, relative to these, over the steps at which it was computed. */
    noe_real multiplier_drift;
};

/* Quantities derived from a state (q,p). */
struct noe_observation {
    noe_real energy;             /* p.v - L */
    const noe_real *v;           /* Legendre transform of p: n numbers, then the multipliers */
    const noe_real *values;      /* the system's quantities: nvalues numbers */
    const noe_real *multipliers; /* of the state; NULL if there are none */
};

/* Creates the memory of one run of `problem`, which must outlive it. Free with noe_work_free. */
enum noe_status noe_work_create(struct noe_work **work, const struct noe_problem *problem,
                                struct noe_error *error);
void noe_work_free(struct noe_work *work);
/* Sets the random stream (seed, member) of this and later runs. Default: the problem's seed and
 * member 0. */
void noe_work_seed(struct noe_work *work, unsigned long seed, unsigned long member);
/* Sets a parameter of this run from now on; the system of the problem keeps its own value, and so
 * do other runs. It may be called before the start and between steps: time, configuration, momentum
 * and step count stay, and the next step is solved without the history of earlier ones. The first
 * call allocates. Fails if system->nparameters does not exceed the index. A new start keeps the
 * value. */
enum noe_status noe_work_set_parameter(struct noe_work *work, int index, noe_real value,
                                       struct noe_error *error);
/* Starts at time t from configuration q and velocity v. */
enum noe_status noe_work_start(struct noe_work *work, noe_real t, const noe_real *q,
                               const noe_real *v, struct noe_error *error);
/* Starts at time t from configuration q and momentum p. */
enum noe_status noe_work_start_momentum(struct noe_work *work, noe_real t, const noe_real *q,
                                        const noe_real *p, struct noe_error *error);
/* Takes one step. On failure the state is unchanged. */
enum noe_status noe_work_step(struct noe_work *work, struct noe_error *error);
/* Takes `count` steps, or fewer if one fails. */
enum noe_status noe_work_steps(struct noe_work *work, long count, struct noe_error *error);
/* Takes one step of size h, of either sign, in place of the problem's step size. */
enum noe_status noe_work_step_by(struct noe_work *work, noe_real h, struct noe_error *error);
/* Repeats the last step with size h from the state at its start. Valid only directly after a call
 * that took one step. On failure the state is the one at the start of the discarded step. */
enum noe_status noe_work_restep(struct noe_work *work, noe_real h, struct noe_error *error);
/* Takes one step and writes its tangent map d(q,p)/d(q0,p0), row-major, 2n x 2n. */
enum noe_status noe_work_step_linearised(struct noe_work *work, noe_real *derivative,
                                         struct noe_error *error);
/* Takes one step and applies its tangent map to `count` vectors (dq,dp) of 2n numbers each. */
enum noe_status noe_work_step_tangent(struct noe_work *work, int count, noe_real *vectors,
                                      struct noe_error *error);
/* Dense output: configuration and velocity at the fraction x in [0,1] of the last step. Only some
 * methods have it; their curves and velocities are continuous across steps. */
enum noe_status noe_work_dense_output(struct noe_work *work, noe_real x, noe_real *q, noe_real *v,
                                      struct noe_error *error);
/* The condition number of the Jacobian of the last step at its root, in the 1-norm; 0 if there is
 * no Jacobian or more than 512 unknowns. The run is unchanged. */
enum noe_status noe_work_condition(struct noe_work *work, noe_real *condition,
                                   struct noe_error *error);
/* The current state; valid until the next call on `work`. */
const struct noe_state *noe_work_state(const struct noe_work *work);
/* Velocity, energy and quantities at the current state; pointers valid until the next call. */
enum noe_status noe_work_observe(struct noe_work *work, struct noe_observation *moment,
                                 struct noe_error *error);
/* Effort since the start. */
struct noe_step_stats noe_work_stats(const struct noe_work *work);
/* The linear solver in use: "none", "dense", "lapack" or "sparse". */
const char *noe_work_solver(const struct noe_work *work);

/* The size of a snapshot of the run, and a copy of it. Restoring it continues the run bit for bit,
 * in a work of an equal problem, in the same build. Fails if the snapshot was made for a different
 * problem or build, as far as its sizes and method show. Parameters set by noe_work_set_parameter
 * are not part of it: set them again. */
size_t noe_work_snapshot_size(const struct noe_work *work);
void noe_work_snapshot_save(const struct noe_work *work, void *bytes);
enum noe_status noe_work_snapshot_restore(struct noe_work *work, const void *bytes,
                                          struct noe_error *error);

/* --- Monitor: the largest and mean deviations over all steps of a run. */

/* Takes energy and quantities at the current state of `work` as reference values. Free with
 * noe_monitor_free. The work must outlive it. */
enum noe_status noe_monitor_create(struct noe_monitor **monitor, struct noe_work *work,
                                   struct noe_error *error);
void noe_monitor_free(struct noe_monitor *monitor);
/* Takes `count` steps and updates the monitor after each, or fewer if one fails. */
enum noe_status noe_work_steps_monitored(struct noe_work *work, long count,
                                         struct noe_monitor *monitor, struct noe_error *error);
/* Updates the monitor with the current state. */
enum noe_status noe_monitor_update(struct noe_work *work, struct noe_monitor *monitor,
                                   struct noe_error *error);
/* A result by name, NaN if there is none of that name:
 *   steps                      updates
 *   energy_max, energy_mean    deviation of the energy from its reference
 *   group_max                  distance of a group element from its space
 *   position_max, velocity_max violation of constraints, |g| and |psi|
 *   discrete_max, discrete_mean deviation of the discrete energy from its target, for methods that
 *                              solve for the step size
 * and for every quantity of the system, under its name, the largest deviation of its values. */
noe_real noe_monitor_get(const struct noe_monitor *monitor, const char *name);

/* --- Model: a system stated in text. */

/* The layout of a coordinate in q or in v: a scalar (rank 0; rows 1, cols 1), a vector of m
 * (1; m, 1), a matrix or m vectors of k (2; m, k), m matrices 3x3 (3; m, 9). Rows or matrices begin
 * `stride` numbers apart. */
struct noe_array_layout {
    int rank, rows, cols;
    int first, stride;
};

/* A declared coordinate; a rotation is one, a pose two. Momenta and forces have the layout of
 * velocities. */
struct noe_coordinate {
    const char *name;
    const char *velocity; /* its name; NULL: the coordinate's name with a prime */
    struct noe_array_layout point, tangent;
    int line, column; /* of the declaration */
};

/* One equation of a stated constraint; a vector constraint has one per component. */
struct noe_constraint {
    const char *text; /* as stated: "dot(x, x) = 1" */
    int line, column; /* of the statement */
    int component;    /* from 1; 0: the constraint is one equation */
    bool is_holonomic;
    int row; /* in the system, which has holonomic constraints first */
};

/* The graph of a stated circuit: branch b leads from node from[b] to node to[b], and its charge is
 * the sum of loop[b * nmeshes + k], which is 1, -1 or 0, times that of mesh k. */
struct noe_circuit {
    int nnodes, nbranches, nmeshes;
    const char *const *node, *const *branch; /* names */
    const int *from, *to;
    const int *loop;
};

struct noe_model_settings {
    int nsets;
    const char *const *sets;       /* "name=expression", overriding parameters */
    bool interpret;                /* do not compile */
    const char *cache;             /* directory of compiled models; NULL: the user's cache */
    const volatile int *interrupt; /* if not 0, reading and compiling stop; may be NULL */
};

/* The run that the file states. */
struct noe_model_run {
    noe_real from, until, step;
    long sample;        /* 0: not stated */
    const char *method; /* "name key=value ...", NULL: not stated */
    int method_line, method_column, step_line, step_column;
};

enum noe_model_code_kind { NOE_COMPILED, NOE_CACHED, NOE_INTERPRETED };

/* The origin of the model's callbacks. */
struct noe_model_code_info {
    enum noe_model_code_kind kind;
    const char *note; /* reason why the model is interpreted or not cached; else NULL */
    size_t bytes;     /* size of the generated C */
    bool has_vectors; /* elementary functions are evaluated by SIMD instructions */
};

/* A loaded model; read-only. Numbers that the file does not state are NaN. */
struct noe_model {
    const char *title, *path, *text;
    const struct noe_system *system;
    int ncoordinates;
    const struct noe_coordinate *coordinate;
    int nconstraints;                        /* equations, and so multipliers */
    const struct noe_constraint *constraint; /* in the order of the statements */
    const struct noe_circuit *circuit;       /* NULL: none is stated */
    const noe_real *q, *v;                   /* start values; behind v zeros for the multipliers */
    struct noe_model_run run;
    int nnotes;
    const struct noe_error *note; /* warnings, each with line and column */
    struct noe_model_code_info code;
};

/* Reads, differentiates and loads the model in the file `path`. Free with noe_model_free. */
enum noe_status noe_model_open(struct noe_model **model, const char *path,
                               const struct noe_model_settings *settings, struct noe_error *error);
/* Reads the model from text; `name` takes the place of the file's name. */
enum noe_status noe_model_open_text(struct noe_model **model, const char *name, const char *text,
                                    const struct noe_model_settings *settings,
                                    struct noe_error *error);
void noe_model_free(struct noe_model *model);
/* Parameters are numbers with names, such as "k" or "m[2]". The index is -1 and the name is NULL if
 * there is none. */
int noe_model_parameter_count(const struct noe_model *model);
const char *noe_model_parameter_name(const struct noe_model *model, int index);
int noe_model_parameter_index(const struct noe_model *model, const char *name);
/* Computes the system->nprepared numbers behind the system->nparameters given ones, so that a copy
 * of the model's system can read them in place of its own. */
void noe_model_prepare(const struct noe_model *model, noe_real *parameters);
/* Evaluates a scalar expression in the model's parameters. */
enum noe_status noe_model_number(const struct noe_model *model, const char *expression,
                                 noe_real *value, struct noe_error *error);
/* Normalises "name key=value ..." whose values may be expressions in the parameters. */
enum noe_status noe_model_method(const struct noe_model *model, const char *text, size_t size,
                                 char *method, struct noe_error *error);
/* The model as self-contained C99 that needs only libm; free() the result. */
enum noe_status noe_model_export(const struct noe_model *model, char **c_text,
                                 struct noe_error *error);

/* Compiles a stepper for this problem, whose system must be the model's: the method's source with
 * constant sizes and the model's functions inline. Steps give the same bits as without it. On
 * failure the problem is unchanged and usable. */
enum noe_status noe_problem_specialise(struct noe_problem *problem, const struct noe_model *model,
                                       const struct noe_model_settings *settings,
                                       struct noe_error *error);

/* --- Output: tables in files. */

struct noe_parallel_writers;

/* The header of a file. */
struct noe_record_header {
    const char *model_title, *model_text, *method, *settings; /* settings: "step=0.01 until=40" */
    int ncolumns;
    const char *const *column;
    size_t nrows;                               /* required by rows_at; 0: not known */
    const struct noe_parallel_writers *writers; /* processes that share the file; NULL: one */
};

/* A trajectory read back. Texts that its format does not store are NULL. */
struct noe_table {
    int ncolumns;
    size_t nrows;
    char **column;
    noe_real *values; /* column by column: number r of column c is values[c * nrows + r] */
    char *model_title, *model_text, *method, *settings;
    char *message; /* reason why it is incomplete; NULL: it is complete */
};

/* Reads the trajectory in the file `path`. Free with noe_table_free. */
enum noe_status noe_table_open(struct noe_table **table, const char *path, struct noe_error *error);
void noe_table_free(struct noe_table *table);

/* A format. `open` creates a temporary file, and `close` moves it to `path`. */
struct noe_format {
    const char *name, *summary; /* the name is the file's extension */
    enum noe_status (*open)(void **file, const char *path, const struct noe_record_header *,
                            struct noe_error *);
    enum noe_status (*row)(void *file, const noe_real *values, struct noe_error *);
    /* Writes `count` rows from row `first` (0-based) on, in any order of calls, into a file whose
     * header stated `nrows`. NULL: the format only appends. */
    enum noe_status (*rows_at)(void *file, size_t first, size_t count, const noe_real *values,
                               struct noe_error *);
    /* `message`: the reason why the file is incomplete, NULL if it is complete. Frees `file`. */
    enum noe_status (*close)(void *file, const char *message, struct noe_error *);
    /* Removes the temporary file. */
    void (*discard)(void *file);
    /* Fills `table`, which is zero before the call, from a file of this format. */
    enum noe_status (*read)(struct noe_table *table, const char *path, struct noe_error *);
};

/* The format for a path, by its extension; NULL if there is none. */
const struct noe_format *noe_format_find(const char *path);
int noe_format_count(void);
const struct noe_format *noe_format_at(int index);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
