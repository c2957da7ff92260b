/* Options of methods: earlier spellings of keys and words mean the same as the present ones. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/option.h"

static const struct row {
    const char *method, *earlier, *present;
} rows[] = {
    {"euler-a", "retraction=new", "retraction=chord"},
    {"euler-b", "convention=node", "momentum=node"},
    {"euler-a", "convention=thesis", "momentum=stage"},
    {"euler-a", "momentum=thesis", "convention = stage"},
    {"energy-midpoint", "guard=anchored", "guard=hold"},
    {"energy-gauss", "gap=relative", "defect=relative"},
    {"lgvi-energy", "cap=7, gap=absolute", "max_ratio=7 defect=absolute"},
};

static void read(const char *method, const char *text, noe_scalar *value) {
    const struct noe_method_info *row = noe_method_find(method);
    struct noe_error error = {0};
    assert_non_null(row);
    if (option_read(method, row->options, text, value, &error) != NOE_OK)
        fail_msg("%s %s: %s", method, text, error.text);
}

static void test_spellings_agree(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        noe_scalar earlier[NOE_OPTIONS_MAX] = {0}, present[NOE_OPTIONS_MAX] = {0};
        read(rows[i].method, rows[i].earlier, earlier);
        read(rows[i].method, rows[i].present, present);
        for (int k = 0; k < NOE_OPTIONS_MAX; k++) assert_true(earlier[k] == present[k]);
    }
}

/* The listings of a method show the present spelling alone. */
static void test_errors_list_present_spellings(void **state) {
    (void)state;
    const struct noe_method_info *row = noe_method_find("energy-midpoint");
    noe_scalar value[NOE_OPTIONS_MAX];
    struct noe_error error = {0};
    assert_int_equal(option_read("m", row->options, "guard=never", value, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "stop hold;"));
    assert_int_equal(option_read("m", row->options, "zzzzzzzz=1", value, &error), NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "max_ratio"));
    assert_null(strstr(error.text, "gap"));
}

/* An earlier spelling is no option of a method without the present one. */
static void test_aliases_need_the_option(void **state) {
    (void)state;
    const struct noe_method_info *row = noe_method_find("rk4");
    noe_scalar value[NOE_OPTIONS_MAX];
    struct noe_error error = {0};
    assert_int_equal(option_read("rk4", row->options, "gap=relative", value, &error),
                     NOE_BAD_INPUT);
    assert_non_null(strstr(error.text, "'gap'"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spellings_agree),
        cmocka_unit_test(test_errors_list_present_spellings),
        cmocka_unit_test(test_aliases_need_the_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
