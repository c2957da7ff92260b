/* Solution of a nonlinear program by Ipopt. */
/* SPDX-License-Identifier: MIT */
#include "study/control/nlp.h"

#include <coin/IpStdCInterface.h>
#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "base/status.h"

/* Ipopt is loaded on demand, because its dependencies would slow down every start of the
 * command. */
struct ipopt {
    __typeof__(&CreateIpoptProblem) CreateIpoptProblem;
    __typeof__(&FreeIpoptProblem) FreeIpoptProblem;
    __typeof__(&AddIpoptStrOption) AddIpoptStrOption;
    __typeof__(&AddIpoptNumOption) AddIpoptNumOption;
    __typeof__(&AddIpoptIntOption) AddIpoptIntOption;
    __typeof__(&SetIntermediateCallback) SetIntermediateCallback;
    __typeof__(&IpoptSolve) IpoptSolve;
};

static bool load(struct ipopt *ipopt) {
    void *library = dlopen("libipopt.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    static const char *const names[] = {
        "CreateIpoptProblem", "FreeIpoptProblem",        "AddIpoptStrOption", "AddIpoptNumOption",
        "AddIpoptIntOption",  "SetIntermediateCallback", "IpoptSolve"};
    void *found[sizeof names / sizeof *names];
    bool done = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found[i] = dlsym(library, names[i]);
        done = done && found[i];
    }
    memcpy(ipopt, found, sizeof *ipopt); /* the members have this order */
    return done;
}

/* Data of the callbacks. */
struct task {
    const struct nlp *nlp;
    struct nlp_result *result;
    double seconds; /* time spent in callbacks */
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static Bool eval_f(Index n, Number *x, Bool is_new, Number *value, UserDataPtr data) {
    struct task *task = data;
    const double start = now();
    (void)n, (void)is_new;
    const bool done = task->nlp->value(task->nlp->data, x, value);
    task->seconds += now() - start;
    return done;
}

static Bool eval_gradient(Index n, Number *x, Bool is_new, Number *gradient, UserDataPtr data) {
    struct task *task = data;
    const double start = now();
    (void)n, (void)is_new;
    const bool done = task->nlp->gradient(task->nlp->data, x, gradient);
    task->seconds += now() - start;
    return done;
}

static Bool eval_g(Index n, Number *x, Bool is_new, Index m, Number *g, UserDataPtr data) {
    struct task *task = data;
    const double start = now();
    (void)n, (void)is_new, (void)m;
    const bool done = task->nlp->constraints(task->nlp->data, x, g);
    task->seconds += now() - start;
    return done;
}

static Bool eval_jacobian(Index n, Number *x, Bool is_new, Index m, Index count, Index *row,
                          Index *col, Number *values, UserDataPtr data) {
    struct task *task = data;
    (void)n, (void)is_new, (void)m;
    if (!values) {
        for (int i = 0; i < count; i++) {
            row[i] = task->nlp->jrow[i];
            col[i] = task->nlp->jcol[i];
        }
        return TRUE;
    }
    const double start = now();
    const bool done = task->nlp->jacobian(task->nlp->data, x, values);
    task->seconds += now() - start;
    return done;
}

static Bool eval_hessian(Index n, Number *x, Bool is_new, Number weight, Index m, Number *lambda,
                         Bool lambda_is_new, Index count, Index *row, Index *col, Number *values,
                         UserDataPtr data) {
    struct task *task = data;
    (void)n, (void)is_new, (void)m, (void)lambda_is_new;
    if (!values) {
        for (int i = 0; i < count; i++) {
            row[i] = task->nlp->hrow[i];
            col[i] = task->nlp->hcol[i];
        }
        return TRUE;
    }
    const double start = now();
    const bool done = task->nlp->hessian(task->nlp->data, x, weight, lambda, values);
    task->seconds += now() - start;
    return done;
}

static Bool progress(Index mode, Index iteration, Number f, Number violation, Number dual,
                     Number mu, Number step, Number regularisation, Number alpha_dual,
                     Number alpha_primal, Index trials, UserDataPtr data) {
    struct task *task = data;
    (void)mode, (void)dual, (void)mu, (void)step, (void)regularisation, (void)alpha_dual;
    (void)alpha_primal, (void)trials;
    task->result->iterations = iteration;
    return !task->nlp->progress || task->nlp->progress(task->nlp->data, iteration, f, violation);
}

/* Exit status of Ipopt as a message. */
static const char *words_of(enum ApplicationReturnStatus status) {
    switch (status) {
    case Solve_Succeeded: return "solved";
    case Solved_To_Acceptable_Level: return "solved, but to less than the accuracy asked for";
    case Infeasible_Problem_Detected:
        return "infeasible: no point near the least violated one satisfies the equations and "
               "bounds";
    case Search_Direction_Becomes_Too_Small:
        return "the search stalled: rounding errors prevent further progress";
    case Diverging_Iterates: return "the iterates diverge: the cost may have no minimum";
    case User_Requested_Stop: return "interrupted";
    case Feasible_Point_Found: return "a feasible point, but no minimum";
    case Maximum_Iterations_Exceeded: return "the limit of iterations was reached";
    case Restoration_Failed:
        return "no feasible point could be found from here: try another guess, or more starts";
    case Error_In_Step_Computation: return "a step could not be computed";
    case Not_Enough_Degrees_Of_Freedom:
        return "there are more equations than unknowns: too much is fixed";
    case Invalid_Number_Detected: return "a value is not a finite number";
    default: return "the solver failed";
    }
}

static void set_number(const struct ipopt *ipopt, IpoptProblem problem, const char *name,
                       double value) {
    ipopt->AddIpoptNumOption(problem, (char *)name, value);
}

static void set_options(const struct ipopt *ipopt, IpoptProblem problem,
                        const struct nlp_settings *settings) {
    ipopt->AddIpoptIntOption(problem, "print_level", 0);
    ipopt->AddIpoptStrOption(problem, "sb", "yes");
    ipopt->AddIpoptStrOption(problem, "linear_solver", "mumps");
    ipopt->AddIpoptIntOption(problem, "max_iter", settings->iterations_max);
    set_number(ipopt, problem, "tol", settings->tolerance);
    set_number(ipopt, problem, "constr_viol_tol", settings->tolerance);
    set_number(ipopt, problem, "dual_inf_tol", 1e3 * settings->tolerance);
    set_number(ipopt, problem, "compl_inf_tol", settings->tolerance);
    set_number(ipopt, problem, "bound_relax_factor", 0);
    /* A larger pivot tolerance than the default: otherwise short steps need many iterative
     * refinements. */
    set_number(ipopt, problem, "mumps_pivtol", 1e-3);
}

enum noe_status nlp_solve(const struct nlp *nlp, const struct nlp_settings *settings,
                          struct nlp_result *result, struct noe_error *error) {
    struct task task = {.nlp = nlp, .result = result};
    struct ipopt ipopt;
    if (!load(&ipopt))
        return status_set(error, NOE_NO_LIBRARY,
                          "optimal control needs Ipopt, which is not installed: install "
                          "coinor-libipopt1v5");
    IpoptProblem problem =
        ipopt.CreateIpoptProblem(nlp->n, (Number *)nlp->x_least, (Number *)nlp->x_most, nlp->m,
                                 (Number *)nlp->g_least, (Number *)nlp->g_most, nlp->nj, nlp->nh, 0,
                                 eval_f, eval_g, eval_gradient, eval_jacobian, eval_hessian);
    if (!problem) return status_set(error, NOE_BAD_INPUT, "Ipopt refused the problem");
    set_options(&ipopt, problem, settings);
    ipopt.SetIntermediateCallback(problem, progress);
    const double start = now();
    const enum ApplicationReturnStatus status =
        ipopt.IpoptSolve(problem, result->x, result->g, &result->f, result->lambda, result->z_least,
                         result->z_most, &task);
    ipopt.FreeIpoptProblem(problem);
    result->seconds = now() - start;
    result->seconds_in_callbacks = task.seconds;
    result->words = words_of(status);
    if (status == Solve_Succeeded || status == Solved_To_Acceptable_Level) return NOE_OK;
    if (status == User_Requested_Stop) return status_set(error, NOE_INTERRUPTED, "interrupted");
    return status_set(error, NOE_NOT_CONVERGED, "%s", result->words);
}
