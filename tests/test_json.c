/* The JSON writer: its output reads back as the values written. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/real.h"
#include "output/json_writer.h"

static void objects_and_arrays_nest(void **state) {
    (void)state;
    struct json json;
    json_init(&json);
    const real x[] = {1, (real)0.5};
    json_object(&json, NULL);
    json_vector(&json, "x", 2, x);
    json_matrix(&json, "m", 2, 1, x);
    json_vector(&json, "no numbers", 0, x);
    json_object(&json, "empty");
    json_end(&json);
    json_array(&json, "list");
    json_object(&json, NULL);
    json_bool(&json, "yes", true);
    json_null(&json, "none");
    json_string(&json, "nothing", NULL);
    json_end(&json);
    json_end(&json);
    json_integer(&json, "n", -9007199254740993);
    json_end(&json);
    assert_string_equal(json_text(&json),
                        "{\n"
                        "  \"x\": [1, 0.5],\n"
                        "  \"m\": [[1], [0.5]],\n"
                        "  \"no numbers\": [],\n"
                        "  \"empty\": {},\n"
                        "  \"list\": [\n    {\n      \"yes\": true,\n      \"none\": null,\n"
                        "      \"nothing\": null\n    }\n  ],\n"
                        "  \"n\": -9007199254740993\n"
                        "}\n");
    json_clear(&json);
}

static void assert_string_written(const char *text, const char *expected) {
    struct json json;
    json_init(&json);
    json_string(&json, NULL, text);
    assert_string_equal(json_text(&json), expected);
    json_clear(&json);
}

static void strings_are_escaped(void **state) {
    (void)state;
    assert_string_written("", "\"\"\n");
    assert_string_written("a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"\n");
    assert_string_written("\n\t\r\b\f\x01\x7f", "\"\\n\\t\\r\\b\\f\\u0001\\u007f\"\n");
    assert_string_written("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8d",
                          "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8d\"\n");
}

static void invalid_utf8_is_replaced(void **state) {
    (void)state;
    assert_string_written("a\xff"
                          "b",
                          "\"a\\ufffdb\"\n");
    assert_string_written("\xc3", "\"\\ufffd\"\n");                       /* truncated */
    assert_string_written("\xc0\xaf", "\"\\ufffd\\ufffd\"\n");            /* overlong encoding */
    assert_string_written("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"\n"); /* a surrogate */
    assert_string_written("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"\n"); /* too large */
}

static void numbers_keep_every_digit(void **state) {
    (void)state;
    const real zero = 0, third = (real)1 / 3;
    struct json json;
    json_init(&json);
    json_real(&json, NULL, third);
    assert_true(real_read(json_text(&json), NULL) == third);
    json_clear(&json);
    json_vector(&json, NULL, 4, (const real[]){zero / zero, 1 / zero, -1 / zero, 0});
    assert_string_equal(json_text(&json), "[null, null, null, 0]\n");
    json_clear(&json);
}

static void misuse_writes_no_text(void **state) {
    (void)state;
    struct json json;
    json_init(&json);
    json_end(&json); /* closes an object that was never opened */
    assert_null(json_text(&json));
    json_clear(&json);
    for (int i = 0; i <= JSON_DEPTH; i++) json_array(&json, NULL);
    assert_null(json_text(&json));
    json_clear(&json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_arrays_nest),  cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(invalid_utf8_is_replaced), cmocka_unit_test(numbers_keep_every_digit),
        cmocka_unit_test(misuse_writes_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
