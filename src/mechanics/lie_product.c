/* Stages of a step on a product of Lie groups, in the canonical coordinates x -> g tau(x) at its
 * start. */
/* SPDX-License-Identifier: MIT */
#include "mechanics/lie_product.h"

#include "linalg/dense.h"
#include "spaces/vec3.h"

STEP_FOLDED void lie_stage_enter(const struct lie_product *lie_product, int tau,
                                 const struct lie_stage *at, const real *V) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        const int n = piece->size;
        const real *x = at->x + piece->tangent, *y = V + piece->tangent;
        real *v = at->v + piece->tangent;
        if (!piece->space) {
            v[0] = y[0];
            continue;
        }
        piece->space->maps.dtau(tau, at->T + piece->square, x);
        piece->space->maps.dtau_derivative(tau, at->E + piece->square, x, y);
        small_zero(n, v);
        small_add_apply(n, n, v, 1, at->T + piece->square, y);
    }
}

/* N of one group: W + (Ad*_tau(-x) - 1) W. */
REAL_INLINE void lie_product_force_back(const struct lie_factor *piece, int tau, const real *x,
                                        const real *W, real *N) {
    real back[SMALL_MAX];
    for (int i = 0; i < piece->size; i++) back[i] = -x[i];
    piece->space->maps.coadjoint_change(tau, N, back, W);
    for (int i = 0; i < piece->size; i++) N[i] += W[i];
}

STEP_FOLDED void lie_product_forces(const struct lie_product *lie_product, int tau,
                                    const struct lie_stage *at) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
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
        lie_product_force_back(piece, tau, at->x + t, at->W + t, at->N + t);
    }
}

STEP_FOLDED void lie_product_frame_forces(const struct lie_product *lie_product, int tau,
                                          const struct lie_stage *at) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        const int t = piece->tangent;
        if (!piece->space) {
            at->Pi[t] = at->P[t];
            at->F[t] = at->N[t] = at->W[t];
            continue;
        }
        lie_product_force_back(piece, tau, at->x + t, at->P + t, at->Pi + t);
        lie_product_force_back(piece, tau, at->x + t, at->W + t, at->N + t);
        for (int i = t; i < t + piece->size; i++) at->F[i] = at->N[i];
    }
}

/* y = A M for a matrix M of the column factor; y = A on R^n. */
REAL_INLINE void lie_product_right(const struct lie_factor *col, int rows, real *y, const real *A,
                                   const real *M) {
    const int n = col->size;
    for (int e = 0; e < rows * n; e++) y[e] = col->space ? real_broadcast(0) : A[e];
    if (col->space) small_add_product(rows, n, n, y, A, M);
}

/* y = M^T A for a matrix M of the row factor; y = A on R^n. */
REAL_INLINE void lie_product_left(const struct lie_factor *row, int cols, real *y, const real *M,
                                  const real *A) {
    const int n = row->size;
    for (int e = 0; e < cols * n; e++) y[e] = row->space ? real_broadcast(0) : A[e];
    if (row->space) small_add_dual_product(n, n, cols, y, M, A);
}

/* A block of P_V, P_x, W_V, W_x, the derivatives at the stage by V and by x: P_V = p_v T, P_x = p_v
 * E + p_q T, and likewise for W. */
struct lie_product_derivatives {
    real PV[SMALL_SQUARE], Px[SMALL_SQUARE], WV[SMALL_SQUARE], Wx[SMALL_SQUARE];
};

REAL_INLINE void lie_product_derivatives(const struct lie_product *lie_product,
                                         const struct lie_stage *at, size_t nz,
                                         const struct lie_block *block,
                                         struct lie_product_derivatives *to) {
    const struct lie_factor *row = &lie_product->piece[block->row],
                            *col = &lie_product->piece[block->col];
    const int n = row->size, m = col->size;
    const real *T = at->T + col->square, *E = at->E + col->square;
    real pv[SMALL_SQUARE], wv[SMALL_SQUARE], q[SMALL_SQUARE];
    lie_product_gather(lie_product, block, n * m, at->D, pv);
    lie_product_gather(lie_product, block, n * m, at->D + 2 * nz, wv);
    lie_product_right(col, n, to->PV, pv, T);
    lie_product_right(col, n, to->WV, wv, T);
    lie_product_gather(lie_product, block, n * m, at->D + nz, q);
    lie_product_right(col, n, to->Px, q, T);
    lie_product_gather(lie_product, block, n * m, at->D + 3 * nz, q);
    lie_product_right(col, n, to->Wx, q, T);
    if (!col->space) return;
    small_add_product(n, m, m, to->Px, pv, E);
    small_add_product(n, m, m, to->Wx, wv, E);
}

/* to -= B(m) T, a term of the derivative of Ad*_tau(-x) m. */
REAL_INLINE void lie_product_subtract_coadjoint_change(const struct lie_factor *piece,
                                                       const real *T, const real *m, real *to) {
    const int n = piece->size;
    real B[SMALL_SQUARE];
    piece->space->maps.poisson(B, m + piece->tangent);
    for (int e = 0; e < n * n; e++) B[e] = -B[e];
    small_add_product(n, n, n, to, B, T + piece->square);
}

/* Adds the terms of the diagonal blocks: S(P) in Pi_x, S(P)^T in F_V, S(W) + H in F_x. Then
 * subtracts B(W) T from W_x for N_x. */
REAL_INLINE void lie_product_diagonal(const struct lie_factor *piece, int tau,
                                      const struct lie_stage *at, const real *V, real *Pix,
                                      real *FV, real *Fx, real *Wx) {
    const struct noe_space *space = piece->space;
    const int n = piece->size, t = piece->tangent;
    real S[SMALL_SQUARE];
    space->maps.dtau_dual_derivative(tau, S, at->x + t, at->P + t);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            Pix[i * n + j] += S[i * n + j];
            FV[i * n + j] += S[j * n + i];
        }
    space->maps.dtau_dual_derivative(tau, S, at->x + t, at->W + t);
    for (int e = 0; e < n * n; e++) Fx[e] += S[e];
    space->maps.dtau_hessian(tau, S, at->x + t, V + t, at->P + t);
    for (int e = 0; e < n * n; e++) Fx[e] += S[e];
    lie_product_subtract_coadjoint_change(piece, at->T, at->W, Wx);
}

/* Pi_V = T^T P_V, Pi_x = T^T P_x + S(P), F_V = T^T W_V + E^T P_V + S(P)^T,
 * F_x = T^T W_x + E^T P_x + S(W) + H, N_V = Ad^T W_V, N_x = Ad^T (W_x - B(W) T), Ad = Ad_tau(-x).
 */
REAL_INLINE void lie_product_derive_block(const struct lie_product *lie_product, int tau,
                                          const struct lie_stage *at, size_t nz,
                                          const struct lie_block *block, const real *V) {
    const struct lie_factor *row = &lie_product->piece[block->row],
                            *col = &lie_product->piece[block->col];
    const int n = row->size, m = col->size;
    const real *T = at->T + row->square, *E = at->E + row->square;
    real *PiV = at->C + block->first, *Pix = PiV + lie_product->nz, *FV = Pix + lie_product->nz,
         *Fx = FV + lie_product->nz, *NV = at->M + block->first, *Nx = NV + lie_product->nz;
    struct lie_product_derivatives slopes;
    lie_product_derivatives(lie_product, at, nz, block, &slopes);
    lie_product_left(row, m, PiV, T, slopes.PV);
    lie_product_left(row, m, Pix, T, slopes.Px);
    lie_product_left(row, m, FV, T, slopes.WV);
    lie_product_left(row, m, Fx, T, slopes.Wx);
    if (!row->space) {
        lie_product_left(row, m, NV, T, slopes.WV);
        lie_product_left(row, m, Nx, T, slopes.Wx);
        return;
    }
    real Ad[SMALL_SQUARE], back[SMALL_MAX];
    for (int i = 0; i < n; i++) back[i] = -at->x[row->tangent + i];
    row->space->maps.adjoint(tau, Ad, back);
    small_add_dual_product(n, n, m, FV, E, slopes.PV);
    small_add_dual_product(n, n, m, Fx, E, slopes.Px);
    if (block->row == block->col) lie_product_diagonal(row, tau, at, V, Pix, FV, Fx, slopes.Wx);
    lie_product_left(row, m, NV, Ad, slopes.WV);
    lie_product_left(row, m, Nx, Ad, slopes.Wx);
}

/* One block of Pi_V = Ad^T P_V and Pi_x = Ad^T (P_x - B(P) T), likewise for N, and F = N. */
REAL_INLINE void lie_product_frame_block(const struct lie_product *lie_product, int tau,
                                         const struct lie_stage *at, size_t nz,
                                         const struct lie_block *block) {
    const struct lie_factor *row = &lie_product->piece[block->row],
                            *col = &lie_product->piece[block->col];
    const int n = row->size, m = col->size, first = block->first;
    real *C = at->C + first, *M = at->M + first;
    struct lie_product_derivatives slopes;
    real Ad[SMALL_SQUARE], back[SMALL_MAX];
    lie_product_derivatives(lie_product, at, nz, block, &slopes);
    if (row->space && block->row == block->col) {
        lie_product_subtract_coadjoint_change(row, at->T, at->P, slopes.Px);
        lie_product_subtract_coadjoint_change(row, at->T, at->W, slopes.Wx);
    }
    for (int i = 0; i < n; i++) back[i] = -at->x[row->tangent + i];
    if (row->space) row->space->maps.adjoint(tau, Ad, back);
    lie_product_left(row, m, C, Ad, slopes.PV);
    lie_product_left(row, m, C + lie_product->nz, Ad, slopes.Px);
    lie_product_left(row, m, M, Ad, slopes.WV);
    lie_product_left(row, m, M + lie_product->nz, Ad, slopes.Wx);
    for (int e = 0; e < n * m; e++) {
        C[2 * lie_product->nz + e] = M[e];
        C[3 * lie_product->nz + e] = M[lie_product->nz + e];
    }
}

STEP_FOLDED void lie_product_frame_derivatives(const struct lie_product *lie_product, int tau,
                                               const struct lie_stage *at, size_t nz) {
    for (int b = 0; b < lie_product->nblocks; b++)
        lie_product_frame_block(lie_product, tau, at, nz, &lie_product->block[b]);
}

STEP_FOLDED void lie_product_system_derivatives(const struct lie_product *lie_product, int tau,
                                                const struct lie_stage *at, size_t nz,
                                                const real *V) {
    for (int b = 0; b < lie_product->nblocks; b++)
        lie_product_derive_block(lie_product, tau, at, nz, &lie_product->block[b], V);
}

STEP_FOLDED void lie_product_block(const struct lie_product *lie_product,
                                   const struct lie_block *block, const real *part, const real *T,
                                   real *values) {
    const struct lie_factor *col = &lie_product->piece[block->col];
    const int n = lie_product->piece[block->row].size, m = col->size;
    real A[SMALL_SQUARE];
    lie_product_gather(lie_product, block, n * m, part, T ? A : values);
    if (T) lie_product_right(col, n, values, A, T + col->square);
}

STEP_FOLDED void lie_product_bracket_matrix(const struct lie_factor *piece, const real *v,
                                            real *A) {
    const int n = piece->size;
    for (int j = 0; j < n; j++) {
        real unit[SMALL_MAX], B[SMALL_SQUARE], column[SMALL_MAX];
        small_zero(SMALL_MAX, unit);
        unit[j] = real_broadcast(1);
        piece->space->maps.poisson(B, unit);
        small_zero(n, column);
        small_add_apply(n, n, column, 1, B, v);
        for (int i = 0; i < n; i++) A[i * n + j] = column[i];
    }
}

STEP_FOLDED void lie_product_add_bracket(const struct lie_product *lie_product, const real *v,
                                         const real *m, real *y) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        const int n = piece->size, t = piece->tangent;
        real B[SMALL_SQUARE];
        if (!piece->space) continue;
        if (piece->space->kind.algebra == NOE_ALGEBRA_SO3) {
            vec3_cross(B, m + t, v + t);
            vec3_add(y + t, real_broadcast(1), B);
            continue;
        }
        piece->space->maps.poisson(B, m + t);
        small_add_apply(n, n, y + t, 1, B, v + t);
    }
}

STEP_FOLDED void lie_product_apply(const struct lie_product *lie_product, real *y, const real *A,
                                   const real *x) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        const int n = piece->size, t = piece->tangent;
        for (int i = 0; i < n; i++) y[t + i] = piece->space ? real_broadcast(0) : x[t + i];
        if (piece->space) small_add_apply(n, n, y + t, 1, A + piece->square, x + t);
    }
}

STEP_FOLDED void lie_product_apply_transpose(const struct lie_product *lie_product, real *y,
                                             const real *A, const real *x) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        const int n = piece->size, t = piece->tangent;
        for (int i = 0; i < n; i++) y[t + i] = piece->space ? real_broadcast(0) : x[t + i];
        if (piece->space) small_add_dual(n, n, y + t, 1, A + piece->square, x + t);
    }
}

STEP_FOLDED void lie_product_add_product(const struct lie_product *lie_product, scalar factor,
                                         const real *values, const real *x, real *y) {
    for (int b = 0; b < lie_product->nblocks; b++) {
        const struct lie_block *block = &lie_product->block[b];
        const struct lie_factor *row = &lie_product->piece[block->row],
                                *col = &lie_product->piece[block->col];
        small_add_apply(row->size, col->size, y + row->tangent, factor, values + block->first,
                        x + col->tangent);
    }
}

STEP_FOLDED void lie_product_dtau(const struct lie_product *lie_product, int tau, real *T,
                                  const real *x) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        if (piece->space) piece->space->maps.dtau(tau, T + piece->square, x + piece->tangent);
    }
}

STEP_FOLDED void lie_product_dtau_minus(const struct lie_product *lie_product, int tau, real *T,
                                        const real *x) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        real back[SMALL_MAX];
        if (!piece->space) continue;
        for (int i = 0; i < piece->size; i++) back[i] = -x[piece->tangent + i];
        piece->space->maps.dtau(tau, T + piece->square, back);
    }
}

STEP_FOLDED void lie_product_tangent_inverse(const struct lie_product *lie_product, int tau,
                                             real *T, const real *x) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        if (piece->space)
            piece->space->maps.dtau_inverse(tau, T + piece->square, x + piece->tangent);
    }
}

STEP_FOLDED void lie_product_coadjoint_change(const struct lie_product *lie_product, int tau,
                                              const real *x, const real *m, real *dp) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        const int t = piece->tangent;
        real change[SMALL_MAX];
        if (!piece->space) continue;
        piece->space->maps.coadjoint_change(tau, change, x + t, m + t);
        for (int i = 0; i < piece->size; i++) dp[t + i] += change[i];
    }
}

STEP_FOLDED real lie_product_load(const struct lie_product *lie_product, int tau, const real *x,
                                  real retraction_load) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        if (piece->space)
            retraction_load = real_max(retraction_load,
                                       piece->space->maps.retraction_load(tau, x + piece->tangent));
    }
    return retraction_load;
}

/* B = A^-1 by Gaussian elimination. */
static void lie_factor_invert(int n, real *A, real *B) {
    lane_index pivot[SMALL_MAX];
    dense_factor(n, A, pivot);
    for (int j = 0; j < n; j++) {
        real column[SMALL_MAX];
        small_zero(n, column);
        column[j] = real_broadcast(1);
        dense_solve(n, column, A, pivot);
        for (int i = 0; i < n; i++) B[i * n + j] = column[i];
    }
}

/* Ad_tau(x)^-1 of one group, even if tau(-x) is not tau(x)^-1. On rotations and poses the blocks of
 * Ad are R and a^ R for a motion (R, a), and the blocks of the inverse are their transposes. */
void lie_factor_adjoint_back(const struct lie_factor *piece, int tau, const real *x, real *Ad) {
    const int n = piece->size;
    real A[SMALL_SQUARE];
    piece->space->maps.adjoint(tau, A, x);
    if (piece->space->kind.algebra == NOE_ALGEBRA_OTHER) {
        lie_factor_invert(n, A, Ad);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) Ad[i * n + j] = A[(i - i % 3 + j % 3) * n + j - j % 3 + i % 3];
}

void lie_product_adjoint_back(const struct lie_product *lie_product, int tau, real *Ad,
                              const real *x) {
    for (int k = 0; k < lie_product->npieces; k++) {
        const struct lie_factor *piece = &lie_product->piece[k];
        if (piece->space)
            lie_factor_adjoint_back(piece, tau, x + piece->tangent, Ad + piece->square);
    }
}
