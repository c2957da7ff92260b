# Packages that the benchmarks compare with, each used if it is found.
# SPDX-License-Identifier: MIT
set(peer_sources)
set(peer_definitions)
set(peer_includes)
set(peer_libraries)

# Adds bench/FILE if the header and all libraries are found; `part` is its name in the program.
function(add_peer part file header)
    string(TOUPPER ${part} upper)
    find_path(PEER_${upper}_INCLUDE ${header})
    mark_as_advanced(PEER_${upper}_INCLUDE)
    set(found ${PEER_${upper}_INCLUDE})
    set(libraries)
    foreach(name IN LISTS ARGN)
        find_library(PEER_LIBRARY_${name} ${name})
        mark_as_advanced(PEER_LIBRARY_${name})
        if(NOT PEER_LIBRARY_${name})
            set(found FALSE)
        endif()
        list(APPEND libraries ${PEER_LIBRARY_${name}})
    endforeach()
    if(NOT found)
        return()
    endif()
    set(peer_sources ${peer_sources} ${PROJECT_SOURCE_DIR}/bench/${file} PARENT_SCOPE)
    set(peer_definitions ${peer_definitions} BENCH_${upper} PARENT_SCOPE)
    set(peer_includes ${peer_includes} ${PEER_${upper}_INCLUDE} PARENT_SCOPE)
    set(peer_libraries ${peer_libraries} ${libraries} PARENT_SCOPE)
endfunction()

add_peer(sundials peer_sundials.c arkode/arkode_arkstep.h sundials_arkode sundials_cvode
    sundials_nvecserial sundials_sunmatrixdense sundials_sunmatrixband sundials_sunlinsoldense
    sundials_sunlinsolband sundials_sunnonlinsolfixedpoint)
add_peer(gsl peer_gsl.c gsl/gsl_odeiv2.h gsl gslcblas)

# C++ with its own flags, because the headers cause warnings.
include(CheckLanguage)
check_language(CXX)
find_path(PEER_ODEINT_INCLUDE boost/numeric/odeint.hpp)
mark_as_advanced(PEER_ODEINT_INCLUDE)
if(CMAKE_CXX_COMPILER AND PEER_ODEINT_INCLUDE)
    enable_language(CXX)
    add_library(bench-odeint STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/peer_odeint.cpp)
    target_compile_features(bench-odeint PRIVATE cxx_std_17)
    target_compile_options(bench-odeint PRIVATE -O3 -DNDEBUG -ffp-contract=off -fno-math-errno -w)
    target_include_directories(bench-odeint SYSTEM PRIVATE ${PEER_ODEINT_INCLUDE})
    list(APPEND peer_definitions BENCH_ODEINT)
    list(APPEND peer_libraries bench-odeint)
endif()

# SciPy runs in its own process.
find_program(PEER_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH) # where the package puts it
find_program(PEER_PYTHON python3)
mark_as_advanced(PEER_PYTHON)
if(PEER_PYTHON)
    execute_process(COMMAND ${PEER_PYTHON} -c "import scipy" RESULT_VARIABLE failure
        OUTPUT_QUIET ERROR_QUIET)
    if(NOT failure)
        list(APPEND peer_sources ${PROJECT_SOURCE_DIR}/bench/peer_scipy.c)
        list(APPEND peer_definitions BENCH_PYTHON="${PEER_PYTHON}"
            BENCH_SCIPY="${PROJECT_SOURCE_DIR}/bench/peer_scipy.py")
    endif()
endif()

if(PkgConfig_FOUND)
    pkg_search_module(PEER_PETSC QUIET petsc PETSc)
    pkg_search_module(PEER_MPI QUIET mpi-c ompi-c mpich)
endif()
if(PEER_PETSC_FOUND AND PEER_MPI_FOUND)
    list(APPEND peer_sources ${PROJECT_SOURCE_DIR}/bench/peer_petsc.c)
    list(APPEND peer_definitions BENCH_PETSC)
    list(APPEND peer_includes ${PEER_PETSC_INCLUDE_DIRS} ${PEER_MPI_INCLUDE_DIRS})
    list(APPEND peer_libraries ${PEER_PETSC_LINK_LIBRARIES} ${PEER_MPI_LINK_LIBRARIES})
endif()
