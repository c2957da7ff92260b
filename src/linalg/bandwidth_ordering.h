/* Orderings of unknowns that reduce the bandwidth of a matrix. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_BANDWIDTH_ORDERING_H
#define LINALG_BANDWIDTH_ORDERING_H

#include <stdbool.h>

/* Writes into order[new] the old index of each of n unknowns, by the reverse Cuthill-McKee ordering
 * of the sparsity pattern with nz entries (row, col). False if a row and its column together have
 * more than `max` entries off the diagonal, or if memory runs out. */
bool ordering_narrow(int n, int nz, const int *row, const int *col, int max, int *order);

#endif
