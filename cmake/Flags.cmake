# Compiler flags. Every compiler with IEEE arithmetic gives the same bits.
# SPDX-License-Identifier: MIT
add_library(noether-flags INTERFACE)
target_compile_options(noether-flags INTERFACE
    -ffp-contract=off -fno-math-errno
    -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    # Some pragmas tune one compiler only, and a mask of one lane is a boolean that takes & and |.
    $<$<C_COMPILER_ID:Clang>:-Wno-unknown-pragmas>
    $<$<C_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical>)
if(NOE_WERROR)
    target_compile_options(noether-flags INTERFACE -Werror)
endif()
if(NOT NOE_FAST)
    target_compile_definitions(noether-flags INTERFACE NOE_WITHOUT_FAST)
endif()
if(NOE_SANITIZE)
    target_compile_options(noether-flags INTERFACE
        -fsanitize=${NOE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(noether-flags INTERFACE -fsanitize=${NOE_SANITIZE})
endif()

# Hardening of the commands and libraries in optimised builds. Code compiled at run time is left out, and
# sanitizers have checks of their own.
add_library(noether-hardening INTERFACE)
if(NOT NOE_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(noether-hardening INTERFACE
        -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    target_link_options(noether-hardening INTERFACE
        LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
