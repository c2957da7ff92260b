/* Notes of steps that cross, by the library's own code: what it finds is what a run alone finds. */
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

/* The crossings of the noted steps; the first step is noted though nothing crosses there. One that
 * round-off hides for too long is left to another search: its time is no number. */
static void search(struct noe_batch *batch, struct points *points) {
    struct event_step noted;
    struct noe_lane there;
    for (int i = 0; batch_event_step(batch, 0, i, &noted); i++) {
        noe_scalar theta = noted.k > 1;
        batch_place(batch, 0, i);
        batch_event_roots(batch, &theta);
        assert_true(theta >= 0 && theta < 1);
        if (noted.k == 1) assert_true(theta == 0);
        if (noted.k > 1 && theta == 0) points->t[points->count++] = NAN;
        if (theta == 0) continue;
        batch_substep(batch, 0, &there);
        assert_int_equal(there.status, NOE_OK);
        assert_true(fabs(there.values[0]) <= 4e-15);
        points->t[points->count] = there.t;
        points->energy[points->count++] = there.energy;
    }
}

static void as_alone(void **state) {
    (void)state;
    struct noe_model *model =
        model_text_open(MODEL_DOUBLE_PENDULUM "section s : a' = 0.3*b' record a\n", true);
    const struct noe_member member = {.q = model->q, .v = model->v};
    static struct points alone, noted;
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
    assert_false(noe_batch_is_compiled(batch));
    assert_int_equal(noe_batch_start(batch, 1, &member, &error), NOE_OK);
    for (long done = 0; done < STEPS;) {
        done += batch_scan_events(batch, STEPS - done);
        search(batch, &noted);
    }
    assert_true(alone.count > 30);
    assert_int_equal(noted.count, alone.count);
    int left = 0;
    for (int i = 0; i < alone.count; i++) {
        left += isnan(noted.t[i]);
        if (isnan(noted.t[i])) continue;
        assert_true(fabs(noted.t[i] - alone.t[i]) <= 8e-15);
        assert_true(fabs(noted.energy[i] - alone.energy[i]) <= 1e-14);
    }
    assert_true(5 * left < alone.count); /* measured: 3 of 33 */
    noe_batch_free(batch);
    noe_problem_clear(&problem);
    noe_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_alone)};
    return cmocka_run_group_tests(tests, model_text_begin, model_text_end);
}
