/* Methods on coadjoint orbits: kernels. */
/* SPDX-License-Identifier: MIT */
#ifndef METHODS_EULER_POINCARE_COADJOINT_ORBIT_H
#define METHODS_EULER_POINCARE_COADJOINT_ORBIT_H

#include "methods/euler_poincare/euler_poincare.h"

extern const struct kernel coadjoint_sw_kernel, coadjoint_swp_kernel, coadjoint_kr_kernel;
extern const struct scheme_tangent coadjoint_sw_tangent, coadjoint_swp_tangent;
extern const struct scheme_tangent coadjoint_kr_tangent;

#endif
