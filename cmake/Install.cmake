# Installation: libraries, headers, commands, pkg-config and CMake package files, documents.
# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/Noether)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)

# Linker flags of a static link besides libnoether.a.
set(private_libraries -lm)
if(has_HDF5)
    string(JOIN " " words ${HDF5_LDFLAGS})
    string(PREPEND private_libraries "${words} ")
endif()
set(quad_private_libraries "-lquadmath ${private_libraries}")
if(has_LAPACK)
    get_filename_component(word ${LAPACK_LIBRARY} NAME_WE)
    string(REGEX REPLACE "^lib" "-l" word ${word})
    string(PREPEND private_libraries "${word} ")
endif()
if(has_SPARSE)
    string(PREPEND private_libraries "-lklu -lamd -lcolamd -lbtf -lsuitesparseconfig ")
endif()
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")

# Installs the two libraries of a precision and their pkg-config file.
function(install_precision name cflags private_libraries)
    set(pc_name ${name})
    set(pc_cflags ${cflags})
    configure_file(${packaging}/noether.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    string(REPLACE "-" "_" export_name ${name})
    set_target_properties(${name}-shared PROPERTIES EXPORT_NAME ${export_name})
    set_target_properties(${name}-static PROPERTIES EXPORT_NAME ${export_name}_static)
    install(TARGETS ${name}-shared ${name}-static EXPORT NoetherTargets)
endfunction()

install_precision(noether "" "${private_libraries}")
if(has_QUAD)
    install_precision(noether-quad "-DNOE_QUAD" "${quad_private_libraries}")
endif()
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h)
install(FILES ${public_headers} TYPE INCLUDE)

if(TARGET noether)
    install(TARGETS noether)
    if(has_QUAD)
        install(TARGETS noether-quad
            RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/noether)
    endif()
    if(has_MPI)
        install(TARGETS noether-mpi)
    endif()
endif()

install(EXPORT NoetherTargets NAMESPACE Noether:: DESTINATION ${package_directory})
configure_package_config_file(${packaging}/NoetherConfig.cmake.in
    ${PROJECT_BINARY_DIR}/NoetherConfig.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/NoetherConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/NoetherConfig.cmake
    ${PROJECT_BINARY_DIR}/NoetherConfigVersion.cmake DESTINATION ${package_directory})

install(FILES ${packaging}/noether.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${packaging}/noether.bash RENAME noether
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES LICENSE README.md TYPE DOC)
install(DIRECTORY docs/ TYPE DOC)
install(DIRECTORY examples TYPE DOC)
install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/noether)
