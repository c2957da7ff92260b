/* The settings of a run in the model language: the statement `method`, --set and other options. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/definition.h"

#define PLAIN "coord q\nL = q'^2/2\n"

static struct definition *read_text(const char *text) {
    struct definition *model;
    struct noe_error error = {.status = NOE_OK};
    if (definition_read(&model, text, strlen(text), 0, NULL, &error) != NOE_OK)
        fail_msg("%d:%d: %s\nin: %s", error.line, error.column, error.text, text);
    return model;
}

static const struct {
    const char *text, *written;
} methods[] = {
    {"midpoint", "midpoint"},
    {"gauss stages = 3", "gauss stages=3"},
    {"gauss stages=3, order = 4 kind = itoh-abe", "gauss stages=3 order=4 kind=itoh-abe"},
    {"generalized-alpha rho = (r/2), start = central", "generalized-alpha rho=0.25 start=central"},
    {"x h = -0.5 g = 1/4 f = (r) - 1 w = r", "x h=-0.5 g=0.25 f=-0.5 w=r"},
    {"energy-midpoint-2 a=2^-1", "energy-midpoint-2 a=0.5"},
};

static void methods_are_written_out(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char text[200], written[100];
        snprintf(text, sizeof text, "param r = 0.5\n" PLAIN "  method %s\n", methods[i].text);
        struct definition *model = read_text(text);
        assert_string_equal(model->method, methods[i].written);
        assert_int_equal(model->method_line * 100 + model->method_column, 410);
        assert_int_equal(definition_method(model, methods[i].text, sizeof written, written, NULL),
                         0);
        assert_string_equal(written, methods[i].written);
        definition_free(model);
    }
}

static void method_numbers_keep_their_digits(void **state) {
    (void)state;
    struct definition *model = read_text(PLAIN "method dopri5 tolerance = (1/3)\n");
    assert_true(real_read(model->method + strlen("dopri5 tolerance="), NULL) == (real)1 / 3);
    definition_free(model);
}

static void expect_set(const char *set, const char *message) {
    struct definition *model;
    struct noe_error error = {.status = NOE_OK};
    const char *text = "param mass = 1, b = 2*mass\n" PLAIN;
    assert_int_equal(definition_read(&model, text, strlen(text), 1, &set, &error), NOE_BAD_INPUT);
    assert_string_equal(error.text, message);
    assert_int_equal(error.line + error.column, 0);
}

static void settings_on_the_command_line(void **state) {
    (void)state;
    expect_set("mas=2", "--set: unknown parameter 'mas' (did you mean 'mass'?)");
    expect_set("q=2", "--set: unknown parameter 'q'");
    expect_set("mass", "in --set 'mass': expected '=' after the name, found end of text");
    expect_set("mass=", "in --set 'mass=': expected an expression after '=', found end of text");
    expect_set("mass=2 3",
               "in --set 'mass=2 3': expected an operator or the end of the text, found '3'");
    expect_set("mass=1/0", "in --set 'mass=1/0': division by zero");
    expect_set("mass=q", "in --set 'mass=q': the coordinate 'q' cannot be used in a parameter");
    expect_set("mass=b", "in --set 'mass=b': 'b' is used before it is declared (at line 1)");
    expect_set("3=2", "in --set '3=2': expected the name of a parameter, found '3'");
    expect_set("", "in --set '': expected the name of a parameter, found end of text");
    expect_set("\xff", "in --set '\xff': not a text file: byte 0xff is not UTF-8 text");
}

static void expressions_in_options(void **state) {
    (void)state;
    const char *text = "param T = 2, v = [1, 2]\n" PLAIN "let k = 2\n";
    struct definition *model;
    struct noe_error error;
    real value;
    char method[20];
    assert_int_equal(definition_read(&model, text, strlen(text), 0, NULL, NULL), NOE_OK);
    const struct {
        const char *text, *message;
    } bad[] = {
        {"T/", "expected an expression after '/', found end of text"},
        {"", "expected an expression, found end of text"},
        {"T T", "expected an operator or the end of the text, found 'T'"},
        {"q", "unknown name 'q'"},
        {"v", "an option is one number, found vector of 2"},
        {"t", "the time 't' cannot be used in an option"},
        {"L", "the Lagrangian 'L' cannot be used in an option"},
        {"1/0", "division by zero"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(definition_number(model, bad[i].text, &value, &error), NOE_BAD_INPUT);
        assert_string_equal(error.text, bad[i].message);
    }
    assert_int_equal(definition_number(model, "T/200", &value, NULL), NOE_OK);
    assert_true(value == (real)2 / 200);
    assert_int_equal(definition_method(model, "gauss stages", sizeof method, method, &error), -1);
    assert_string_equal(error.text, "expected '=' after the name of an option, found end of text");
    assert_int_equal(definition_method(model, "", sizeof method, method, &error), -1);
    assert_string_equal(error.text, "expected the name of a method, found end of text");
    assert_int_equal(
        definition_method(model, "gauss stages=12345678", sizeof method, method, &error), -1);
    assert_string_equal(error.text, "the method is too long");
    definition_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_written_out),
        cmocka_unit_test(method_numbers_keep_their_digits),
        cmocka_unit_test(settings_on_the_command_line),
        cmocka_unit_test(expressions_in_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
