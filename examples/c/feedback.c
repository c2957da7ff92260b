/* Feedback in a loop of one's own: a controller reads the state after every step and sets the force
 * on a cart, a parameter of the model, so that the pole on it stays upright. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether_model.h>
#include <stdio.h>

static const char text[] = "param M = 2, m = 0.2, l = 0.5, g = 9.81, F = 0.5\n"
                           "coord x, a\n"
                           "L = (M + m)*x'^2/2 + m*l*x'*a'*cos(a) + m*l^2*a'^2/2 - m*g*l*cos(a)\n"
                           "force x = F\n"
                           "start a = 0.3\n";

/* The force that state feedback demands: one gain for each of x, a, x', a'. */
static double controller(const double *q, const double *v) {
    return 4 * q[0] + 90 * q[1] + 8 * v[0] + 20 * v[1];
}

static enum noe_status balance(struct noe_work *work, const struct noe_model *model,
                               struct noe_error *error) {
    const int force = noe_model_parameter_index(model, "F");
    enum noe_status status = noe_work_start(work, 0, model->q, model->v, error);
    for (int k = 0; k < 1500 && status == NOE_OK; k++) {
        struct noe_observation now;
        status = noe_work_observe(work, &now, error);
        if (status != NOE_OK) break;
        const double *q = noe_work_state(work)->q, F = controller(q, now.v);
        if (k % 250 == 0) printf("t = %5.2f   x = %8.5f   angle = %8.5f\n", k * 0.01, q[0], q[1]);
        status = noe_work_set_parameter(work, force, F, error);
        if (status == NOE_OK) status = noe_work_step(work, error);
    }
    return status;
}

int main(void) {
    struct noe_error error;
    struct noe_model *model = NULL;
    struct noe_problem problem;
    struct noe_work *work = NULL;
    double angle = 1;
    enum noe_status status = noe_model_open_text(&model, "cart", text, NULL, &error);
    if (status == NOE_OK)
        status = noe_problem_init(&problem, model->system, "midpoint", 0.01, &error);
    if (status == NOE_OK) {
        status = noe_work_create(&work, &problem, &error);
        if (status == NOE_OK) status = balance(work, model, &error);
        if (status == NOE_OK) angle = noe_work_state(work)->q[1];
        noe_work_free(work);
        noe_problem_clear(&problem);
    }
    noe_model_free(model);
    if (status != NOE_OK) fprintf(stderr, "feedback: %s\n", error.text);
    return fabs(angle) < 1e-3 ? 0 : 1;
}
