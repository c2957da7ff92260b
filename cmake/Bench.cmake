# Every bench/*.c becomes a program in bench/ of the build tree; they are built on request.
# SPDX-License-Identifier: MIT
file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
add_custom_target(bench)
foreach(file IN LISTS bench_sources)
    get_filename_component(name ${file} NAME_WE)
    add_executable(bench-${name} EXCLUDE_FROM_ALL
        ${file} ${PROJECT_SOURCE_DIR}/tests/systems.c) # the systems that the tests use, too
    set_target_properties(bench-${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_include_directories(bench-${name} PRIVATE
        ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(bench-${name} PRIVATE noether-flags noether-static m)
    add_dependencies(bench bench-${name})
endforeach()
