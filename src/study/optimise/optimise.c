/* Minimisation by descent methods: iterates from a start until the gradient is small. */
/* SPDX-License-Identifier: MIT */
#include "study/optimise/optimise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "spaces/product.h"
#include "spaces/space_set.h"

enum { EXPONENTIAL = 1, POWERS = 40, STILL_MAX = 100 };

real optimise_norm(int n, const real *x) {
    real largest = real_norm((size_t)n, x), sum = 0;
    if (!(largest > 0) || !real_is_finite(largest)) return largest;
    for (int i = 0; i < n; i++) sum += x[i] / largest * (x[i] / largest);
    return largest * noe_sqrt(sum);
}

void optimise_move(const struct optimise_state *s, real *g1, const real *g0, const real *x) {
    product_retract(&s->space, EXPONENTIAL, g1, g0, x);
}

real optimise_step_limit(const struct noe_descent_rate *rate, real curvature) {
    const real mu = rate->momentum;
    return 2 * (1 + mu) / (rate->looks_ahead ? 1 + 2 * mu : 1) / curvature;
}

/* slope = derivative of the gradient along the unit tangent x, by central finite differences. */
static void vary_gradient(struct optimise_state *s, real length, real *x) {
    const int n = s->objective->n;
    real *slope = s->slope;
    for (int i = 0; i < n; i++) x[i] *= length;
    optimise_move(s, s->ahead, s->q, x);
    s->objective->evaluate(s->objective, s->ahead, slope);
    for (int i = 0; i < n; i++) x[i] = -x[i];
    optimise_move(s, s->ahead, s->q, x);
    s->objective->evaluate(s->objective, s->ahead, x);
    for (int i = 0; i < n; i++) slope[i] = (slope[i] - x[i]) / (2 * length);
}

real optimise_curvature(struct optimise_state *s) {
    const int n = s->objective->n;
    const real length = noe_pow(NOE_EPSILON, (real)1 / 3) *
                        (1 + (s->objective->factors ? 0 : real_norm((size_t)n, s->q)));
    real *x = s->displacement, size = 0;
    for (int i = 0; i < n; i++) x[i] = (1 + (real)(i % 3) / 8) / noe_sqrt(n);
    for (int k = 0; k < POWERS; k++) {
        vary_gradient(s, length, x);
        size = optimise_norm(n, s->slope);
        if (!(size > 0) || !real_is_finite(size)) break;
        for (int i = 0; i < n; i++) x[i] = s->slope[i] / size;
    }
    return size;
}

static enum noe_status unknown_method(const char *name, struct noe_error *error) {
    const char *names[16];
    char list[200] = "";
    int count = 0;
    for (; optimise_methods[count].name && count < 16; count++) {
        names[count] = optimise_methods[count].name;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", count ? ", " : "",
                 names[count]);
    }
    const char *near = status_nearest(name, count, names);
    if (near)
        return status_set(error, NOE_BAD_INPUT, "unknown method '%s' (did you mean '%s'?)", name,
                          near);
    return status_set(error, NOE_BAD_INPUT, "unknown method '%s'; those that minimise: %s", name,
                      list);
}

static bool is_served(const struct optimise_method *method, const struct noe_objective *objective) {
    for (int i = 0; i < objective->nfactors && objective->factors; i++)
        if (!space_set_has(method->spaces, objective->factors[i].space)) return false;
    return true;
}

static enum noe_status not_served(const struct optimise_state *s, struct noe_error *error) {
    char list[200] = "";
    for (const struct optimise_method *other = optimise_methods; other->name; other++)
        if (is_served(other, s->objective))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? ", " : "",
                     other->name);
    return status_set(error, NOE_NOT_SERVED,
                      "%s does not serve this configuration space; methods that do: %s",
                      s->method->name, list);
}

/* Appends the names of the options that have no value. */
static void list_missing(const struct optimise_state *s, size_t size, char *list) {
    const struct noe_option *options = s->method->options;
    for (int i = 0; options[i].name; i++)
        if (s->option[i] != s->option[i])
            snprintf(list + strlen(list), size - strlen(list), "%s'%s = ...'", list[0] ? ", " : "",
                     options[i].name);
}

/* Reports missing options, with an estimate of their size from the curvature of the objective. */
static enum noe_status missing_options(struct optimise_state *s, const char *list,
                                       struct noe_error *error) {
    const real curvature = optimise_curvature(s);
    char hint[160] = "";
    if (curvature > 0 && real_is_finite(curvature))
        snprintf(hint, sizeof hint,
                 "; at the start the curvature of the objective is up to %.3g, so that a "
                 "gradient's weight below %.2g is safe there",
                 (double)curvature, (double)(1 / curvature));
    return status_set(error, NOE_BAD_INPUT, "%s needs %s%s", s->method->name, list, hint);
}

static enum noe_status check_options(struct optimise_state *s, struct noe_error *error) {
    const struct noe_option *options = s->method->options;
    char missing[100] = "";
    list_missing(s, sizeof missing, missing);
    if (missing[0]) return missing_options(s, missing, error);
    for (int i = 0; options[i].name; i++) {
        const bool may_vanish = options[i].max == 1 || strcmp(options[i].name, "gamma") == 0;
        if (s->option[i] > 0 || may_vanish) continue;
        return status_set(error, NOE_BAD_INPUT, "%s: %s must be positive", s->method->name,
                          options[i].name);
    }
    const struct noe_descent_rate rate = s->method->rate(s->option);
    if (rate.momentum >= 0 && rate.momentum < 1) return NOE_OK;
    return status_set(error, NOE_BAD_INPUT,
                      "%s: each iteration would keep %.3g of the velocity; that must be at least 0 "
                      "and less than 1",
                      s->method->name, (double)rate.momentum);
}

static enum noe_status read_method(struct optimise_state *s, const char *text,
                                   struct noe_error *error) {
    char name[OPTION_WORD];
    text = option_word(text, name);
    for (s->method = optimise_methods; s->method->name; s->method++)
        if (strcmp(s->method->name, name) == 0) break;
    if (!s->method->name) return unknown_method(name, error);
    if (!is_served(s->method, s->objective)) return not_served(s, error);
    const enum noe_status status = option_read(name, s->method->options, text, s->option, error);
    return status == NOE_OK ? check_options(s, error) : status;
}

/* Progress of an iteration, for diagnosing divergence. */
struct course {
    real last_value, last_norm;
    int still; /* successive iterations that moved the point by less than round-off */
    struct noe_descent_result *result;
    struct noe_error *error;
};

/* Advice on the step size from the curvature at the last point and at the start. */
static void advise(struct optimise_state *s, const struct course *c, size_t size, char *text) {
    const struct noe_descent_rate *rate = &c->result->rate;
    real curvature = real_is_finite(s->value) ? optimise_curvature(s) : 0;
    memcpy(s->q, s->start, (size_t)s->objective->np * sizeof *s->q);
    curvature = real_max(optimise_curvature(s), curvature);
    const real limit = optimise_step_limit(rate, curvature);
    if (rate->step > limit)
        snprintf(text, size,
                 "its effective step %.3g is too long for the curvature %.3g that the objective "
                 "has: try one below %.2g",
                 (double)rate->step, (double)curvature, (double)limit);
    else
        snprintf(text, size, "try more iterations, another start or a step nearer to %.2g",
                 (double)(limit / 2));
}

static enum noe_status fail_not_finite(struct optimise_state *s, const struct course *c, long k) {
    char advice[200];
    const bool has_value = real_is_finite(s->value);
    if (k == 0)
        return status_set(c->error, NOE_NOT_FINITE,
                          has_value ? "the objective has no gradient at the start: its value there "
                                      "is %.9g"
                                    : "the objective is not finite at the start: its value is %g",
                          (double)s->value);
    if (has_value && c->last_norm < 1 / NOE_EPSILON)
        return status_set(c->error, NOE_NOT_FINITE,
                          "the objective has no gradient at iteration %ld, where its value is %.9g",
                          k, (double)s->value);
    advise(s, c, sizeof advice, advice);
    return status_set(c->error, NOE_NOT_FINITE,
                      "%s diverges: at iteration %ld the objective is not finite, before it was "
                      "%.3g; %s",
                      s->method->name, k, (double)c->last_value, advice);
}

static enum noe_status fail_to_settle(struct optimise_state *s, const struct course *c, long k,
                                      bool is_still) {
    char advice[200];
    if (is_still)
        return status_set(c->error, NOE_NOT_CONVERGED,
                          "the point moves by less than its round-off at iteration %ld, where the "
                          "gradient is %.3g: "
                          "the tolerance is below what round-off allows",
                          k, (double)c->result->gradient_norm);
    advise(s, c, sizeof advice, advice);
    return status_set(c->error, NOE_NOT_CONVERGED,
                      "%s has not settled after %ld iterations: the gradient is %.3g; %s",
                      s->method->name, k, (double)c->result->gradient_norm, advice);
}

/* Moves the point and records the change of the gradient per distance. */
static void advance(struct optimise_state *s, struct course *c, bool *is_still) {
    const int n = s->objective->n;
    s->method->advance(s);
    memcpy(s->ahead, s->q, (size_t)s->objective->np * sizeof *s->q);
    memcpy(s->slope, s->gradient, (size_t)n * sizeof *s->slope);
    product_advance(&s->space, EXPONENTIAL, s->q, s->carry, s->q, s->carry, s->displacement);
    *is_still = real_norm((size_t)n, s->displacement) <=
                NOE_EPSILON * real_norm((size_t)s->objective->np, s->q);
    s->value = s->objective->evaluate(s->objective, s->q, s->gradient);
    const real length = optimise_norm(n, s->displacement);
    for (int i = 0; i < n; i++) s->slope[i] = s->gradient[i] - s->slope[i];
    const real curvature = optimise_norm(n, s->slope) / length;
    if (curvature > c->result->curvature && !*is_still) c->result->curvature = curvature;
}

/* Iterates. q is left at the last finite point. */
static enum noe_status iterate(struct optimise_state *s,
                               const struct noe_descent_settings *settings, struct course *c,
                               real *q) {
    struct noe_descent_result *result = c->result;
    s->value = s->objective->evaluate(s->objective, s->q, s->gradient);
    for (long k = 0;; k++) {
        const real norm = optimise_norm(s->objective->n, s->gradient);
        if (!real_is_finite(s->value) || !real_is_finite(norm)) return fail_not_finite(s, c, k);
        const struct noe_iterate iterate = {k, s->q, s->value, norm};
        memcpy(q, s->q, (size_t)s->objective->np * sizeof *q);
        result->iterations = k;
        result->value = c->last_value = s->value;
        result->gradient_norm = c->last_norm = norm;
        result->clipped = s->clipped;
        const enum noe_status seen =
            settings->visit ? settings->visit(settings->visitor, &iterate) : NOE_OK;
        if (seen != NOE_OK) return seen;
        if (norm <= settings->tolerance) return NOE_OK;
        if (settings->interrupt && *settings->interrupt)
            return status_set(c->error, NOE_INTERRUPTED, "interrupted after iteration %ld", k);
        const bool is_still = c->still >= STILL_MAX;
        if (k == settings->iterations || is_still) return fail_to_settle(s, c, k, is_still);
        bool stands = false;
        advance(s, c, &stands);
        c->still = stands ? c->still + 1 : 0;
    }
}

/* Memory layout of a minimisation. */
static real *carve(struct optimise_state *s) {
    const size_t n = (size_t)s->objective->n, np = (size_t)s->objective->np;
    real *block = calloc(3 * np + 5 * n + 1, sizeof *block), *at = block;
    if (!block) return NULL;
    s->q = at, at += np;
    s->ahead = at, at += np;
    s->start = at, at += np;
    s->carry = at, at += n;
    s->gradient = at, at += n;
    s->velocity = at, at += n;
    s->displacement = at, at += n;
    s->slope = at;
    return block;
}

enum noe_status noe_minimise(const struct noe_objective *objective,
                             const struct noe_descent_settings *settings, noe_real *q,
                             struct noe_descent_result *result, struct noe_error *error) {
    struct optimise_state s = {.objective = objective};
    struct course course = {.result = result, .error = error};
    *result = (struct noe_descent_result){.value = (real)NAN, .gradient_norm = (real)NAN};
    s.space = (struct noe_system){
        .n = objective->n, .nfactors = objective->nfactors, .factors = objective->factors};
    if (!(settings->tolerance >= 0) || settings->iterations < 0)
        return status_set(error, NOE_BAD_INPUT,
                          "tolerance and number of iterations must not be negative");
    real *block = carve(&s);
    if (!block) return status_set(error, NOE_NO_MEMORY, "out of memory for a minimisation");
    memcpy(s.q, q, (size_t)objective->np * sizeof *q);
    memcpy(s.start, q, (size_t)objective->np * sizeof *q);
    enum noe_status status = read_method(&s, settings->method, error);
    if (status == NOE_OK) {
        result->method = s.method->name;
        result->rate = s.method->rate(s.option);
        status = iterate(&s, settings, &course, q);
    }
    free(block);
    return status;
}
