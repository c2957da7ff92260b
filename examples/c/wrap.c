/* A text model with a force that only C code knows: its callbacks are wrapped. A pendulum stated in
 * text gets quadratic air drag, w = L_q - c |v| v. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether_model.h>
#include <stdio.h>

/* The data of the wrapped system. */
struct drag {
    const struct noe_system *model;
    double c;
};

/* The model's system with the parameters of the caller, which may be those of one run. */
static struct noe_system inner(const struct noe_system *system) {
    struct noe_system copy = *((const struct drag *)system->data)->model;
    copy.parameters = system->parameters;
    return copy;
}

static double lagrangian(const struct noe_system *system, double t, const double *q,
                         const double *v) {
    const struct noe_system model = inner(system);
    return model.lagrangian(&model, t, q, v);
}

static void first(const struct noe_system *system, double t, const double *q, const double *v,
                  double *p, double *w) {
    const struct noe_system model = inner(system);
    const struct drag *drag = system->data;
    model.first(&model, t, q, v, p, w);
    w[0] -= drag->c * fabs(v[0]) * v[0];
}

/* The blocks of d are p_v, p_q, w_v, w_q, here one number each. The model does not write w_v, which
 * is always zero in it; so it is assigned, not decremented. */
static void second(const struct noe_system *system, double t, const double *q, const double *v,
                   double *p, double *w, double *d) {
    const struct noe_system model = inner(system);
    const struct drag *drag = system->data;
    model.second(&model, t, q, v, p, w, d);
    w[0] -= drag->c * fabs(v[0]) * v[0];
    d[2] = -2 * drag->c * fabs(v[0]);
}

/* The system with drag: the forces depend on velocities, and no callback of the model that would
 * give them without drag is left. */
static struct noe_system wrap(const struct noe_system *model, const struct drag *drag) {
    struct noe_system system = *model;
    system.data = drag;
    system.traits &= ~(unsigned)(NOE_SEPARABLE | NOE_UNFORCED);
    system.lagrangian = lagrangian;
    system.first = first;
    system.second = second;
    system.force = NULL;    /* `first` serves */
    system.momentum = NULL; /* `second` serves */
    system.gradient = NULL; /* only energy-adaptive methods need it beside forces */
    return system;
}

/* The energy after `steps` steps from rest at the angle 2. */
static enum noe_status swing(const struct noe_system *system, long steps, double *energy,
                             struct noe_error *error) {
    const double angle = 2, rest = 0;
    struct noe_problem problem;
    struct noe_work *work = NULL;
    struct noe_observation end;
    enum noe_status status = noe_problem_init(&problem, system, "midpoint", 0.01, error);
    if (status != NOE_OK) return status;
    status = noe_work_create(&work, &problem, error);
    if (status == NOE_OK) status = noe_work_start(work, 0, &angle, &rest, error);
    if (status == NOE_OK) status = noe_work_steps(work, steps, error);
    if (status == NOE_OK) status = noe_work_observe(work, &end, error);
    if (status == NOE_OK) *energy = end.energy;
    noe_work_free(work);
    noe_problem_clear(&problem);
    return status;
}

int main(void) {
    static const char text[] = "param g = 9.81\ncoord a\nL = a'^2/2 + g*cos(a)\n";
    struct noe_error error;
    struct noe_model *model = NULL;
    double free_energy = 0, damped_energy = 0;
    enum noe_status status = noe_model_open_text(&model, "pendulum", text, NULL, &error);
    if (status == NOE_OK) {
        const struct drag drag = {model->system, 0.1};
        const struct noe_system damped = wrap(model->system, &drag);
        status = swing(model->system, 1000, &free_energy, &error);
        if (status == NOE_OK) status = swing(&damped, 1000, &damped_energy, &error);
    }
    noe_model_free(model);
    if (status != NOE_OK) {
        fprintf(stderr, "wrap: %s\n", error.text);
        return 1;
    }
    printf("energy after 10 s: %.4f without drag, %.4f with drag\n", free_energy, damped_energy);
    return damped_energy < free_energy ? 0 : 1;
}
