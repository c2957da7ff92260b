/* Noether: mechanics simulated with its structure kept. The public interface, by noun. */
/* SPDX-License-Identifier: MIT */
#ifndef NOETHER_H
#define NOETHER_H

#include <stdbool.h>
#include <stddef.h>

#include "noether_method.h"
#include "noether_model.h"
#include "noether_space.h"
#include "noether_status.h"

#pragma GCC visibility push(default) /* what stands here is what the library exports */

#define NOE_VERSION "0.1.0"

/* --- Status (noether_status.h). */

/* The general meaning of a status, in lower case. */
const char *noe_status_text(enum noe_status status);

/* --- Space: where a configuration lives (noether_space.h). */

/* The space called `name`, or NULL. */
const struct noe_space *noe_space_find(const char *name);

/* --- Method: a discretisation (noether_method.h). */

/* The methods of this build: index 0 .. noe_method_count()-1, in alphabetical order. */
int noe_method_count(void);
const struct noe_method_info *noe_method_at(int index);
/* The method called `name`, or NULL. */
const struct noe_method_info *noe_method_find(const char *name);
/* Writes the trait words of `traits` ("symplectic momentum ..."), at most `size` bytes. */
void noe_method_traits_text(unsigned traits, size_t size, char *text);

/* --- Problem: system + method + settings, checked once and const afterwards. */

/* Writes `count` independent normal numbers, of mean 0 and variance 1, that belong to step k (from
 * 0 on) of a member: the same ones whenever they are asked for. */
typedef void noe_normals(unsigned long seed, unsigned long member, long k, int count,
                         noe_scalar *normal);

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
    enum noe_status (*scan_events)(struct noe_work *work, long count, struct noe_event_scan *scan);
    enum noe_status (*part)(struct noe_work *part, const struct noe_work *work, noe_real h,
                            noe_real *values);
    noe_real (*root)(struct noe_work *part, const struct noe_work *work, noe_real before,
                     noe_real after);
    void *stepper;          /* the loaded object it stands in */
    bool stepper_is_cached; /* it was compiled earlier */
};

/* Fills and checks `problem` for `method`, given as "name key=value ...", with step h. */
enum noe_status noe_problem_init(struct noe_problem *problem, const struct noe_system *system,
                                 const char *method, noe_real h, struct noe_error *error);
/* Does nothing that crossings tell depend on points of groups, and has the method a kernel that
 * looks at the ends of its steps without them? */
bool noe_problem_has_kernel_events(const struct noe_problem *problem);
/* Releases what noe_problem_init made. */
void noe_problem_clear(struct noe_problem *problem);

/* --- State and work: one run. */

/* The state at the end of step k. `h` is the step last taken (before the first: to be taken).
 * The carries hold the round-off of earlier additions: q + q_carry is the better value. */
struct noe_state {
    long k;
    noe_real t, h;
    noe_real *q, *p, *q_carry, *p_carry;
    noe_real *multipliers; /* of the system's constraints; NULL where there are none */
    /* Where the method has a balance: the discrete energy as the last step, or the first, has it;
     * what it is to be, that is the first and the work done since, with the round-off of additions;
     * and the energy of (q,p) less that. The anchor of other methods that keep energy is the one
     * they began with; not a number before their first step. */
    noe_real energy, energy_target, energy_target_carry, energy_defect;
};

/* Effort and accuracy of the root finder since the start. */
struct noe_step_stats {
    long steps, iterations, evaluations, factorisations, rejected;
    long lengths, held; /* lengths tried, and steps that a guard took with the first length */
    int iterations_max;
    noe_real residual_max; /* largest residual accepted, relative to the momentum */
    /* Where a method carries multipliers from step to step: the largest distance from those that
     * the state demands, relative to these, as far as it was looked at. */
    noe_real multiplier_drift;
};

/* What one moment shows beside (q,p). */
struct noe_observation {
    noe_real energy;             /* p.v - L */
    const noe_real *v;           /* Legendre transform of p; n numbers, and the multipliers */
    const noe_real *values;      /* the system's quantities; nvalues numbers */
    const noe_real *multipliers; /* the state's; NULL where there are none */
};

/* Creates the memory of one run of `problem`, which must outlive it. Free with noe_work_free. */
enum noe_status noe_work_create(struct noe_work **work, const struct noe_problem *problem,
                                struct noe_error *error);
void noe_work_free(struct noe_work *work);
/* All that a run would go on with, as bytes: how many, and a copy of them. */
size_t noe_work_snapshot_size(const struct noe_work *work);
void noe_work_snapshot_save(const struct noe_work *work, void *bytes);
/* Goes on from there, to the same bits as if it had not been interrupted: in `work` of an equal
 * problem, in the same build. Bytes of another problem are refused as far as they can be told. */
enum noe_status noe_work_snapshot_restore(struct noe_work *work, const void *bytes,
                                          struct noe_error *error);
/* Takes the noise of this and later runs from the stream (seed, member); at first these are the
 * problem's seed and 0. */
void noe_work_seed(struct noe_work *work, unsigned long seed, unsigned long member);
/* Starts at time t from configuration q and velocity v. */
enum noe_status noe_work_start(struct noe_work *work, noe_real t, const noe_real *q,
                               const noe_real *v, struct noe_error *error);
/* Starts at time t from configuration q and momentum p. */
enum noe_status noe_work_start_momentum(struct noe_work *work, noe_real t, const noe_real *q,
                                        const noe_real *p, struct noe_error *error);
/* Takes one step. On failure the state stands as it was. */
enum noe_status noe_work_step(struct noe_work *work, struct noe_error *error);
/* Takes `count` steps, or fewer if one fails. */
enum noe_status noe_work_steps(struct noe_work *work, long count, struct noe_error *error);
/* Takes one step of length h, of either sign, in place of the problem's own. */
enum noe_status noe_work_step_by(struct noe_work *work, noe_real h, struct noe_error *error);
/* Takes the last step again with length h: from the state where it began. Only directly after a
 * call that took one step; on failure the state is the one where the discarded step began. */
enum noe_status noe_work_restep(struct noe_work *work, noe_real h, struct noe_error *error);
/* Takes one step and writes its derivative d(q,p)/d(q0,p0), row-major, 2n x 2n. */
enum noe_status noe_work_step_linearised(struct noe_work *work, noe_real *derivative,
                                         struct noe_error *error);
/* Takes one step and moves `count` tangent vectors (dq,dp), 2n numbers each, by its derivative. */
enum noe_status noe_work_step_tangent(struct noe_work *work, int count, noe_real *vectors,
                                      struct noe_error *error);
/* Configuration and velocity on the curve that the last step took, a part x in [0,1] after its
 * start. Only some methods have one: curves of successive steps join, and so do their velocities.
 */
enum noe_status noe_work_dense_output(struct noe_work *work, noe_real x, noe_real *q, noe_real *v,
                                      struct noe_error *error);
/* The condition number of the matrix of the last step's equations, in the norm of the largest sum
 * of a column, at their root; 0 where there is none, or more than 512 unknowns. Changes nothing. */
enum noe_status noe_work_condition(struct noe_work *work, noe_real *condition,
                                   struct noe_error *error);
/* The current state; valid until the next call on `work`. */
const struct noe_state *noe_work_state(const struct noe_work *work);
/* Velocity, energy and quantities at the current state; pointers valid until the next call. */
enum noe_status noe_work_observe(struct noe_work *work, struct noe_observation *moment,
                                 struct noe_error *error);
/* What is noted at every step: deviations from given values. Zero it, then set what to compare with
 * and bad_value to -1. */
struct noe_monitor {
    noe_real energy;                     /* compared with */
    const noe_real *values;              /* compared with: nvalues numbers */
    noe_real energy_max, energy_sum;     /* the largest deviation of the energy, and their sum */
    noe_real *value_max;                 /* the largest deviation of each value */
    noe_real group_max;                  /* the largest distance of a factor from its space */
    noe_real position_max, velocity_max; /* the largest |g| and |psi| of constraints */
    /* Where the method has a balance, at steps whose length was found: how far the discrete energy
     * is from its first value and the work done since. */
    noe_real discrete_max, discrete_sum;
    long discrete_count;
    struct noe_observation moment; /* at the last step noted */
    long count;                    /* steps noted */
    int bad_value;                 /* the first value that was not finite, or -1 */
    long bad_step;
    bool has_failed; /* the energy was not finite, or there was no velocity */
};

/* Takes `count` steps and notes each, or fewer if one fails. */
enum noe_status noe_work_steps_monitored(struct noe_work *work, long count,
                                         struct noe_monitor *monitor, struct noe_error *error);
/* Notes the current state. */
enum noe_status noe_monitor_update(struct noe_work *work, struct noe_monitor *monitor,
                                   struct noe_error *error);
/* What is looked for at the ends of steps: changes of sign of the system's crossing functions. Zero
 * it, then set the pointers, the sides and what to compare with. */
struct noe_event_scan {
    int *side; /* of each function: its sign; 0: it has not left zero yet */
    int *from; /* the side from which a crossing counts; 0: from both */
    /* The functions, and behind them their rates, at the ends of the last step. */
    noe_real *before, *after;
    /* Nobody asks for the points of groups: where nothing depends on them they may stay as they
     * are, for good. */
    bool skips_points;
    bool has_changed;                /* one of them may have crossed zero in the last step */
    noe_real energy;                 /* compared with */
    noe_real energy_max, energy_sum; /* the largest deviation of the energy, and their sum */
    long count;                      /* steps noted */
    bool has_failed;                 /* the energy was not finite, or there was no velocity */
};

/* Takes `count` steps, or fewer: up to one in which a crossing function has changed its sign or, as
 * far as rates tell, may have done so twice, or up to one that fails. Other sides are kept up to
 * date. */
enum noe_status noe_work_scan_events(struct noe_work *work, long count, struct noe_event_scan *scan,
                                     struct noe_error *error);
/* Takes in `part`, another work of the same problem, the last step of `work` with length h: from
 * the state where it began, and alone, as noe_work_restep does. Writes crossing functions and rates
 * at its end, if `values` is not NULL; its velocity is then that of noe_work_observe. `work` stays
 * as it is: it goes on as if nothing had been asked. Only directly after a call that took one step
 * or ended with one. */
enum noe_status noe_work_substep(struct noe_work *part, const struct noe_work *work, noe_real h,
                                 noe_real *values, struct noe_error *error);
/* Finds in `part`, as above but for the points of groups, which stay where the step began, where in
 * the last step of `work` its only crossing function, of which the values at the ends are given, is
 * zero to round-off. Returns which part of the step that is; 0 where there is no plain zero, and
 * where it is not known how to find one but by parts. */
noe_real noe_work_event_root(struct noe_work *part, const struct noe_work *work, noe_real before,
                             noe_real after);
/* Effort since the start. */
struct noe_step_stats noe_work_stats(const struct noe_work *work);
/* The linear solver in use: "none", "dense", "lapack" or "sparse". */
const char *noe_work_solver(const struct noe_work *work);

/* --- Model: a system stated in text. */

/* Where numbers stand in q or in v: a scalar (rank 0; rows 1, cols 1), a vector of m (1; m, 1), a
 * matrix or m vectors of k (2; m, k), m matrices 3x3 (3; m, 9). Parts, which are rows or matrices,
 * begin `stride` numbers apart. */
struct noe_array_layout {
    int rank, rows, cols;
    int first, stride;
};

/* A declared coordinate; a rotation is one, a pose two. Momenta and forces stand as velocities. */
struct noe_coordinate {
    const char *name;
    const char *velocity; /* its name; NULL: the coordinate's with a prime */
    struct noe_array_layout point, tangent;
    int line, column; /* where it is declared */
};

/* One equation of a stated constraint: those of a vector are its components. */
struct noe_constraint {
    const char *text; /* as it was stated: "dot(x, x) = 1" */
    int line, column; /* where */
    int component;    /* from 1 on; 0: the constraint is one equation */
    bool is_holonomic;
    int row; /* in the system, where holonomic constraints come first */
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
    const char *cache;             /* directory of compiled models; NULL: the user's */
    const volatile int *interrupt; /* not 0: reading ends, and a compiler that runs; may be NULL */
};

enum noe_model_code_kind { NOE_COMPILED, NOE_CACHED, NOE_INTERPRETED };

/* A loaded model; read-only for callers. Numbers that the file does not state are NaN. */
struct noe_model {
    const char *title, *path, *text;
    const struct noe_system *system;
    int nparameters, nprepared; /* the model's own, and numbers from them that stand behind */
    int ncoordinates;
    const struct noe_coordinate *coordinate;
    int nconstraints;                        /* equations, and so multipliers */
    const struct noe_constraint *constraint; /* in the order of the statements */
    const struct noe_circuit *circuit;       /* NULL: none is stated */
    const noe_real *q, *v;                   /* start values; behind v zeros for the multipliers */
    noe_real from, until, step;
    long sample;        /* 0: not stated */
    const char *method; /* "name key=value ...", NULL: not stated */
    int method_line, method_column, step_line, step_column;
    int nnotes;
    const struct noe_error *note; /* what is doubtful but not wrong, each with its place */
    enum noe_model_code_kind code;
    const char *code_note; /* why it is interpreted or not cached; NULL otherwise */
    size_t code_bytes;     /* size of the generated C */
    bool code_has_vectors; /* equal functions of many arguments are evaluated several at once */
};

/* Reads, differentiates and loads the model in the file `path`. Free with noe_model_free. */
enum noe_status noe_model_open(struct noe_model **model, const char *path,
                               const struct noe_model_settings *settings, struct noe_error *error);
/* The same from text; `name` stands for the file's name. */
enum noe_status noe_model_open_text(struct noe_model **model, const char *name, const char *text,
                                    const struct noe_model_settings *settings,
                                    struct noe_error *error);
void noe_model_free(struct noe_model *model);
/* Computes the `nprepared` numbers behind `nparameters` given ones: a copy of the model's system
 * may read them in place of its own. */
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

/* Compiles a stepper for exactly this problem, whose system is the model's: the method's own source
 * with all sizes constant and the model's functions inline. Steps give the same bits as without it.
 * If that cannot be done the problem stays as it is, and the error says why. */
enum noe_status noe_problem_specialise(struct noe_problem *problem, const struct noe_model *model,
                                       const struct noe_model_settings *settings,
                                       struct noe_error *error);

/* Compiles the callbacks force_simd and stage_simd of the model's system, which are NULL before. If
 * that cannot be done they stay NULL, and the error says why. */
enum noe_status noe_model_compile_simd(struct noe_model *model,
                                       const struct noe_model_settings *settings,
                                       struct noe_error *error);

/* --- Output: where rows go. */

struct noe_parallel_writers;

/* What a file says of itself. */
struct noe_record_header {
    const char *model_title, *model_text, *method, *settings; /* settings: "step=0.01 until=40" */
    int ncolumns;
    const char *const *column;
    size_t nrows; /* how many there will be, as rows_at must know; 0: not known */
    const struct noe_parallel_writers
        *writers; /* processes that write it together; NULL: one alone */
};

/* A trajectory read back. Words that its format does not carry are NULL. */
struct noe_table {
    int ncolumns;
    size_t nrows;
    char **column;
    noe_real *values; /* column by column: number r of column c is values[c * nrows + r] */
    char *model_title, *model_text, *method, *settings;
    char *message; /* why it is incomplete; NULL: it is complete */
};

/* Reads the trajectory in the file `path`. Free with noe_table_free. */
enum noe_status noe_table_open(struct noe_table **table, const char *path, struct noe_error *error);
void noe_table_free(struct noe_table *table);

/* A format; `open` makes a temporary file that `close` puts in place under `path`. */
struct noe_format {
    const char *name, *summary; /* the name is the file's extension */
    enum noe_status (*open)(void **file, const char *path, const struct noe_record_header *,
                            struct noe_error *);
    enum noe_status (*row)(void *file, const noe_real *values, struct noe_error *);
    /* Writes `count` rows, of which number `first` (from 0) is the first, in any order, into a file
     * whose header stated `nrows`; NULL where rows can only follow one another. */
    enum noe_status (*rows_at)(void *file, size_t first, size_t count, const noe_real *values,
                               struct noe_error *);
    /* `message` NULL: complete; otherwise why it is not. Frees `file` in every case. */
    enum noe_status (*close)(void *file, const char *message, struct noe_error *);
    /* Leaves nothing behind. */
    void (*discard)(void *file);
    /* Fills `table` (all zero before) from a file of this format; noe_table_open frees it. */
    enum noe_status (*read)(struct noe_table *table, const char *path, struct noe_error *);
};

/* The format for a path, by its extension; NULL if there is none. */
const struct noe_format *noe_format_find(const char *path);
int noe_format_count(void);
const struct noe_format *noe_format_at(int index);

#pragma GCC visibility pop

#include "noether_batch.h"

#endif
