# Compiler flags. Every compiler with IEEE arithmetic gives the same bits.
# SPDX-License-Identifier: MIT
add_library(noether-flags INTERFACE)
target_compile_options(noether-flags INTERFACE
    -ffp-contract=off -fno-math-errno
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    $<$<C_COMPILER_ID:Clang>:-Wno-unknown-pragmas>) # some tune one compiler only
if(NOE_WERROR)
    target_compile_options(noether-flags INTERFACE -Werror)
endif()
if(NOE_SANITIZE)
    target_compile_options(noether-flags INTERFACE
        -fsanitize=${NOE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(noether-flags INTERFACE -fsanitize=${NOE_SANITIZE})
endif()
