/* Validation of UTF-8, for writers that must not emit invalid text, and text for a terminal. */
/* SPDX-License-Identifier: MIT */
#include "output/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t utf8_length(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    const bool is_overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    const bool is_surrogate = s[0] == 0xed && s[1] >= 0xa0;
    const bool is_beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

/* True for the control characters of ASCII, for those from U+0080 to U+009F, and for the characters
 * that change the direction of writing, U+202A to U+202E and U+2066 to U+2069. */
static bool is_control(const char *text, size_t length) {
    const unsigned char *s = (const unsigned char *)text;
    if (length == 1) return (s[0] < 0x20 && s[0] != '\n' && s[0] != '\t') || s[0] == 0x7f;
    if (length == 2) return s[0] == 0xc2 && s[1] < 0xa0;
    if (length != 3 || s[0] != 0xe2) return false;
    return (s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
           (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

void utf8_make_printable(char *text) {
    for (char *at = text; *at;) {
        const size_t length = utf8_length(at), taken = length ? length : 1;
        if (length == 0 || is_control(at, length)) memset(at, '?', taken);
        at += taken;
    }
}
