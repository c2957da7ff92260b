# Every tests/test_*.c, tests/quad_*.c and tests/cli_*.py is a test, by its file name. The programs are
# built by the target `tests`, not by default.
# SPDX-License-Identifier: MIT
find_path(CMOCKA_INCLUDE cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
find_program(PYTHON NAMES python3)

set(test_directory ${PROJECT_BINARY_DIR}/tests)
file(MAKE_DIRECTORY ${test_directory})
set(test_environment
    NOETHER=${PROJECT_BINARY_DIR}/noether
    NOETHER_CACHE=${PROJECT_BINARY_DIR}/cache
    NOETHER_SOURCE=${PROJECT_SOURCE_DIR}
    NOETHER_BUILD=${PROJECT_BINARY_DIR}
    PYTHONDONTWRITEBYTECODE=1)
if(NOE_SANITIZE)
    # The sanitizer may read invalid memory when it searches the thread-local variables of libraries
    # loaded at run time. So it does not search them, and a file lists the memory that only they reference.
    list(APPEND test_environment NOETHER_SANITIZE=${NOE_SANITIZE}
        LSAN_OPTIONS=use_tls=0:print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/leaks.txt)
endif()

add_custom_target(tests)

function(register_test name)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${test_directory})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment}" TIMEOUT 1200)
    if(name MATCHES "speed")
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON) # the clock must not be shared
    endif()
endfunction()

# Links every file that matches the pattern with `library` and the shared code of the tests into a
# test with the name of the file.
function(add_c_tests pattern library)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${pattern})
    file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.c)
    list(FILTER shared EXCLUDE REGEX "/tests/(test|quad)_[^/]*$")
    add_library(tests-${library} STATIC EXCLUDE_FROM_ALL ${shared})
    target_include_directories(tests-${library} PUBLIC
        ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_include_directories(tests-${library} SYSTEM PUBLIC ${CMOCKA_INCLUDE})
    target_link_libraries(tests-${library} PUBLIC noether-flags ${library} ${CMOCKA_LIBRARY} m)
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME_WE)
        add_executable(${name} EXCLUDE_FROM_ALL ${file})
        add_dependencies(tests ${name})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${test_directory})
        target_link_libraries(${name} PRIVATE tests-${library})
        register_test(${name} $<TARGET_FILE:${name}>)
    endforeach()
endfunction()

# SIMD lanes wider than the registers of the processor are passed within one file only.
set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/spaces_four.c
    ${PROJECT_SOURCE_DIR}/tests/spaces_eight.c PROPERTIES COMPILE_OPTIONS -Wno-psabi)

if(CMOCKA_INCLUDE AND CMOCKA_LIBRARY)
    add_c_tests(test_*.c noether-static)
    if(has_QUAD)
        add_c_tests(quad_*.c noether-quad-static)
    endif()
else()
    message(WARNING "cmocka was not found: the tests in C are left out")
endif()

if(PYTHON)
    file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli_*.py)
    foreach(script IN LISTS scripts)
        get_filename_component(name ${script} NAME_WE)
        register_test(${name} ${PYTHON} ${script})
    endforeach()
else()
    message(WARNING "python3 was not found: the tests of the command are left out")
endif()

# The C examples use only the public headers and the shared library.
foreach(name kepler run events feedback batch wrap condition match own_space)
    add_executable(example-${name} EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/examples/c/${name}.c)
    add_dependencies(tests example-${name})
    set_target_properties(example-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${test_directory})
    target_link_libraries(example-${name} PRIVATE noether-flags noether-shared m)
    register_test(example-${name} $<TARGET_FILE:example-${name}>)
endforeach()

# The public headers from C++.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
    add_executable(test_api_cpp EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/api.cpp)
    add_dependencies(tests test_api_cpp)
    set_target_properties(test_api_cpp PROPERTIES CXX_STANDARD 11 CXX_EXTENSIONS OFF
        RUNTIME_OUTPUT_DIRECTORY ${test_directory})
    target_compile_options(test_api_cpp PRIVATE -Wall -Wextra -Wpedantic -Werror)
    target_link_libraries(test_api_cpp PRIVATE noether-shared m)
    if(NOE_SANITIZE)
        target_compile_options(test_api_cpp PRIVATE -fsanitize=${NOE_SANITIZE})
        target_link_options(test_api_cpp PRIVATE -fsanitize=${NOE_SANITIZE})
    endif()
    register_test(test_api_cpp $<TARGET_FILE:test_api_cpp>)
else()
    register_test(test_api_cpp ${CMAKE_COMMAND} -E echo "skipped: there is no C++ compiler")
    set_tests_properties(test_api_cpp PROPERTIES SKIP_REGULAR_EXPRESSION "skipped")
endif()
