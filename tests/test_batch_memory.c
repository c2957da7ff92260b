/* A batch whose memory cannot be allocated is refused, and nothing is left. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "model/jit/batch_events.h"
#include "model_text.h"
#include "noether_ensemble.h"

/* The allocation with this number fails; 0: none. */
static long failing, count;

static bool fails(void) { return ++count == failing; }

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static const char text[] = MODEL_DOUBLE_PENDULUM "section cut : a = 0 record b\n";

static enum noe_status create(const struct noe_problem *problem, const struct noe_model *model,
                              bool has_events, struct noe_error *error) {
    struct noe_batch *batch = NULL;
    const struct noe_batch_settings settings = {.lanes = 4}; /* fewer in the library's own code */
    const enum noe_status status =
        has_events ? batch_create_with_events(&batch, problem, model, &settings, error)
                   : noe_batch_create(&batch, problem, model, &settings, error);
    if (status != NOE_OK) assert_null(batch);
    noe_batch_free(batch);
    return status;
}

/* An interpreted model runs in the library's own code, with one lane. */
static void check(bool is_interpreted) {
    struct noe_model *model = model_text_open(text, is_interpreted);
    struct noe_problem problem = {0};
    struct noe_error error = {0};
    assert_int_equal(noe_problem_init(&problem, model->system, "midpoint", 0.01, &error), NOE_OK);
    for (int has_events = 0; has_events < 2; has_events++) {
        long refused = 0;
        assert_int_equal(create(&problem, model, has_events, &error), NOE_OK);
        count = failing = 0;
        assert_int_equal(create(&problem, model, has_events, &error), NOE_OK);
        const long all = count;
        assert_true(all > 3);
        for (long i = 1; i <= all; i++) {
            count = 0;
            failing = i;
            const enum noe_status status = create(&problem, model, has_events, &error);
            failing = 0;
            assert_true(status == NOE_OK || status == NOE_NO_MEMORY);
            if (status == NOE_OK) continue; /* one lane, or code compiled anew */
            refused++;
            assert_non_null(strstr(error.text, "memory"));
        }
        assert_true(refused >= 3);
    }
    noe_problem_clear(&problem);
    noe_model_free(model);
}

static void test_every_allocation_may_fail(void **state) {
    (void)state;
    check(false);
    check(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(
        test_every_allocation_may_fail, model_text_begin, model_text_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
