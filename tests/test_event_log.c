/* Event log of a batch, in scalar code: logged steps give the same roots as a scalar run. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/jit/batch_events.h"
#include "model_text.h"
#include "noether_ensemble.h"
#include "study/section/section.h"

enum { STEPS = 3000, POINTS_MAX = 1000 };

struct points {
    int count;
    noe_real t[POINTS_MAX], energy[POINTS_MAX];
};

static enum noe_status take(void *data, const struct section_point *point,
                            struct noe_error *error) {
    struct points *points = data;
    (void)error;
    points->t[points->count] = point->t;
    points->energy[points->count++] = point->energy;
    return NOE_OK;
}

/* Event times of the logged steps; the first step is logged although no event lies in it. The
 * time is NaN if round-off hides a root for too long, and another search must find it. */
static void search(struct noe_batch *batch, struct points *points) {
    struct event_step logged;
    struct noe_lane lane;
    for (int i = 0; batch_event_step(batch, 0, i, &logged); i++) {
        noe_scalar theta = logged.k > 1;
        batch_place(batch, 0, i);
        batch_event_roots(batch, &theta);
        assert_true(theta >= 0 && theta < 1);
        if (logged.k == 1) assert_true(theta == 0);
        if (logged.k > 1 && theta == 0) points->t[points->count++] = NAN;
        if (theta == 0) continue;
        batch_substep(batch, 0, &lane);
        assert_int_equal(lane.status, NOE_OK);
        assert_true(fabs(lane.values[0]) <= 4e-15);
        points->t[points->count] = lane.t;
        points->energy[points->count++] = lane.energy;
    }
}

static void logged_steps_have_the_roots_of_a_scalar_run(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open(MODEL_DOUBLE_PENDULUM "section s : a' = 0.3*b' record a\n", true);
    const struct noe_member member = {.q = model->q, .v = model->v};
    static struct points alone, logged;
    struct noe_problem problem;
    struct noe_batch *batch;
    struct noe_error error;
    struct section section;
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, &error), NOE_OK);
    const struct section_settings course = {.problem = &problem,
                                            .q = model->q,
                                            .v = model->v,
                                            .steps = STEPS,
                                            .take = take,
                                            .take_data = &alone};
    assert_int_equal(section_run(&section, &course), NOE_OK);
    assert_int_equal(batch_create_with_events(&batch, &problem, model, NULL, &error), NOE_OK);
    assert_false(batch_is_compiled(batch));
    assert_int_equal(noe_batch_start(batch, 1, &member, &error), NOE_OK);
    for (long done = 0; done < STEPS;) {
        done += batch_scan_events(batch, STEPS - done);
        search(batch, &logged);
    }
    assert_true(alone.count > 30);
    assert_int_equal(logged.count, alone.count);
    int left = 0;
    for (int i = 0; i < alone.count; i++) {
        left += isnan(logged.t[i]);
        if (isnan(logged.t[i])) continue;
        assert_true(fabs(logged.t[i] - alone.t[i]) <= 8e-15);
        assert_true(fabs(logged.energy[i] - alone.energy[i]) <= 1e-14);
    }
    assert_true(5 * left < alone.count); /* measured: 3 of 33 */
    noe_batch_free(batch);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logged_steps_have_the_roots_of_a_scalar_run)};
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
