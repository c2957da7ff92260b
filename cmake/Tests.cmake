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

# Without the kernels in the folders fast/ these tests are left out, because they compare a kernel with
# Newton's method or count its iterations. Other tests skip their parts about kernels.
set(kernel_tests)
if(NOT NOE_FAST)
    list(APPEND test_environment NOETHER_WITHOUT_FAST=1)
    set(kernel_tests test_small_newton test_fixed_point test_constraint_chains)
endif()

# test_spaces.h includes every space under the name SPACE_NAME(_NAME); SPACES_ALL lists them.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/spaces/*.c)
set(renamed)
set(included)
set(listed)
foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    file(STRINGS ${file} found REGEX "^const struct noe_space noe_space_${name} ")
    if(found)
        string(APPEND renamed "#define noe_space_${name} SPACE_NAME(_${name})\n")
        string(APPEND included "#include \"spaces/${name}.c\"\n")
        list(APPEND listed "&noe_space_${name}")
    endif()
endforeach()
list(JOIN listed ", " listed)
file(CONFIGURE OUTPUT ${test_directory}/include/test_spaces.h @ONLY
    CONTENT "@renamed@@included@#define SPACES_ALL @listed@\n")

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
        ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests ${test_directory}/include)
    target_include_directories(tests-${library} SYSTEM PUBLIC ${CMOCKA_INCLUDE})
    target_link_libraries(tests-${library} PUBLIC noether-flags ${library} ${CMOCKA_LIBRARY} m)
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME_WE)
        if(name IN_LIST kernel_tests)
            continue()
        endif()
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
    target_link_options(test_batch_memory PRIVATE
        LINKER:--wrap=malloc LINKER:--wrap=calloc LINKER:--wrap=aligned_alloc)
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

# The command with fault injection, for tests/cli_faults.py.
set(wrapped malloc calloc realloc aligned_alloc strdup strndup open_memstream fopen fclose open mkdir write pwrite
    fflush ftruncate fsync rename fork pthread_create posix_spawn posix_spawnp)
list(TRANSFORM wrapped PREPEND "-Wl,--wrap=")
add_executable(noether-faults EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/faults/faults.c ${command_sources})
add_dependencies(tests noether-faults)
set_target_properties(noether-faults PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${test_directory})
target_include_directories(noether-faults PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(noether-faults PRIVATE noether-flags noether-static)
target_link_options(noether-faults PRIVATE ${wrapped})
