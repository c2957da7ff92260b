/* Test cases for the groups of the registry that have no system written by hand: a generic body
 * with a potential, and the same body without it.
 *
 * L = v.M v/2 - U(g), U = sum_k (a_k g_k + b_k g_k^2/2) in the components of the point. All
 * derivatives follow from the frame of the space, g' = sum factor g[from] v[tangent]. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/registry.h"
#include "methods.h"

#define ARGUMENTS const struct noe_system *s, real t, const real *q, const real *v

enum { SPACES_MAX = 16 };

static bool has_potential(const struct noe_system *s) { return !(s->traits & NOE_LEFT_INVARIANT); }

static real mass(int i, int j) { return (i == j ? 1 + (real)0.4 * i : 0) + (real)0.1; }
static real slope(int k) { return (real)(0.3 * cos(2.0 * k)); }
static real curvature(int k) { return (real)0.2 / (1 + k); }

static real generic_lagrangian(ARGUMENTS) {
    real sum = 0;
    (void)t;
    for (int k = 0; has_potential(s) && k < s->factors->space->point; k++)
        sum -= slope(k) * q[k] + curvature(k) * q[k] * q[k] / 2;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) sum += v[i] * mass(i, j) * v[j] / 2;
    return sum;
}

/* w_t = -sum_f factor g[from] U_point over the terms f with tangent t. */
static void generic_first(ARGUMENTS, real *p, real *w) {
    const struct noe_space *space = s->factors->space;
    (void)t;
    for (int i = 0; i < s->n; i++) {
        p[i] = w[i] = 0;
        for (int j = 0; j < s->n; j++) p[i] += mass(i, j) * v[j];
    }
    for (int e = 0; has_potential(s) && e < space->nframe; e++) {
        const struct noe_frame *f = &space->frame[e];
        w[f->tangent] -=
            f->factor * q[f->from] * (slope(f->point) + curvature(f->point) * q[f->point]);
    }
}

/* dq = the rate of the point along direction u. */
static void rate_along(const struct noe_space *space, const real *q, int u, real *dq) {
    for (int k = 0; k < space->point; k++) dq[k] = 0;
    for (int e = 0; e < space->nframe; e++) {
        const struct noe_frame *f = &space->frame[e];
        if (f->tangent == u) dq[f->point] += f->factor * q[f->from];
    }
}

static void generic_second(ARGUMENTS, real *p, real *w, real *d) {
    const struct noe_space *space = s->factors->space;
    const int n = s->n;
    real dq[POINT_MAX], *w_q = d + 3 * n * n;
    generic_first(s, t, q, v, p, w);
    memset(d, 0, (size_t)(4 * n * n) * sizeof *d);
    for (int i = 0; i < n * n; i++) d[i] = mass(i / n, i % n);
    for (int u = 0; has_potential(s) && u < n; u++) {
        rate_along(space, q, u, dq);
        for (int e = 0; e < space->nframe; e++) {
            const struct noe_frame *f = &space->frame[e];
            const int k = f->point;
            w_q[f->tangent * n + u] -= f->factor * (dq[f->from] * (slope(k) + curvature(k) * q[k]) +
                                                    q[f->from] * curvature(k) * dq[k]);
        }
    }
}

bool is_registry_case(const struct test_case *test) { return test->system->first == generic_first; }

static bool is_covered(const struct noe_space *space) {
    for (int i = 0; i < test_case_count; i++) {
        const struct noe_system *system = test_cases[i].system;
        for (int k = 0; system->factors && k < system->nfactors; k++)
            if (system->factors[k].space == space) return true;
    }
    return false;
}

static void make_case(struct test_case *test, struct noe_system *system,
                      const struct noe_factor *factor, unsigned traits) {
    const int n = factor->space->tangent;
    real x[FREEDOMS_MAX];
    *system = (struct noe_system){
        .name = factor->space->name,
        .n = n,
        .nfactors = 1,
        .factors = factor,
        .nz = n * n,
        .traits = NOE_QUADRATIC | NOE_CONSTANT_MASS | NOE_SEPARABLE | NOE_AUTONOMOUS |
                  NOE_UNFORCED | traits,
        .lagrangian = generic_lagrangian,
        .first = generic_first,
        .second = generic_second,
    };
    test->system = system;
    for (int i = 0; i < n; i++) {
        test->v[i] = (real)(0.8 * cos(1.0 + 1.7 * i));
        x[i] = (real)(0.4 * sin(1.0 + 1.3 * i));
    }
    factor->space->identity(1, test->q);
    factor->space->retract(1, 0, test->q, test->q, x);
}

const struct test_case *registry_cases(int *count) {
    static struct noe_factor factors[SPACES_MAX];
    static struct noe_system systems[2 * SPACES_MAX];
    static struct test_case cases[2 * SPACES_MAX];
    static int made = -1;
    for (int i = made < 0 ? made = 0 : SPACES_MAX; i < SPACES_MAX && registry_spaces[i]; i++) {
        if (!registry_spaces[i]->retractions || is_covered(registry_spaces[i])) continue;
        factors[i] = (struct noe_factor){registry_spaces[i], 1};
        make_case(&cases[made], &systems[made], &factors[i], 0);
        made++;
        make_case(&cases[made], &systems[made], &factors[i], NOE_LEFT_INVARIANT);
        made++;
    }
    *count = made;
    return cases;
}
