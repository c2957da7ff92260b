/* Runs of a model by every path: generic steps, a specialised stepper, SIMD lanes. */
/* SPDX-License-Identifier: MIT */
#include "paths.h"
#include "noether_ensemble.h"

enum { STEPS = 60, MEMBERS = 5, LAMBDA_MAX = 3, ROOM = POINT_MAX + FREEDOMS_MAX + LAMBDA_MAX };

static struct noe_model *open_row(const struct paths *paths, int i, struct noe_problem *problem) {
    const struct paths_row *row = &paths->rows[i];
    struct noe_model *model = model_text_open(row->text, false);
    struct noe_error error;
    if (noe_problem_init(problem, model->system, row->method, paths->h, &error) != NOE_OK)
        fail_msg("%s: %s", row->method, error.text);
    return model;
}

static void close_row(struct noe_model *model, struct noe_problem *problem) {
    noe_problem_clear(problem);
    noe_model_free(model);
}

/* Copies the state of a run: momenta, point, multipliers. Components are `stride` apart. */
static void keep(const struct noe_problem *problem, const real *p, const real *q,
                 const real *multipliers, int stride, real *end) {
    const struct noe_system *system = problem->system;
    const int m = system->nholonomic + system->nnonholonomic;
    memset(end, 0, ROOM * sizeof *end);
    for (int k = 0; k < system->n; k++) end[k] = p[k * stride];
    for (int k = 0; k < problem->np; k++) end[FREEDOMS_MAX + k] = q[k * stride];
    for (int k = 0; k < m; k++) end[FREEDOMS_MAX + POINT_MAX + k] = multipliers[k * stride];
}

static void alone(const struct paths *paths, const struct noe_model *model,
                  const struct noe_problem *problem, int index, real *end) {
    struct noe_work *work;
    struct noe_error error;
    real q[POINT_MAX], v[FREEDOMS_MAX];
    paths->begin(model, index, q, v);
    assert_int_equal(noe_work_create(&work, problem, &error), NOE_OK);
    if (noe_work_start(work, 0, q, v, &error) != NOE_OK ||
        noe_work_steps(work, STEPS, &error) != NOE_OK)
        fail_msg("%s: %s", problem->method->name, error.text);
    const struct noe_state *now = noe_work_state(work);
    keep(problem, now->p, now->q, now->multipliers, 1, end);
    noe_work_free(work);
}

void paths_check_specialised(const struct paths *paths) {
    for (int i = 0; i < paths->nrows; i++) {
        struct noe_problem problem;
        struct noe_model *model = open_row(paths, i, &problem);
        struct noe_error error;
        real generic[ROOM], specialised[ROOM];
        alone(paths, model, &problem, 0, generic);
        if (noe_problem_specialise(&problem, model, NULL, &error) != NOE_OK)
            fail_msg("%s: %s", paths->rows[i].method, error.text);
        alone(paths, model, &problem, 0, specialised);
        if (memcmp(generic, specialised, sizeof generic) != 0)
            fail_msg("row %d, %s: other bits, p %.17g %.17g", i, paths->rows[i].method, generic[0],
                     specialised[0]);
        close_row(model, &problem);
    }
}

static void in_lanes(const struct paths *paths, const struct noe_model *model,
                     const struct noe_problem *problem, int lanes, real ends[MEMBERS][ROOM]) {
    const struct noe_batch_settings settings = {.lanes = lanes};
    struct noe_batch *batch;
    struct noe_error error;
    real q[MEMBERS][POINT_MAX], v[MEMBERS][FREEDOMS_MAX];
    assert_int_equal(noe_batch_create(&batch, problem, model, &settings, &error), NOE_OK);
    if (noe_batch_lanes(batch) != lanes) fail_msg("%s", noe_batch_text(batch));
    for (int first = 0; first < MEMBERS; first += lanes) {
        struct noe_member member[MEMBERS];
        const int count = first + lanes > MEMBERS ? MEMBERS - first : lanes;
        for (int i = 0; i < count; i++) {
            paths->begin(model, first + i, q[i], v[i]);
            member[i] = (struct noe_member){.q = q[i], .v = v[i]};
        }
        assert_int_equal(noe_batch_start(batch, count, member, &error), NOE_OK);
        noe_batch_steps(batch, STEPS);
        noe_batch_observe(batch);
        for (int i = 0; i < count; i++) {
            struct noe_lane now;
            noe_batch_lane(batch, i, &now);
            if (now.status != NOE_OK)
                fail_msg("%s: status %d at step %ld", problem->method->name, now.status, now.k);
            keep(problem, now.p, now.q, now.multipliers, now.stride, ends[first + i]);
        }
    }
    noe_batch_free(batch);
}

void paths_check_lanes(const struct paths *paths) {
    for (int i = 0; i < paths->nrows; i++) {
        const struct paths_row *row = &paths->rows[i];
        struct noe_problem problem;
        struct noe_model *model = open_row(paths, i, &problem);
        static real one[MEMBERS][ROOM], four[MEMBERS][ROOM];
        real single[ROOM], largest = 0;
        in_lanes(paths, model, &problem, 1, one);
        in_lanes(paths, model, &problem, 4, four);
        if (memcmp(one, four, sizeof one) != 0)
            fail_msg("row %d, %s: lanes give other bits, p %.17g %.17g", i, row->method, one[0][0],
                     four[0][0]);
        alone(paths, model, &problem, MEMBERS - 1, single);
        for (int k = 0; k < POINT_MAX + FREEDOMS_MAX; k++)
            largest = noe_max(largest, noe_abs(single[k] - four[MEMBERS - 1][k]));
        if (!(largest < (row->far > 0 ? row->far : 2e-13)))
            fail_msg("row %d, %s: lanes are off by %.2e", i, row->method, (double)largest);
        close_row(model, &problem);
    }
}
