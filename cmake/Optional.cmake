# Optional libraries. AUTO uses a library if it is found, ON requires it, OFF disables it. Each library
# is used by one source file, which is compiled only with it.
# SPDX-License-Identifier: MIT
include(CheckCSourceCompiles)
find_package(PkgConfig)

foreach(part HDF5 SPARSE LAPACK QUAD IPOPT RANDOM MPI MPI_HDF5)
    set(NOE_${part} AUTO CACHE STRING "Use ${part}: AUTO, ON or OFF")
    set_property(CACHE NOE_${part} PROPERTY STRINGS AUTO ON OFF)
endforeach()

# Sets has_PART in the caller's scope from the option and from whether it was found.
function(decide part found)
    if(NOE_${part} STREQUAL "ON" AND NOT found)
        message(FATAL_ERROR "NOE_${part}=ON, but the library was not found")
    endif()
    if(NOE_${part} STREQUAL "OFF")
        set(found FALSE)
    endif()
    message(STATUS "Optional part ${part}: ${found}")
    set(has_${part} ${found} PARENT_SCOPE)
endfunction()

if(PkgConfig_FOUND AND NOT NOE_HDF5 STREQUAL "OFF")
    # The plain name may mean the parallel build if that is installed too.
    pkg_search_module(HDF5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
endif()
if(HDF5_FOUND)
    decide(HDF5 TRUE)
else()
    decide(HDF5 FALSE)
endif()

find_path(KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
if(KLU_INCLUDE AND KLU_LIBRARY)
    decide(SPARSE TRUE)
else()
    decide(SPARSE FALSE)
endif()

find_library(LAPACK_LIBRARY NAMES openblas lapack)
if(LAPACK_LIBRARY)
    decide(LAPACK TRUE)
else()
    decide(LAPACK FALSE)
endif()

# Only its header is needed, because the library is loaded at run time.
find_path(IPOPT_INCLUDE coin/IpStdCInterface.h)
if(IPOPT_INCLUDE)
    decide(IPOPT TRUE)
else()
    decide(IPOPT FALSE)
endif()

find_path(RANDOM_INCLUDE Random123/philox.h)
if(RANDOM_INCLUDE)
    decide(RANDOM TRUE)
else()
    decide(RANDOM FALSE)
endif()

set(CMAKE_REQUIRED_LIBRARIES quadmath)
check_c_source_compiles(
    "#include <quadmath.h>\nint main(void) { return (int)sinq(0.5Q); }" HAVE_QUADMATH)
unset(CMAKE_REQUIRED_LIBRARIES)
if(HAVE_QUADMATH)
    decide(QUAD TRUE)
else()
    decide(QUAD FALSE)
endif()

if(NOT NOE_MPI STREQUAL "OFF")
    find_package(MPI QUIET COMPONENTS C)
endif()
if(MPI_C_FOUND)
    decide(MPI TRUE)
else()
    decide(MPI FALSE)
endif()

# Parallel HDF5, built for the MPI that was found.
if(has_HDF5 AND has_MPI AND NOT NOE_MPI_HDF5 STREQUAL "OFF")
    set(names hdf5)
    foreach(name openmpi mpich)
        if("${MPI_C_INCLUDE_DIRS};${MPI_C_LIBRARIES}" MATCHES ${name})
            list(PREPEND names hdf5-${name})
        endif()
    endforeach()
    pkg_search_module(MPI_HDF5 QUIET ${names})
    set(CMAKE_REQUIRED_INCLUDES ${MPI_HDF5_INCLUDE_DIRS})
    set(CMAKE_REQUIRED_LIBRARIES ${MPI_HDF5_LINK_LIBRARIES} MPI::MPI_C)
    check_c_source_compiles(
        "#include <hdf5.h>
        int main(void) { return H5Pset_fapl_mpio(0, MPI_COMM_WORLD, MPI_INFO_NULL) < 0; }"
        HAVE_MPI_HDF5)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(HAVE_MPI_HDF5 AND has_HDF5 AND has_MPI)
    decide(MPI_HDF5 TRUE)
else()
    decide(MPI_HDF5 FALSE)
endif()
