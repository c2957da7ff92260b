# Compiler flags, stated once: the same bits from every compiler that keeps to IEEE arithmetic.
# SPDX-License-Identifier: MIT
add_library(noether-flags INTERFACE)
target_compile_options(noether-flags INTERFACE
    -ffp-contract=off -fno-math-errno
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
if(NOE_WERROR)
    target_compile_options(noether-flags INTERFACE -Werror)
endif()
if(NOE_SANITIZE)
    target_compile_options(noether-flags INTERFACE
        -fsanitize=${NOE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(noether-flags INTERFACE -fsanitize=${NOE_SANITIZE})
endif()
