/* Loops by hand for systems with constraints, from (q, v) to (q, v). */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_HAND_CONSTRAINTS_H
#define BENCH_HAND_CONSTRAINTS_H

/* Double spherical pendulum (3 + 3 components), Chaplygin's sleigh (x, y of its centre,
 * heading). */
void hand_links(double h, long steps, double *q, double *v);
void hand_sleigh(double h, long steps, double *q, double *v);
/* A hanging chain of n links in the plane, two components per point; `work` has room for 10 n
 * numbers. */
void hand_chain_links(int n, double h, long steps, double *q, double *v, double *work);

#endif
