/* The condition number of an energy-adaptive step: the study of Sharma (2020), Figure 3.7, on a
 * particle in a double well. The step size h is solved for with the velocity v,
 *     F = v + (h/2) V'(x) - p = 0,   G = v^2/2 + V(x) - E = 0,   x = q + hv/2,
 * and the condition number of d(F,G)/d(v,h) grows as 1/h. It stays bounded if G is replaced by
 * the energy defect e = H(q,p) - E over h^2, written without cancellation, and h by log h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether_model.h>
#include <stdbool.h>
#include <stdio.h>

static double slope(double q) { return 2 * q * q * q - q; }
static double quadratic_remainder(double q) { return 6 * q * q - 1; }

/* The condition number of a 2 x 2 matrix: the ratio of its singular values. */
static double condition(double a, double b, double c, double d) {
    const double squares = a * a + b * b + c * c + d * d, area = fabs(a * d - b * c);
    return (squares + sqrt(fmax(squares * squares - 4 * area * area, 0))) / (2 * area);
}

/* The condition numbers of both forms at one step. */
static void conditions(double q, double v, double h, double *plain, double *scaled) {
    const double x = q + h * v / 2, V1 = slope(x), V2 = quadratic_remainder(x);
    const double Fv = 1 + h * h / 4 * V2, Fh = V1 / 2 + h * v / 4 * V2, p = v + h / 2 * V1;
    const double ev = V2 * p / 4, eh = (v * v * V2 + V1 * V1) / 4 + h * v * V1 * V2 / 8;
    *plain = condition(Fv, Fh, p, v / 2 * V1);
    *scaled = condition(Fv, h * Fh, ev, eh);
}

struct range {
    double min, max;
};

static void extend(struct range *range, double x) {
    range->min = fmin(range->min, x);
    range->max = fmax(range->max, x);
}

/* Condition numbers of the steps from rest at q0, the first of size h0, to time 10. Writes a
 * line for each step to `out` if it is not NULL. */
static enum noe_status study(struct noe_work *work, double q0, FILE *out, struct range *plain,
                             struct range *scaled) {
    const double rest = 0;
    enum noe_status status = noe_work_start(work, 0, &q0, &rest, NULL);
    while (status == NOE_OK && noe_work_state(work)->t < 10) {
        const double q = noe_work_state(work)->q[0];
        status = noe_work_step(work, NULL);
        if (status != NOE_OK) break;
        const struct noe_state *now = noe_work_state(work);
        double one, other;
        conditions(q, (now->q[0] - q) / now->h, now->h, &one, &other);
        extend(plain, one);
        extend(scaled, other);
        if (out) fprintf(out, "%.6g %.6g %.6g\n", now->t, one, other);
    }
    if (out) fputs("\n\n", out);
    return status;
}

/* One start and first step size: a row of the table. */
static bool row(const struct noe_model *model, double q0, double h0, FILE *out) {
    struct noe_problem problem;
    struct noe_work *work;
    struct range plain = {INFINITY, 0}, scaled = {INFINITY, 0};
    if (noe_problem_init(&problem, model->system, "energy-midpoint", h0, NULL) != NOE_OK)
        return false;
    bool is_good = noe_work_create(&work, &problem, NULL) == NOE_OK;
    if (is_good) {
        is_good = study(work, q0, out, &plain, &scaled) == NOE_OK;
        noe_work_free(work);
    }
    noe_problem_clear(&problem);
    printf("  %-6g %-8g %8.3g .. %-8.3g   %8.3g     %8.3g .. %.3g\n", q0, h0, plain.min, plain.max,
           plain.max * h0, scaled.min, scaled.max);
    return is_good;
}

/* condition [FILE]: prints the table; writes the values of every step to FILE, run after run. */
int main(int argc, char **argv) {
    static const char text[] = "coord q\nL = q'^2/2 - (q^4 - q^2)/2\n";
    const struct noe_model_settings settings = {0};
    struct noe_model *model;
    struct noe_error error;
    if (noe_model_open_text(&model, "double well", text, &settings, &error) != NOE_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    bool is_good = argc < 2 || out;
    printf("  q0     h0       d(F,G)/d(v,h)          times h0     with e and log h\n");
    for (int i = 0; i < 6; i++)
        is_good &= row(model, i < 3 ? 0.74 : 0.995, pow(10, -1 - i % 3), out);
    if (out && fclose(out) != 0) is_good = false;
    noe_model_free(model);
    return !is_good;
}
