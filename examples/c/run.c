/* A model stated in text: read, specialised, run with a monitor, and written to a file. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <noether_model.h>
#include <stdio.h>

static const char text[] = "param g = 9.81, m = [1, 0.5]\n"
                           "coord a, b\n"
                           "L = (m[1] + m[2])*a'^2/2 + m[2]*b'^2/2 + m[2]*a'*b'*cos(a - b)\n"
                           "  + (m[1] + m[2])*g*cos(a) + m[2]*g*cos(b)\n"
                           "start a = 2, b = 2.5\n"
                           "observe tip = [sin(a) + sin(b), -cos(a) - cos(b)]\n";

enum { ROWS = 100, STEPS = 100 }; /* rows of the file, and steps between them */

/* Writes time, angles and momenta every STEPS steps. */
static enum noe_status record(struct noe_work *work, struct noe_monitor *monitor, const char *path,
                              struct noe_error *error) {
    static const char *const column[] = {"t", "a", "b", "p.a", "p.b"};
    const struct noe_record_header header = {
        .model_title = "double pendulum", .ncolumns = 5, .column = column};
    const struct noe_format *format = noe_format_find(path);
    void *file = NULL;
    enum noe_status status = format->open(&file, path, &header, error);
    if (status != NOE_OK) return status;
    for (int i = 0; i <= ROWS && status == NOE_OK; i++) {
        const struct noe_state *now = noe_work_state(work);
        const double row[] = {now->t, now->q[0], now->q[1], now->p[0], now->p[1]};
        status = format->row(file, row, error);
        if (status == NOE_OK && i < ROWS)
            status = noe_work_steps_monitored(work, STEPS, monitor, error);
    }
    if (status == NOE_OK) return format->close(file, NULL, error);
    format->discard(file);
    return status;
}

static enum noe_status run(const struct noe_model *model, const struct noe_problem *problem,
                           struct noe_error *error) {
    struct noe_work *work = NULL;
    struct noe_monitor *monitor = NULL;
    enum noe_status status = noe_work_create(&work, problem, error);
    if (status == NOE_OK) status = noe_work_start(work, 0, model->q, model->v, error);
    if (status == NOE_OK) status = noe_monitor_create(&monitor, work, error);
    if (status == NOE_OK) status = record(work, monitor, "double_pendulum.csv", error);
    if (status == NOE_OK)
        printf("%g steps, energy within %.1e of its first value, %.2f Newton iterations a step\n",
               noe_monitor_get(monitor, "steps"), noe_monitor_get(monitor, "energy_max"),
               (double)noe_work_stats(work).iterations / (double)noe_work_stats(work).steps);
    noe_monitor_free(monitor);
    noe_work_free(work);
    return status;
}

int main(void) {
    struct noe_error error;
    struct noe_model *model = NULL;
    struct noe_problem problem;
    enum noe_status status = noe_model_open_text(&model, "double pendulum", text, NULL, &error);
    if (status == NOE_OK) {
        const struct noe_system *system = model->system;
        for (int i = 0; i < system->nparameters; i++)
            printf("%s = %g\n", system->parameter[i], system->parameters[i]);
        status = noe_problem_init(&problem, system, "gauss stages=2", 0.005, &error);
    }
    if (status == NOE_OK) {
        /* Optional: without a compiler the generic path gives the same bits. */
        if (noe_problem_specialise(&problem, model, NULL, &error) != NOE_OK)
            printf("not specialised: %s\n", error.text);
        status = run(model, &problem, &error);
        noe_problem_clear(&problem);
    }
    noe_model_free(model);
    if (status != NOE_OK) fprintf(stderr, "run: %s\n", error.text);
    return status != NOE_OK;
}
