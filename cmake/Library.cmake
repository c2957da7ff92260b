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

# Keeps, of src/PATH.c and its stand-in src/PATH_none.c, the one that `present` calls for.
function(choose list present path)
    set(files ${${list}})
    if(present)
        list(REMOVE_ITEM files ${PROJECT_SOURCE_DIR}/src/${path}_none.c)
    else()
        list(REMOVE_ITEM files ${PROJECT_SOURCE_DIR}/src/${path}.c)
    endif()
    set(${list} ${files} PARENT_SCOPE)
endfunction()

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

# Embeds the files of ARGN, one after the other, as the string `symbol` in generated/NAME.c.
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

# What a compiled model includes, and the step path that a specialised stepper is made of.
embed(model_header model_header_text include/noether_real.h include/noether_system.h src/model/codegen/model_abi.h)
embed(lanes_header lanes_header_text src/base/lane_functions.h)
embed(stepper_source stepper_source_text include/noether_status.h include/noether_balance.h include/noether_method.h include/noether.h include/noether_ensemble.h src/base/real.h src/base/simd_pack.h
    src/base/arena.h src/base/lane_status.h src/base/compensated_sum.h src/linalg/sparse.h src/linalg/lapack.h src/linalg/least_squares.h src/linalg/dense.h
    src/linalg/dense.c src/linalg/tridiagonal.h src/linalg/banded.h src/linalg/linear_system.h
    src/linalg/linear_system.c src/mechanics/constraint.h src/mechanics/legendre.h src/mechanics/legendre.c
    src/mechanics/multipliers.h src/mechanics/interval.h src/spaces/product.h src/linalg/small_matrix.h src/mechanics/lie_product.h src/mechanics/constraint_schur.h src/mechanics/constraint_jacobian.h src/mechanics/block_product.h src/mechanics/multipliers.c src/engine/newton.h src/engine/newton.c
    src/engine/predictor.h src/engine/predictor.c src/engine/fixed_point.h src/engine/fixed_point.c src/methods/energy_adaptive/step_size_search.h src/engine/adaptive_step.h src/engine/continuation.h src/engine/work.h
    src/engine/advance.h src/engine/advance.c src/engine/adaptive_step.c)
embed(space_source space_source_text src/spaces/vec3.h src/spaces/hat_matrix.h src/spaces/stumpff.h
    src/spaces/so3_retraction.h src/spaces/se3_retraction.h src/spaces/group_accumulator.h src/spaces/vector.c src/spaces/so3.c src/spaces/se3.c
    src/spaces/s3.c src/spaces/product.c src/mechanics/lie_product.c)
embed(batch_source batch_source_text src/base/batch_abi.h src/linalg/linear_system_memory.c
    src/mechanics/legendre_memory.c src/mechanics/multipliers_memory.c src/engine/newton_memory.c src/engine/continuation.c src/engine/work_memory.c
    src/engine/lanes/batch.h src/engine/lanes/batch.c)
embed(notes_source notes_source_text src/engine/events.h src/engine/event_root.h src/engine/lanes/event_log.h src/engine/lanes/event_substeps.c
    src/engine/lanes/event_log.c)
embed(watch_source watch_source_text src/engine/monitor.h src/engine/monitor.c
    src/engine/events.h src/engine/event_root.h src/engine/events.c)
embed(prk_source prk_source_text src/methods/runge_kutta/tableau.h src/methods/runge_kutta/prk.h src/methods/runge_kutta/prk.c
    src/methods/runge_kutta/fast/prk_small_newton.c src/methods/runge_kutta/fast/prk_explicit.c src/methods/runge_kutta/fast/prk_fixed_point.c)
embed(stochastic_source stochastic_source_text src/methods/hamilton_pontryagin/free_motion.h src/mechanics/brownian.h src/methods/stochastic/ornstein_uhlenbeck.h src/methods/stochastic/ornstein_uhlenbeck.c
    src/methods/stochastic/stochastic.h src/methods/stochastic/langevin_splitting.c src/methods/stochastic/stochastic_implicit.c)
embed(adaptive_source adaptive_source_text src/methods/runge_kutta/prk_adaptive.c)
embed(constrained_source constrained_source_text src/spaces/vec3.h src/methods/fast/small_newton.h src/mechanics/constraint_jacobian.c
    src/methods/constrained/lobatto_constrained.h src/methods/constrained/lobatto_constrained.c src/methods/constrained/fast/rattle_view.h
    src/methods/constrained/fast/rattle.c)
embed(ray_source ray_source_text src/methods/fast/small_newton.h src/methods/fast/rigid_body.h src/methods/hamilton_pontryagin/free_motion.h src/methods/hamilton_pontryagin/endpoint.h src/methods/hamilton_pontryagin/endpoint.c
    src/methods/hamilton_pontryagin/fast/endpoint_rigid_body.h src/methods/hamilton_pontryagin/fast/endpoint_rigid_body.c src/methods/hamilton_pontryagin/fast/endpoint_splitting.c)
embed(ray_thesis_source ray_thesis_source_text src/methods/hamilton_pontryagin/free_motion.h src/methods/hamilton_pontryagin/endpoint.h src/methods/hamilton_pontryagin/endpoint.c
    src/methods/hamilton_pontryagin/endpoint_stage_momentum.c)
embed(alpha_source alpha_source_text src/mechanics/constraint_jacobian.c
    src/methods/constrained/generalized_alpha_step.h src/methods/constrained/generalized_alpha_step.c)
embed(dla_source dla_source_text src/mechanics/constraint_jacobian.c src/methods/constrained/lagrange_dalembert.h src/methods/constrained/lagrange_dalembert_step.c)
embed(backward_source backward_source_text src/methods/fast/small_newton.h src/methods/fast/rigid_body.h src/methods/hamilton_pontryagin/midpoint.h src/methods/hamilton_pontryagin/midpoint.c
    src/methods/hamilton_pontryagin/implicit_euler.h src/methods/hamilton_pontryagin/implicit_euler.c)
embed(middle_source middle_source_text src/methods/fast/small_newton.h src/methods/fast/rigid_body.h src/methods/hamilton_pontryagin/midpoint.h
    src/methods/hamilton_pontryagin/midpoint.c src/methods/hamilton_pontryagin/fast/midpoint_rigid_body.h src/methods/hamilton_pontryagin/fast/midpoint_rigid_body.c)
embed(energy_source energy_source_text src/methods/energy_adaptive/discrete_energy.h src/methods/energy_adaptive/energy_line_integral.h src/methods/energy_adaptive/discrete_energy.c
    src/spaces/vec3.h src/linalg/small_matrix.h src/methods/fast/small_newton.h src/methods/energy_adaptive/fast/bordered_newton.h src/methods/energy_adaptive/fast/energy_vector.c)
embed(middle_constrained_source middle_constrained_source_text src/mechanics/constraint_jacobian.c
    src/methods/hamilton_pontryagin/midpoint.h src/methods/hamilton_pontryagin/midpoint.c src/methods/constrained/midpoint_constrained.h
    src/methods/constrained/midpoint_constrained.c)
embed(energy_nodes_source energy_nodes_source_text src/methods/energy_adaptive/discrete_energy.h src/methods/energy_adaptive/discrete_energy_nodes.h)
embed(energy_groups_source energy_groups_source_text src/methods/energy_adaptive/discrete_energy_lie.c)
embed(energy_middle_source energy_middle_source_text src/methods/energy_adaptive/discrete_energy_midpoint.c src/methods/energy_adaptive/fast/bordered_newton.h src/methods/energy_adaptive/fast/energy_rigid_body.h
    src/methods/energy_adaptive/fast/energy_midpoint_rigid_body.c)
embed(energy_ray_source energy_ray_source_text src/methods/energy_adaptive/discrete_energy_endpoint.c src/methods/energy_adaptive/fast/bordered_newton.h src/methods/energy_adaptive/fast/energy_rigid_body.h
    src/methods/energy_adaptive/fast/energy_endpoint_rigid_body.c)
embed(gradient_source gradient_source_text src/mechanics/hamiltonian.h src/mechanics/hamiltonian.c src/methods/energy_preserving/discrete_gradient_step.h
    src/methods/energy_preserving/discrete_gradient_corrected.c src/methods/energy_preserving/discrete_gradient_itoh_abe.c src/methods/energy_preserving/discrete_gradient_step.c)
embed(collocation_source collocation_source_text src/mechanics/hamiltonian.h src/mechanics/hamiltonian.c src/methods/energy_preserving/discrete_gradient_step.h
    src/methods/energy_preserving/energy_momentum_collocation.h src/methods/energy_preserving/energy_momentum_collocation.c)
embed(modal_source modal_source_text src/methods/galerkin/galerkin.h src/methods/galerkin/galerkin.c)
embed(newmark_source newmark_source_text src/methods/fast/small_newton.h src/methods/fast/rigid_body.h src/methods/euler_poincare/euler_poincare.h src/methods/euler_poincare/lie_newmark.h
    src/methods/euler_poincare/lie_newmark_step.c src/methods/euler_poincare/lie_verlet.c)
embed(coadjoint_source coadjoint_source_text src/methods/euler_poincare/euler_poincare.h src/methods/euler_poincare/coadjoint_orbit.h
    src/methods/euler_poincare/coadjoint_orbit_step.c)
embed(prk_groups_source prk_groups_source_text src/methods/runge_kutta/prk_lie.c
    src/methods/runge_kutta/prk_embedded.c)

set(embedded_sources ${generated_sources})
list(REMOVE_ITEM embedded_sources ${generated}/registry.c)

# The registry is asked for on every build and rewritten only if it changed.
set(registered ${library_sources})
list(FILTER registered INCLUDE REGEX "/src/(methods|spaces|output)/")
add_custom_target(generate
    COMMAND ${PROJECT_SOURCE_DIR}/tools/registry.sh ${generated}/registry.c ${registered}
    DEPENDS ${embedded_sources}
    BYPRODUCTS ${generated}/registry.c
    COMMENT "Collecting methods, spaces and formats" VERBATIM)

# Makes NAME-objects, NAME-shared, NAME-static and the executable NAME.
function(add_precision name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEFINITIONS;LIBRARIES")
    add_library(${name}-objects OBJECT ${arg_SOURCES} ${generated_sources})
    add_dependencies(${name}-objects generate)
    set_target_properties(${name}-objects PROPERTIES
        POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    target_compile_definitions(${name}-objects PRIVATE ${arg_DEFINITIONS})
    target_include_directories(${name}-objects PRIVATE
        ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
    target_include_directories(${name}-objects SYSTEM PRIVATE ${optional_includes})
    target_link_libraries(${name}-objects PRIVATE noether-flags)

    foreach(kind SHARED STATIC)
        string(TOLOWER ${kind} lower)
        add_library(${name}-${lower} ${kind} $<TARGET_OBJECTS:${name}-objects>)
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
    target_include_directories(noether-mpi PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(noether-mpi PRIVATE noether-flags MPI::MPI_C)
    if(has_MPI_HDF5)
        # Its own objects for HDF5 come before those in the archive, which want another HDF5.
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
