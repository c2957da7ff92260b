# The library in each precision, shared and static, and the command on top of the static one.
# SPDX-License-Identifier: MIT
set(generated ${PROJECT_BINARY_DIR}/generated)
set(layers base linalg spaces mechanics methods engine model study output plot)
set(library_sources)
foreach(layer IN LISTS layers)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.c)
    list(APPEND library_sources ${files})
endforeach()
file(GLOB_RECURSE command_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.c)

# Keeps src/PATH.c if `present` is true, else its stub src/PATH_none.c.
function(choose list present path)
    set(files ${${list}})
    if(present)
        list(REMOVE_ITEM files ${PROJECT_SOURCE_DIR}/src/${path}_none.c)
    else()
        list(REMOVE_ITEM files ${PROJECT_SOURCE_DIR}/src/${path}.c)
    endif()
    set(${list} ${files} PARENT_SCOPE)
endfunction()

# Removes the kernels in the folders fast/ from a list of files if they are not built.
function(choose_kernels list)
    set(files ${${list}})
    if(NOT NOE_FAST)
        list(FILTER files EXCLUDE REGEX "/src/methods/[a-z_]*/fast/")
    endif()
    set(${list} ${files} PARENT_SCOPE)
endfunction()

choose_kernels(library_sources)
if(NOT has_HDF5)
    list(FILTER library_sources EXCLUDE REGEX "/src/output/h5[a-z_]*\\.c$")
endif()
set(double_sources ${library_sources})
choose(double_sources ${has_SPARSE} linalg/sparse)
choose(double_sources ${has_LAPACK} linalg/lapack)
choose(double_sources ${has_IPOPT} study/control/nlp)
choose(double_sources ${has_RANDOM} base/random_stream)
set(quad_sources ${library_sources})
choose(quad_sources FALSE linalg/sparse)
choose(quad_sources FALSE linalg/lapack)
choose(quad_sources FALSE study/control/nlp)
choose(quad_sources ${has_RANDOM} base/random_stream)

# Embeds the concatenated files of ARGN as the string `symbol` in generated/NAME.c.
set(generated_sources ${generated}/registry.c)
function(embed name symbol)
    set(files ${ARGN})
    list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
    add_custom_command(OUTPUT ${generated}/${name}.c
        COMMAND ${PROJECT_SOURCE_DIR}/tools/embed.sh ${generated}/${name}.c ${symbol} ${files}
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/tools/embed.sh
        COMMENT "Embedding ${name}" VERBATIM)
    set(generated_sources ${generated_sources} ${generated}/${name}.c PARENT_SCOPE)
endfunction()

# Headers of compiled models.
embed(model_header model_header_text include/noether_system.h src/base/elementary.h src/model/codegen/model_abi.h)
embed(lanes_header lanes_header_text src/base/lane_functions.h)

# The step path that specialised steppers are made of: every header below the engine, and every .c
# file except those that only the library needs, by the endings of their names.
set(step_path)
foreach(layer base linalg spaces mechanics methods engine)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.[ch])
    list(APPEND step_path ${files})
endforeach()
list(FILTER step_path EXCLUDE REGEX "_(setup|tangent|layout|source|none)\\.c$")
choose_kernels(step_path)
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
list(APPEND step_path ${files} ${PROJECT_SOURCE_DIR}/src/model/codegen/model_abi.h)
add_custom_command(OUTPUT ${generated}/source_files.c
    COMMAND ${PROJECT_SOURCE_DIR}/tools/embed_files.sh ${generated}/source_files.c ${step_path}
    DEPENDS ${step_path} ${PROJECT_SOURCE_DIR}/tools/embed_files.sh
    COMMENT "Embedding the step path" VERBATIM)
list(APPEND generated_sources ${generated}/source_files.c)

set(embedded_sources ${generated_sources})
list(REMOVE_ITEM embedded_sources ${generated}/registry.c)

# The registry is generated on every build and rewritten only if it changed.
set(registered ${library_sources})
list(FILTER registered INCLUDE REGEX "/src/(methods|spaces|output)/")
add_custom_target(generate
    COMMAND ${PROJECT_SOURCE_DIR}/tools/registry.sh ${generated}/registry.c ${registered}
    DEPENDS ${embedded_sources}
    BYPRODUCTS ${generated}/registry.c
    COMMENT "Collecting methods, spaces and formats" VERBATIM)

# Links with all hardening. A runtime path has no empty element, which would mean the current directory:
# CMake appends one to a path that it replaces on installation, so the path is final from the start.
function(harden target)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:noether-hardening>)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# Makes NAME-objects, NAME-shared, NAME-static and the executable NAME.
function(add_precision name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEFINITIONS;LIBRARIES")
    add_library(${name}-objects OBJECT ${arg_SOURCES} ${generated_sources})
    add_dependencies(${name}-objects generate)
    harden(${name}-objects)
    set_target_properties(${name}-objects PROPERTIES C_VISIBILITY_PRESET hidden)
    target_compile_definitions(${name}-objects PRIVATE ${arg_DEFINITIONS})
    target_include_directories(${name}-objects PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_include_directories(${name}-objects SYSTEM PRIVATE ${optional_includes})
    target_link_libraries(${name}-objects PRIVATE noether-flags)

    foreach(kind SHARED STATIC)
        string(TOLOWER ${kind} lower)
        add_library(${name}-${lower} ${kind} $<TARGET_OBJECTS:${name}-objects>)
        harden(${name}-${lower})
        set_target_properties(${name}-${lower} PROPERTIES
            OUTPUT_NAME ${name} LINKER_LANGUAGE C
            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
        target_compile_definitions(${name}-${lower} INTERFACE ${arg_DEFINITIONS})
        target_include_directories(${name}-${lower} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
        target_link_libraries(${name}-${lower}
            PRIVATE $<BUILD_INTERFACE:noether-flags> ${arg_LIBRARIES})
    endforeach()

    if(command_sources)
        add_executable(${name} ${command_sources})
        harden(${name})
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
        target_link_libraries(${name} PRIVATE noether-flags ${name}-static)
    endif()
endfunction()

set(both_libraries m ${CMAKE_DL_LIBS})
set(double_libraries)
set(optional_includes)
if(has_HDF5)
    list(APPEND both_libraries ${HDF5_LINK_LIBRARIES})
    list(APPEND optional_includes ${HDF5_INCLUDE_DIRS})
endif()
if(has_SPARSE)
    list(APPEND double_libraries ${KLU_LIBRARY})
    list(APPEND optional_includes ${KLU_INCLUDE})
endif()
if(has_LAPACK)
    list(APPEND double_libraries ${LAPACK_LIBRARY})
endif()
add_precision(noether SOURCES ${double_sources} LIBRARIES ${double_libraries} ${both_libraries})
if(has_QUAD)
    add_precision(noether-quad SOURCES ${quad_sources} DEFINITIONS NOE_QUAD
        LIBRARIES quadmath ${both_libraries})
endif()
if(has_MPI)
    set(mpi_sources ${command_sources})
    list(FILTER mpi_sources EXCLUDE REGEX "/src/cli/entry\\.c$")
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.c)
    choose(files ${has_MPI_HDF5} mpi/parallel_writers)
    add_executable(noether-mpi ${mpi_sources} ${files})
    harden(noether-mpi)
    target_include_directories(noether-mpi PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(noether-mpi PRIVATE noether-flags MPI::MPI_C)
    if(has_MPI_HDF5)
        # Its own HDF5 objects come before those in the archive, which are compiled for another HDF5.
        file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/output/h5*.c)
        target_sources(noether-mpi PRIVATE ${files})
        target_include_directories(noether-mpi PRIVATE ${PROJECT_SOURCE_DIR}/include)
        target_include_directories(noether-mpi SYSTEM PRIVATE ${MPI_HDF5_INCLUDE_DIRS})
        set(libraries ${double_libraries} ${both_libraries})
        list(REMOVE_ITEM libraries ${HDF5_LINK_LIBRARIES})
        target_link_libraries(noether-mpi PRIVATE
            $<TARGET_FILE:noether-static> ${MPI_HDF5_LINK_LIBRARIES} ${libraries})
        add_dependencies(noether-mpi noether-static)
    else()
        target_link_libraries(noether-mpi PRIVATE noether-static)
    endif()
endif()
