/* Products of spaces: a point is the points of its factors one after the other. */
/* SPDX-License-Identifier: MIT */
#include "spaces/product.h"

int product_point_size(const struct noe_system *system) {
    if (!system->factors) return system->n;
    int size = 0;
    for (int i = 0; i < system->nfactors; i++)
        size += system->factors[i].space->point * system->factors[i].size;
    return size;
}

bool product_has_groups(const struct noe_system *system) {
    for (int i = 0; system->factors && i < system->nfactors; i++)
        if (system->factors[i].space->retractions) return true;
    return false;
}

bool product_has_positions(const struct noe_system *system) {
    for (int i = 0; system->factors && i < system->nfactors; i++)
        if (system->factors[i].space->maps.shift_dual) return true;
    return false;
}

void product_identity(const struct noe_system *system, noe_real *g) {
    for (int i = 0; !system->factors && i < system->n; i++) g[i] = real_broadcast(0);
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_factor *f = &system->factors[i];
        f->space->identity(f->size, g);
        g += f->space->point * f->size;
    }
}

noe_real product_defect(const struct noe_system *system, const noe_real *g) {
    real max = {0};
    for (int i = 0; system->factors && i < system->nfactors; i++) {
        const struct noe_factor *f = &system->factors[i];
        if (f->space->maps.defect) max = noe_max(max, f->space->maps.defect(g));
        g += f->space->point * f->size;
    }
    return max;
}

void product_retract_factors(const struct noe_system *system, int tau, noe_real *g1,
                             const noe_real *g0, const noe_real *x) {
    for (int i = 0; i < system->nfactors; i++) {
        const struct noe_factor *f = &system->factors[i];
        f->space->retract(f->size, tau, g1, g0, x);
        g1 += f->space->point * f->size;
        g0 += f->space->point * f->size;
        x += f->space->tangent * f->size;
    }
}

void product_advance_factors(const struct noe_system *system, int tau, noe_real *g1,
                             noe_real *carry1, const noe_real *g0, const noe_real *carry0,
                             const noe_real *x) {
    for (int i = 0; i < system->nfactors; i++) {
        const struct noe_factor *f = &system->factors[i];
        const int point = f->space->point * f->size, tangent = f->space->tangent * f->size;
        f->space->advance(f->size, tau, g1, carry1, g0, carry0, x);
        g1 += point;
        g0 += point;
        carry1 += tangent;
        carry0 += tangent;
        x += tangent;
    }
}
