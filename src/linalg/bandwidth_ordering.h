/* Orders of unknowns that bring a matrix's entries near its diagonal. */
/* SPDX-License-Identifier: MIT */
#ifndef LINALG_BANDWIDTH_ORDERING_H
#define LINALG_BANDWIDTH_ORDERING_H

#include <stdbool.h>

/* Writes into order the old numbers of n unknowns in their new order, by reverse Cuthill-McKee on
 * the pattern of nz entries (row, col). False if a row and its column have more than `most` entries
 * between them beside the diagonal, or if memory runs out. */
bool ordering_narrow(int n, int nz, const int *row, const int *col, int max, int *order);

#endif
