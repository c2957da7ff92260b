/* Steps along coadjoint orbits: kernels. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_EULER_POINCARE_COADJOINT_ORBIT_H
#define METHODS_EULER_POINCARE_COADJOINT_ORBIT_H

#include "methods/euler_poincare/euler_poincare.h"

noe_lane_status coadjoint_sw(struct noe_interval *interval, long count);
noe_lane_status coadjoint_swp(struct noe_interval *interval, long count);
noe_lane_status coadjoint_kr(struct noe_interval *interval, long count);
void coadjoint_sw_update_tangent(struct noe_interval *interval, const noe_real *dz,
                                 const noe_real *du, noe_real *dz1);
void coadjoint_swp_update_tangent(struct noe_interval *interval, const noe_real *dz,
                                  const noe_real *du, noe_real *dz1);
void coadjoint_kr_update_tangent(struct noe_interval *interval, const noe_real *dz,
                                 const noe_real *du, noe_real *dz1);

#endif
