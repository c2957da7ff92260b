# bench/: one program for each comparison, built on request. Shared code goes into one library, with
# the peers whose packages are found.
# SPDX-License-Identifier: MIT
file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
set(bench_shared ${bench_sources})
list(FILTER bench_shared INCLUDE REGEX "/(timing|race|problem|library|peers|hand_[^/]*)\\.c$")
list(FILTER bench_sources EXCLUDE REGEX
    "/(timing|race|problem|library|peers|hand_[^/]*|peer_[^/]*)\\.c$")

include(cmake/Peers.cmake) # sets peer_sources, peer_definitions, peer_includes, peer_libraries

string(TOUPPER "${CMAKE_BUILD_TYPE}" bench_type)
get_target_property(bench_flags noether-flags INTERFACE_COMPILE_OPTIONS)
list(FILTER bench_flags INCLUDE REGEX "^-f")
string(JOIN " " bench_flags ${CMAKE_C_FLAGS_${bench_type}} ${bench_flags})

add_library(bench-shared STATIC EXCLUDE_FROM_ALL ${bench_shared} ${peer_sources})
target_compile_definitions(bench-shared PUBLIC ${peer_definitions} PRIVATE
    BENCH_COMPILER="${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}"
    BENCH_FLAGS="${bench_flags}")
target_include_directories(bench-shared SYSTEM PUBLIC ${peer_includes})
target_include_directories(bench-shared PUBLIC ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(bench-shared PRIVATE noether-flags PUBLIC noether-static ${peer_libraries} m)

add_custom_target(bench)
foreach(file IN LISTS bench_sources)
    get_filename_component(name ${file} NAME_WE)
    add_executable(bench-${name} EXCLUDE_FROM_ALL
        ${file} ${PROJECT_SOURCE_DIR}/tests/systems.c) # the systems that the tests use, too
    set_target_properties(bench-${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_include_directories(bench-${name} PRIVATE
        ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(bench-${name} PRIVATE noether-flags bench-shared)
    target_link_options(bench-${name} PRIVATE -Wl,--as-needed) # most need few of the peers
    add_dependencies(bench bench-${name})
endforeach()
