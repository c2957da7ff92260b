/* How ill-conditioned is a step that keeps its discrete energy? The study of Sharma (2020), Figure
 * 3.7, on a particle in a double well: the step's length h is solved for with its velocity v,
 *     F = v + (h/2) V'(x) - p = 0,   G = v^2/2 + V(x) - E = 0,   x = q + hv/2,
 * and the condition number of d(F,G)/d(v,h) grows as 1/h. With the energy defect e = H(q,p) - E,
 * written without cancellation, over h^2 in place of G, and log h in place of h, it does not. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether.h>
#include <stdio.h>

static double V(double q) { return (q * q * q * q - q * q) / 2; }
static double slope(double q) { return 2 * q * q * q - q; }
static double bend(double q) { return 6 * q * q - 1; }

/* Of a matrix 2 x 2: the quotient of its singular values. */
static double condition(double a, double b, double c, double d) {
    const double squares = a * a + b * b + c * c + d * d, area = fabs(a * d - b * c);
    return (squares + sqrt(fmax(squares * squares - 4 * area * area, 0))) / (2 * area);
}

/* The condition numbers of both forms at one step. */
static void conditions(double q, double v, double h, double *plain, double *scaled) {
    const double x = q + h * v / 2, V1 = slope(x), V2 = bend(x);
    const double Fv = 1 + h * h / 4 * V2, Fh = V1 / 2 + h * v / 4 * V2, p = v + h / 2 * V1;
    const double ev = V2 * p / 4, eh = (v * v * V2 + V1 * V1) / 4 + h * v * V1 * V2 / 8;
    *plain = condition(Fv, Fh, p, v / 2 * V1);
    *scaled = condition(Fv, h * Fh, ev, eh);
}

struct range {
    double least, most;
};

static void extend(struct range *range, double x) {
    range->least = fmin(range->least, x);
    range->most = fmax(range->most, x);
}

/* The discrete energy of the last step, which began at q and had length h; and its velocity. */
static double energy(const struct noe_work *work, double q, double h, double *v) {
    *v = (noe_now(work)->q[0] - q) / h;
    return *v * *v / 2 + V(q + h * *v / 2);
}

/* One step whose length keeps the discrete energy E, by the secant method on log h: the last step
 * is taken again and again. h is a guess, then the length. */
static enum noe_status step(struct noe_work *work, double E, double *h, double *v) {
    const double q = noe_now(work)->q[0];
    double before = *h * 0.99, now = *h;
    enum noe_status status = noe_step_by(work, before, NULL);
    double wrong_before = energy(work, q, before, v) - E;
    for (int i = 0; i < 40 && status == NOE_OK; i++) {
        status = noe_step_retake(work, now, NULL);
        const double wrong = energy(work, q, now, v) - E;
        *h = now;
        if (fabs(wrong) < 2e-16 || wrong == wrong_before) break;
        const double change = -wrong * log(now / before) / (wrong - wrong_before);
        before = now;
        wrong_before = wrong;
        now *= exp(fmax(-0.5, fmin(0.5, change)));
    }
    return status;
}

/* Condition numbers from rest at q0, with first step h0, to time 10. */
static enum noe_status study(struct noe_work *work, double q0, double h0, struct range *plain,
                             struct range *scaled) {
    const double rest = 0;
    double h = h0, v, E = 0;
    enum noe_status status = noe_start(work, 0, &q0, &rest, NULL);
    while (status == NOE_OK && noe_now(work)->t < 10) {
        const double q = noe_now(work)->q[0];
        if (noe_now(work)->k == 0) { /* the first step says what the discrete energy is */
            status = noe_step_by(work, h, NULL);
            E = energy(work, q, h, &v);
        } else {
            status = step(work, E, &h, &v);
        }
        double one, other;
        conditions(q, v, h, &one, &other);
        extend(plain, one);
        extend(scaled, other);
    }
    return status;
}

int main(void) {
    static const char text[] = "coord q\nL = q'^2/2 - (q^4 - q^2)/2\n";
    const struct noe_model_settings settings = {0};
    struct noe_model *model;
    struct noe_problem problem;
    struct noe_work *work;
    struct noe_error error;
    if (noe_model_open_text(&model, "double well", text, &settings, &error) != NOE_OK ||
        noe_problem_init(&problem, model->system, "midpoint", 0.1, &error) != NOE_OK ||
        noe_work_create(&work, &problem, &error) != NOE_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int failures = 0;
    printf("  q0     h0       d(F,G)/d(v,h)          times h0     with e and log h\n");
    for (int i = 0; i < 6; i++) {
        const double q0 = i < 3 ? 0.74 : 0.995, h0 = pow(10, -1 - i % 3);
        struct range plain = {INFINITY, 0}, scaled = {INFINITY, 0};
        failures += study(work, q0, h0, &plain, &scaled) != NOE_OK;
        printf("  %-6g %-8g %8.3g .. %-8.3g   %8.3g     %8.3g .. %.3g\n", q0, h0, plain.least,
               plain.most, plain.most * h0, scaled.least, scaled.most);
    }
    noe_work_free(work);
    noe_problem_clear(&problem);
    noe_model_free(model);
    return failures > 0;
}
