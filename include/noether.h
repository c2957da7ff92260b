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

#include "noether_system.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* the library exports the functions of this header */

#define NOE_VERSION "0.2.0"

/* --- Status and message. */

/* 0: success; positive: a numerical failure; negative: misuse, or a failure of the environment. */
enum noe_status {
    NOE_OK = 0,
    NOE_NOT_CONVERGED = 1,  /* the iteration did not converge */
    NOE_SINGULAR = 2,       /* a matrix is singular */
    NOE_NOT_FINITE = 3,     /* a value is not a finite number */
    NOE_STEP_TOO_SMALL = 4, /* the step size became too small */
    NOE_INTERRUPTED = 5,
    NOE_NO_STEP = 6, /* no step size preserves the discrete energy */
    NOE_BAD_INPUT = -1,
    NOE_NOT_SERVED = -2, /* the method does not serve the system */
    NOE_NO_MEMORY = -3,
    NOE_IO = -4,        /* a file could not be read or written */
    NOE_NO_LIBRARY = -5 /* an optional part is missing on this machine */
};

/* The message of a failure, filled by the function that failed. Line and column of a model file are
 * 0 if they do not apply. */
struct noe_error {
    enum noe_status status;
    int line, column;
    char text[480];
};

/* The general meaning of a status, in lower case. */
const char *noe_status_text(enum noe_status status);

/* --- Method: its names, its options and its claims. */

/* Order and traits of a method are claims that the tests measure. */
enum noe_method_trait {
    NOE_SYMPLECTIC = 1,
    NOE_MOMENTUM = 2,  /* momentum maps of symmetries that act linearly, at round-off */
    NOE_SYMMETRIC = 4, /* a step by h followed by a step by -h returns */
    NOE_ENERGY = 8,    /* energy at round-off */
    NOE_GROUP = 16,    /* stays on the group at round-off */
    NOE_ADAPTIVE = 32, /* adapts the step size */
    NOE_NEEDS_SEPARABLE = 64,
    NOE_EXPLICIT = 128, /* solves no equation beyond the Legendre transform */
    NOE_NEEDS_GROUPS = 256,
    NOE_NEEDS_INVARIANT = 512,    /* L = v.Mv/2 on one group: the Euler-Poincare equations */
    NOE_NEEDS_HAMILTONIAN = 1024, /* L_vv is regular */
    NOE_CONSTRAINTS = 2048,       /* constraints at round-off, of positions and of velocities */
    NOE_NEEDS_CONSTRAINTS = 4096,
    NOE_MULTISTEP = 8192, /* carries more than (q,p) from step to step */
    NOE_NEEDS_UNFORCED = 16384,
    NOE_NEEDS_REGULAR = 32768, /* L_vv is regular; with constraints see noe_problem.traits */
    NOE_STOCHASTIC = 65536,    /* serves noise */
    NOE_NEEDS_BATH = 131072,   /* L = v.Mv/2 - U(t,q) with M constant; forces linear in v */
    NOE_NEEDS_LINEAR = 262144  /* L_vv is zero */
};

enum noe_option_kind { NOE_INTEGER, NOE_NUMBER, NOE_WORD };

struct noe_option {
    const char *name;
    enum noe_option_kind kind;
    double default_value, min, max; /* numbers; for a word, its index in `words` */
    const char *words;              /* allowed words, separated by spaces; NULL for numbers */
    const char *summary;
};

#define NOE_OPTIONS_MAX 8

/* The spaces that a method serves: R^n, and groups by their structure. */
enum noe_spaces {
    NOE_ON_VECTORS = 1 << 0,     /* R^n, alone or with groups */
    NOE_ON_GROUPS = 1 << 1,      /* every Lie group; an option chooses the retraction */
    NOE_ON_QUADRATIC = 1 << 2,   /* quadratic groups: those with the Cayley map */
    NOE_ON_EXPONENTIAL = 1 << 3, /* groups with the exponential */
    NOE_ON_CHORD = 1 << 4,       /* groups with the retraction `chord` */
    NOE_ON_SO3_ALGEBRA = 1 << 5, /* rotations and unit quaternions */
    NOE_ON_ROTATIONS = 1 << 6,   /* rotation matrices */
    NOE_ON_ALL = NOE_ON_VECTORS | NOE_ON_GROUPS,
};

/* The public description of a method: its names, its options, and claims that the tests measure. */
struct noe_method_info {
    const char *name, *summary, *reference, *order_text;
    const char *advice; /* why a step may have no root, and what to try; NULL: a smaller step */
    unsigned traits;    /* on R^n; other kinds of systems may have fewer: noe_problem.traits */
    unsigned spaces;    /* bits of enum noe_spaces: the spaces it serves */
    const char *constraints; /* kinds it serves: words of "holonomic nonholonomic", or "" */
    const struct noe_option *options; /* ends with a row whose name is NULL; may be NULL */
};

/* The methods of this build: index 0 .. noe_method_count()-1, in alphabetical order. */
int noe_method_count(void);
const struct noe_method_info *noe_method_at(int index);
/* The method called `name`, or NULL. */
const struct noe_method_info *noe_method_find(const char *name);
/* The space called `name`, or NULL. */
const struct noe_space *noe_space_find(const char *name);

/* --- Problem: system, method and settings, checked once and constant afterwards. */

struct noe_work;
struct noe_monitor;

/* Fields are read-only after noe_problem_init, except the seed. */
struct noe_problem {
    const struct noe_system *system;
    const struct noe_method_info *method;
    noe_scalar option[NOE_OPTIONS_MAX]; /* by index in method->options */
    unsigned traits;                    /* bits of enum noe_method_trait: claims for this system */
    int order;                          /* order of the method with these options */
    int retraction;                     /* by index in NOE_RETRACTIONS */
    noe_scalar h;                       /* step size; the first one if the method adapts it */
    int np;                             /* numbers in q; v and p have system->n numbers */
    unsigned long seed; /* seed of the noise in works created afterwards; 1 by default */
    struct problem_internals *internals; /* the library's own */
};

/* Fills and checks `problem` for `method`, given as "name key=value ...", with step size h. The
 * system must outlive the problem. Release it with noe_problem_clear, which is allowed after a
 * failure and twice. A copy of the struct shares its internals and must not be released. */
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
    noe_real *multipliers; /* multipliers of constraints; NULL if there are none */
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
    const noe_real *multipliers; /* those of the state; NULL if there are none */
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
/* The current state; valid until the next call on `work`. */
const struct noe_state *noe_work_state(const struct noe_work *work);
/* Velocity, energy and quantities at the current state; pointers valid until the next call. */
enum noe_status noe_work_observe(struct noe_work *work, struct noe_observation *moment,
                                 struct noe_error *error);
/* Effort since the start. */
struct noe_step_stats noe_work_stats(const struct noe_work *work);

/* The size of a snapshot of the run, and a copy of it. Restoring it continues the run bit for bit,
 * in a work of an equal problem, in the same build. Fails if the snapshot was made for a different
 * problem or build, as far as its sizes and method show, or if a number in it is out of its range;
 * the run must then be started anew. Parameters set by noe_work_set_parameter are not part of it:
 * set them again. */
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
/* A result by name, NaN if there is none of that name:
 *   steps                      updates
 *   energy_max, energy_mean    deviation of the energy from its reference
 *   group_max                  distance of a group element from its space
 *   position_max, velocity_max violation of constraints, |g| and |psi|
 *   discrete_max, discrete_mean deviation of the discrete energy from its target, for methods that
 *                              solve for the step size
 * and for every quantity of the system, under its name, the largest deviation of its values. */
noe_real noe_monitor_get(const struct noe_monitor *monitor, const char *name);

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

/* A trajectory from a file. Texts that its format does not store are NULL. */
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

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
