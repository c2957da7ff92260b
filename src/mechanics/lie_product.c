/* Stages of a step in the chart of its start. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/lie_product.h"

#include "spaces/vec3.h"

STEP_FOLDED void chart_enter(const struct chart *chart, int tau, const struct chart_stage *at,
                             const real *V) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int n = piece->size;
        const real *x = at->x + piece->tangent, *y = V + piece->tangent;
        real *v = at->v + piece->tangent;
        if (!piece->space) {
            v[0] = y[0];
            continue;
        }
        piece->space->dtau(tau, at->T + piece->square, x);
        piece->space->dtau_slope(tau, at->E + piece->square, x, y);
        small_zero(n, v);
        small_add_apply(n, n, v, 1, at->T + piece->square, y);
    }
}

/* N of one group: W + (Ad*_tau(-x) - 1) W. */
STEP_INLINE void chart_force_back(const struct chart_piece *piece, int tau, const real *x,
                                  const real *W, real *N) {
    real back[SMALL_MAX];
    for (int i = 0; i < piece->size; i++) back[i] = -x[i];
    piece->space->coadjoint_change(tau, N, back, W);
    for (int i = 0; i < piece->size; i++) N[i] += W[i];
}

STEP_FOLDED void chart_forces(const struct chart *chart, int tau, const struct chart_stage *at) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int n = piece->size, t = piece->tangent;
        const real *T = at->T + piece->square, *E = at->E + piece->square;
        if (!piece->space) {
            at->Pi[t] = at->P[t];
            at->F[t] = at->N[t] = at->W[t];
            continue;
        }
        small_zero(n, at->Pi + t);
        small_zero(n, at->F + t);
        small_add_dual(n, n, at->Pi + t, 1, T, at->P + t);
        small_add_dual(n, n, at->F + t, 1, T, at->W + t);
        small_add_dual(n, n, at->F + t, 1, E, at->P + t);
        chart_force_back(piece, tau, at->x + t, at->W + t, at->N + t);
    }
}

STEP_FOLDED void chart_frame_forces(const struct chart *chart, int tau,
                                    const struct chart_stage *at) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int t = piece->tangent;
        if (!piece->space) {
            at->Pi[t] = at->P[t];
            at->F[t] = at->N[t] = at->W[t];
            continue;
        }
        chart_force_back(piece, tau, at->x + t, at->P + t, at->Pi + t);
        chart_force_back(piece, tau, at->x + t, at->W + t, at->N + t);
        for (int i = t; i < t + piece->size; i++) at->F[i] = at->N[i];
    }
}

/* y = A M for a matrix M of the columns' piece; y = A on R^n. */
STEP_INLINE void chart_right(const struct chart_piece *col, int rows, real *y, const real *A,
                             const real *M) {
    const int n = col->size;
    for (int e = 0; e < rows * n; e++) y[e] = col->space ? real_of(0) : A[e];
    if (col->space) small_add_product(rows, n, n, y, A, M);
}

/* y = M^T A for a matrix M of the rows' piece; y = A on R^n. */
STEP_INLINE void chart_left(const struct chart_piece *row, int cols, real *y, const real *M,
                            const real *A) {
    const int n = row->size;
    for (int e = 0; e < cols * n; e++) y[e] = row->space ? real_of(0) : A[e];
    if (row->space) small_add_dual_product(n, n, cols, y, M, A);
}

/* A block of P_V, P_x, W_V, W_x: derivatives at the stage in V and in x,
 * P_V = p_v T,  P_x = p_v E + p_q T,  and the same of W. */
struct chart_slopes {
    real PV[SMALL_SQUARE], Px[SMALL_SQUARE], WV[SMALL_SQUARE], Wx[SMALL_SQUARE];
};

STEP_INLINE void chart_slopes(const struct chart *chart, const struct chart_stage *at, size_t nz,
                              const struct chart_block *block, struct chart_slopes *to) {
    const struct chart_piece *row = &chart->piece[block->row], *col = &chart->piece[block->col];
    const int n = row->size, m = col->size;
    const real *T = at->T + col->square, *E = at->E + col->square;
    real pv[SMALL_SQUARE], wv[SMALL_SQUARE], q[SMALL_SQUARE];
    chart_gather(chart, block, n * m, at->D, pv);
    chart_gather(chart, block, n * m, at->D + 2 * nz, wv);
    chart_right(col, n, to->PV, pv, T);
    chart_right(col, n, to->WV, wv, T);
    chart_gather(chart, block, n * m, at->D + nz, q);
    chart_right(col, n, to->Px, q, T);
    chart_gather(chart, block, n * m, at->D + 3 * nz, q);
    chart_right(col, n, to->Wx, q, T);
    if (!col->space) return;
    small_add_product(n, m, m, to->Px, pv, E);
    small_add_product(n, m, m, to->Wx, wv, E);
}

/* to -= B(m) T, for the derivative of Ad*_tau(-x) m. */
STEP_INLINE void chart_subtract_turn(const struct chart_piece *piece, const real *T, const real *m,
                                     real *to) {
    const int n = piece->size;
    real B[SMALL_SQUARE];
    piece->space->poisson(B, m + piece->tangent);
    for (int e = 0; e < n * n; e++) B[e] = -B[e];
    small_add_product(n, n, n, to, B, T + piece->square);
}

/* What stands on the diagonal besides: S(P) in Pi_x, S(P)^T in F_V, S(W) + H in F_x; W_x then
 * loses B(W) T, for N_x. */
STEP_INLINE void chart_diagonal(const struct chart_piece *piece, int tau,
                                const struct chart_stage *at, const real *V, real *Pix, real *FV,
                                real *Fx, real *Wx) {
    const struct noe_space *space = piece->space;
    const int n = piece->size, t = piece->tangent;
    real S[SMALL_SQUARE];
    space->dtau_dual_slope(tau, S, at->x + t, at->P + t);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Pix[i * n + j] += S[i * n + j];
            FV[i * n + j] += S[j * n + i];
        }
    space->dtau_dual_slope(tau, S, at->x + t, at->W + t);
    for (int e = 0; e < n * n; e++) Fx[e] += S[e];
    space->dtau_hessian(tau, S, at->x + t, V + t, at->P + t);
    for (int e = 0; e < n * n; e++) Fx[e] += S[e];
    chart_subtract_turn(piece, at->T, at->W, Wx);
}

/* Pi_V = T^T P_V, Pi_x = T^T P_x + S(P), F_V = T^T W_V + E^T P_V + S(P)^T,
 * F_x = T^T W_x + E^T P_x + S(W) + H, N_V = Ad^T W_V, N_x = Ad^T (W_x - B(W) T), Ad = Ad_tau(-x).
 */
STEP_INLINE void chart_derive_block(const struct chart *chart, int tau,
                                    const struct chart_stage *at, size_t nz,
                                    const struct chart_block *block, const real *V) {
    const struct chart_piece *row = &chart->piece[block->row], *col = &chart->piece[block->col];
    const int n = row->size, m = col->size;
    const real *T = at->T + row->square, *E = at->E + row->square;
    real *PiV = at->C + block->first, *Pix = PiV + chart->nz, *FV = Pix + chart->nz,
         *Fx = FV + chart->nz, *NV = at->M + block->first, *Nx = NV + chart->nz;
    struct chart_slopes slopes;
    chart_slopes(chart, at, nz, block, &slopes);
    chart_left(row, m, PiV, T, slopes.PV);
    chart_left(row, m, Pix, T, slopes.Px);
    chart_left(row, m, FV, T, slopes.WV);
    chart_left(row, m, Fx, T, slopes.Wx);
    if (!row->space) {
        chart_left(row, m, NV, T, slopes.WV);
        chart_left(row, m, Nx, T, slopes.Wx);
        return;
    }
    real Ad[SMALL_SQUARE], back[SMALL_MAX];
    for (int i = 0; i < n; i++) back[i] = -at->x[row->tangent + i];
    row->space->adjoint(tau, Ad, back);
    small_add_dual_product(n, n, m, FV, E, slopes.PV);
    small_add_dual_product(n, n, m, Fx, E, slopes.Px);
    if (block->row == block->col) chart_diagonal(row, tau, at, V, Pix, FV, Fx, slopes.Wx);
    chart_left(row, m, NV, Ad, slopes.WV);
    chart_left(row, m, Nx, Ad, slopes.Wx);
}

/* Pi_V = Ad^T P_V, Pi_x = Ad^T (P_x - B(P) T), the same of N, and F = N: one block. */
STEP_INLINE void chart_frame_block(const struct chart *chart, int tau, const struct chart_stage *at,
                                   size_t nz, const struct chart_block *block) {
    const struct chart_piece *row = &chart->piece[block->row], *col = &chart->piece[block->col];
    const int n = row->size, m = col->size, first = block->first;
    real *C = at->C + first, *M = at->M + first;
    struct chart_slopes slopes;
    real Ad[SMALL_SQUARE], back[SMALL_MAX];
    chart_slopes(chart, at, nz, block, &slopes);
    if (row->space && block->row == block->col) {
        chart_subtract_turn(row, at->T, at->P, slopes.Px);
        chart_subtract_turn(row, at->T, at->W, slopes.Wx);
    }
    for (int i = 0; i < n; i++) back[i] = -at->x[row->tangent + i];
    if (row->space) row->space->adjoint(tau, Ad, back);
    chart_left(row, m, C, Ad, slopes.PV);
    chart_left(row, m, C + chart->nz, Ad, slopes.Px);
    chart_left(row, m, M, Ad, slopes.WV);
    chart_left(row, m, M + chart->nz, Ad, slopes.Wx);
    for (int e = 0; e < n * m; e++) {
        C[2 * chart->nz + e] = M[e];
        C[3 * chart->nz + e] = M[chart->nz + e];
    }
}

STEP_FOLDED void chart_frame_derivatives(const struct chart *chart, int tau,
                                         const struct chart_stage *at, size_t nz) {
    for (int b = 0; b < chart->nblocks; b++)
        chart_frame_block(chart, tau, at, nz, &chart->block[b]);
}

STEP_FOLDED void chart_derivatives(const struct chart *chart, int tau, const struct chart_stage *at,
                                   size_t nz, const real *V) {
    for (int b = 0; b < chart->nblocks; b++)
        chart_derive_block(chart, tau, at, nz, &chart->block[b], V);
}

STEP_FOLDED void chart_part(const struct chart *chart, const struct chart_block *block,
                            const real *part, const real *T, real *values) {
    const struct chart_piece *col = &chart->piece[block->col];
    const int n = chart->piece[block->row].size, m = col->size;
    real A[SMALL_SQUARE];
    chart_gather(chart, block, n * m, part, T ? A : values);
    if (T) chart_right(col, n, values, A, T + col->square);
}

STEP_FOLDED void chart_bracket_matrix(const struct chart_piece *piece, const real *v, real *A) {
    const int n = piece->size;
    for (int j = 0; j < n; j++) {
        real unit[SMALL_MAX], B[SMALL_SQUARE], column[SMALL_MAX];
        small_zero(SMALL_MAX, unit);
        unit[j] = real_of(1);
        piece->space->poisson(B, unit);
        small_zero(n, column);
        small_add_apply(n, n, column, 1, B, v);
        for (int i = 0; i < n; i++) A[i * n + j] = column[i];
    }
}

STEP_FOLDED void chart_add_bracket(const struct chart *chart, const real *v, const real *m,
                                   real *y) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int n = piece->size, t = piece->tangent;
        real B[SMALL_SQUARE];
        if (!piece->space) continue;
        if (n == 3) {
            three_cross(B, m + t, v + t);
            three_add(y + t, real_of(1), B);
            continue;
        }
        piece->space->poisson(B, m + t);
        small_add_apply(n, n, y + t, 1, B, v + t);
    }
}

STEP_FOLDED void chart_apply(const struct chart *chart, real *y, const real *A, const real *x) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int n = piece->size, t = piece->tangent;
        for (int i = 0; i < n; i++) y[t + i] = piece->space ? real_of(0) : x[t + i];
        if (piece->space) small_add_apply(n, n, y + t, 1, A + piece->square, x + t);
    }
}

STEP_FOLDED void chart_apply_dual(const struct chart *chart, real *y, const real *A,
                                  const real *x) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int n = piece->size, t = piece->tangent;
        for (int i = 0; i < n; i++) y[t + i] = piece->space ? real_of(0) : x[t + i];
        if (piece->space) small_add_dual(n, n, y + t, 1, A + piece->square, x + t);
    }
}

STEP_FOLDED void chart_add_product(const struct chart *chart, scalar factor, const real *values,
                                   const real *x, real *y) {
    for (int b = 0; b < chart->nblocks; b++) {
        const struct chart_block *block = &chart->block[b];
        const struct chart_piece *row = &chart->piece[block->row], *col = &chart->piece[block->col];
        small_add_apply(row->size, col->size, y + row->tangent, factor, values + block->first,
                        x + col->tangent);
    }
}

STEP_FOLDED void chart_tangent(const struct chart *chart, int tau, real *T, const real *x) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        if (piece->space) piece->space->dtau(tau, T + piece->square, x + piece->tangent);
    }
}

STEP_FOLDED void chart_tangent_back(const struct chart *chart, int tau, real *T, const real *x) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        real back[SMALL_MAX];
        if (!piece->space) continue;
        for (int i = 0; i < piece->size; i++) back[i] = -x[piece->tangent + i];
        piece->space->dtau(tau, T + piece->square, back);
    }
}

STEP_FOLDED void chart_tangent_inverse(const struct chart *chart, int tau, real *T, const real *x) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        if (piece->space) piece->space->dtau_inverse(tau, T + piece->square, x + piece->tangent);
    }
}

STEP_FOLDED void chart_turn(const struct chart *chart, int tau, const real *x, const real *m,
                            real *dp) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        const int t = piece->tangent;
        real change[SMALL_MAX];
        if (!piece->space) continue;
        piece->space->coadjoint_change(tau, change, x + t, m + t);
        for (int i = 0; i < piece->size; i++) dp[t + i] += change[i];
    }
}

STEP_FOLDED real chart_reach(const struct chart *chart, int tau, const real *x, real reach) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        if (piece->space) reach = real_larger(reach, piece->space->reach(tau, x + piece->tangent));
    }
    return reach;
}

/* Ad_tau(x)^-1 of one group. Blocks of Ad are R, or R and a^ R where it moves by (R, a); those of
 * its inverse are their transposes, also where tau(-x) is not tau(x)^-1. */
void chart_piece_adjoint_back(const struct chart_piece *piece, int tau, const real *x, real *Ad) {
    const int n = piece->size;
    real A[SMALL_SQUARE];
    piece->space->adjoint(tau, A, x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) Ad[i * n + j] = A[(i - i % 3 + j % 3) * n + j - j % 3 + i % 3];
}

void chart_adjoint_back(const struct chart *chart, int tau, real *Ad, const real *x) {
    for (int k = 0; k < chart->npieces; k++) {
        const struct chart_piece *piece = &chart->piece[k];
        if (piece->space)
            chart_piece_adjoint_back(piece, tau, x + piece->tangent, Ad + piece->square);
    }
}
