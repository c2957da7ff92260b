/* Validation of UTF-8, for writers that must not emit invalid text. */
/* SPDX-License-Identifier: MIT */
#include "output/utf8.h"

#include <stdbool.h>

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
