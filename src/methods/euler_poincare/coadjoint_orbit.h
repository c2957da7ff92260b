/* Steps along coadjoint orbits: kernels. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_COADJOINT_H
#define METHODS_COADJOINT_H

#include "methods/euler_poincare/euler_poincare.h"

noe_outcome coadjoint_sw(struct noe_interval *interval, long count);
noe_outcome coadjoint_swp(struct noe_interval *interval, long count);
noe_outcome coadjoint_kr(struct noe_interval *interval, long count);
void coadjoint_sw_vary(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                       noe_real *dz1);
void coadjoint_swp_vary(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                        noe_real *dz1);
void coadjoint_kr_vary(struct noe_interval *interval, const noe_real *dz, const noe_real *du,
                       noe_real *dz1);

#endif
