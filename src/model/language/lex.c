/* Lexer of the model language. */
/* SPDX-License-Identifier: MIT */
#include "model/language/lex.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_LENGTH_MAX = 1000, TEXT_BYTES_MAX = 16 << 20 };

/* Length in bytes of the UTF-8 character at `at`, or 0 if it is invalid. */
static int character_length(const unsigned char *at, const unsigned char *end) {
    if (at[0] < 0x80) return at[0] != 0;
    const int length = at[0] < 0xc2   ? 0
                       : at[0] < 0xe0 ? 2
                       : at[0] < 0xf0 ? 3
                       : at[0] < 0xf5 ? 4
                                      : 0;
    if (length == 0 || end - at < length) return 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    const bool overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const bool surrogate = at[0] == 0xed && at[1] > 0x9f;
    const bool too_large = at[0] == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || too_large ? 0 : length;
}

static enum noe_status check_text(const char *text, size_t length, struct noe_error *error) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    int line = 1, column = 1;
    while (at < end) {
        const int bytes = character_length(at, end);
        if (bytes == 0)
            return status_set_at(error, line, column,
                                 "not a text file: byte 0x%02x is not UTF-8 text", at[0]);
        column = *at == '\n' ? 1 : column + 1;
        line += *at == '\n';
        at += bytes;
    }
    return NOE_OK;
}

enum noe_status lex_open(struct lex *lex, const char *text, size_t length,
                         struct noe_error *error) {
    if (length > TEXT_BYTES_MAX)
        return status_set(error, NOE_BAD_INPUT,
                          "the file has %zu bytes; a model file has at most %d", length,
                          TEXT_BYTES_MAX);
    const bool has_mark = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    const size_t skip = has_mark ? 3 : 0;
    *lex = (struct lex){.at = text + skip,
                        .end = text + length,
                        .line = 1,
                        .column = 1,
                        .at_line_start = true,
                        .error = error};
    return check_text(lex->at, length - skip, error);
}

static void advance(struct lex *lex) {
    const char c = *lex->at++;
    if (c == '\n') {
        lex->line++;
        lex->column = 1;
        lex->at_line_start = true;
    } else if ((c & 0xc0) != 0x80) {
        lex->column++;
    }
}

static char look(const struct lex *lex, int ahead) {
    return lex->end - lex->at > ahead ? lex->at[ahead] : '\0';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static void skip_blanks(struct lex *lex) {
    for (char c = look(lex, 0); c == ' ' || c == '\t' || c == '\r' || c == '#'; c = look(lex, 0)) {
        if (c == '#')
            while (lex->at < lex->end && *lex->at != '\n') advance(lex);
        else
            advance(lex);
    }
}

/* True if the next nonempty line begins with an operator. No statement does. */
static bool next_line_continues(const struct lex *lex) {
    struct lex ahead = *lex;
    while (look(&ahead, 0) == '\n') {
        advance(&ahead);
        skip_blanks(&ahead);
    }
    const char c = look(&ahead, 0);
    return c != '\0' && strchr("+-*/^", c) != NULL;
}

static struct lex_token fail(struct lex *lex, struct lex_token token, const char *format,
                             const char *shown) {
    lex->failed = true;
    lex->at = lex->end;
    status_set_at(lex->error, token.line, token.column, format, shown);
    token.kind = LEX_END;
    return token;
}

static void take_digits(struct lex *lex, bool (*is_taken)(char)) {
    while (is_taken(look(lex, 0))) advance(lex);
}

static bool starts_number(const struct lex *lex) {
    return is_digit(look(lex, 0)) || (look(lex, 0) == '.' && is_digit(look(lex, 1)));
}

/* Skips a number in C syntax. False if its exponent has no digits. */
static bool take_number(struct lex *lex) {
    const bool hex =
        look(lex, 0) == '0' && (look(lex, 1) | 32) == 'x' && is_hex_digit(look(lex, 2));
    bool (*const taken)(char) = hex ? is_hex_digit : is_digit;
    if (hex) lex->at += 2, lex->column += 2;
    take_digits(lex, taken);
    if (look(lex, 0) == '.' && look(lex, 1) != '.') { /* 1..n is a range */
        advance(lex);
        take_digits(lex, taken);
    }
    if ((look(lex, 0) | 32) != (hex ? 'p' : 'e')) return true;
    advance(lex);
    if (look(lex, 0) == '+' || look(lex, 0) == '-') advance(lex);
    if (!is_digit(look(lex, 0))) return false;
    take_digits(lex, is_digit);
    return true;
}

static struct lex_token number_token(struct lex *lex, struct lex_token token) {
    char digits[NUMBER_LENGTH_MAX + 1], shown[LEX_QUOTE_MAX];
    const bool complete = take_number(lex);
    token.kind = LEX_NUMBER;
    token.length = (int)(lex->at - token.start);
    lex_show(&token, shown);
    if (!complete) return fail(lex, token, "the exponent of the number %s has no digits", shown);
    if (token.length > NUMBER_LENGTH_MAX)
        return fail(lex, token, "the number %s is too long", shown);
    memcpy(digits, token.start, (size_t)token.length);
    digits[token.length] = '\0';
    token.number = real_read(digits, NULL);
    if (!real_is_finite(token.number))
        return fail(lex, token, "the number %s is too large to represent", shown);
    const char *exponent = strpbrk(digits, digits[1] == 'x' || digits[1] == 'X' ? "pP" : "eE");
    const size_t mantissa = exponent ? (size_t)(exponent - digits) : strlen(digits);
    if (token.number == 0 && strspn(digits, "0.xX") < mantissa)
        return fail(lex, token, "the number %s is too small to represent", shown);
    return token;
}

static struct lex_token string_token(struct lex *lex, struct lex_token token) {
    advance(lex);
    token.kind = LEX_STRING;
    token.start = lex->at;
    while (lex->at < lex->end && *lex->at != '"' && *lex->at != '\n') advance(lex);
    token.length = (int)(lex->at - token.start);
    if (look(lex, 0) != '"') return fail(lex, token, "%s is never closed", "the string");
    advance(lex);
    return token;
}

static struct lex_token symbol_token(struct lex *lex, struct lex_token token) {
    const char c = *lex->at, next = look(lex, 1);
    token.kind = c == '.' && next == '.'   ? LEX_RANGE
                 : c == '-' && next == '>' ? LEX_ARROW
                                           : LEX_SYMBOL;
    token.length = token.kind == LEX_SYMBOL ? 1 : 2;
    if (token.kind == LEX_SYMBOL && !strchr("()[]{}+-*/^=,:'", c)) {
        const unsigned char *at = (const unsigned char *)lex->at;
        char shown[LEX_QUOTE_MAX];
        if (at[0] >= ' ') token.length = character_length(at, (const unsigned char *)lex->end);
        if (at[0] >= ' ')
            return fail(lex, token, "unexpected character %s", lex_show(&token, shown));
        snprintf(shown, sizeof shown, "0x%02x", at[0]);
        return fail(lex, token, "unexpected control character %s", shown);
    }
    for (int i = 0; i < token.length; i++) advance(lex);
    if (strchr("([{", c)) lex->depth++;
    if (strchr(")]}", c) && lex->depth > 0) lex->depth--;
    lex->continues = token.kind != LEX_SYMBOL || strchr("+-*/^=,", c) != NULL;
    return token;
}

struct lex_token lex_next(struct lex *lex) {
    skip_blanks(lex);
    while (look(lex, 0) == '\n' &&
           (lex->at_line_start || lex->depth > 0 || lex->continues || next_line_continues(lex))) {
        advance(lex);
        skip_blanks(lex);
    }
    struct lex_token token = {.start = lex->at,
                              .line = lex->line,
                              .column = lex->column,
                              .opens_line = lex->at_line_start};
    if (lex->at == lex->end) return token;
    const char c = *lex->at;
    if (c == '\n') {
        token.kind = LEX_NEWLINE;
        advance(lex);
        return token;
    }
    lex->at_line_start = false;
    lex->continues = false;
    if (starts_number(lex)) return number_token(lex, token);
    if (c == '"') return string_token(lex, token);
    if (!is_letter(c)) return symbol_token(lex, token);
    token.kind = LEX_NAME;
    while (is_letter(look(lex, 0)) || is_digit(look(lex, 0))) advance(lex);
    token.length = (int)(lex->at - token.start);
    return token;
}

bool lex_is(const struct lex_token *token, const char *word) {
    return token->kind == LEX_NAME && strlen(word) == (size_t)token->length &&
           memcmp(token->start, word, (size_t)token->length) == 0;
}

const char *lex_show(const struct lex_token *token, char text[LEX_QUOTE_MAX]) {
    enum { SHOWN_MAX = 40 };
    int length = token->length;
    switch (token->kind) {
    case LEX_END: return "end of text";
    case LEX_NEWLINE: return "end of line";
    case LEX_STRING: return "a string";
    default: break;
    }
    if (lex_is_symbol(token, '\'')) return "a prime";
    while (length > SHOWN_MAX || (length < token->length && (token->start[length] & 0xc0) == 0x80))
        length = length > SHOWN_MAX ? SHOWN_MAX : length - 1;
    snprintf(text, LEX_QUOTE_MAX, "'%.*s%s'", length, token->start,
             length < token->length ? "..." : "");
    return text;
}

const char *lex_nearest(const struct lex_token *token, int count, const char *const *names) {
    char word[64];
    if (token->length < 2 || (size_t)token->length >= sizeof word)
        return NULL; /* every single letter would be near */
    memcpy(word, token->start, (size_t)token->length);
    word[token->length] = '\0';
    return status_nearest(word, count, names);
}
