# What `cmake --install` puts where. The tree can be moved as a whole: hone and libhone find the worker by where they lie
# (src/os/beside.c), and hone.pc and the CMake package name every folder by where they lie themselves.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS hone RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS hone-worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hone)
install(TARGETS libhone EXPORT hone
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The kernels with their specs, and what is known of them. A spec names its CUDA kernel by a path beside its own folder.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels_cl ${PROJECT_SOURCE_DIR}/kernels_cu
        DESTINATION ${CMAKE_INSTALL_DATADIR}/hone)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/src/doc/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The man page and the completion come from the program's tables of options.
set(pages ${PROJECT_BINARY_DIR}/hone.1 ${PROJECT_BINARY_DIR}/hone.bash)
add_custom_command(OUTPUT ${pages}
  COMMAND hone help --man > ${PROJECT_BINARY_DIR}/hone.1
  COMMAND hone help --completion > ${PROJECT_BINARY_DIR}/hone.bash
  DEPENDS hone VERBATIM)
add_custom_target(hone_man ALL DEPENDS ${pages})
install(FILES ${PROJECT_BINARY_DIR}/hone.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/hone.bash
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hone)

# find_package(hone) gives hone::hone.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/hone)
set(KERNELS ${CMAKE_INSTALL_DATADIR}/hone)
set(WORKER ${CMAKE_INSTALL_LIBEXECDIR}/hone/hone-worker)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hone-config.cmake.in ${PROJECT_BINARY_DIR}/hone-config.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS KERNELS WORKER)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hone-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT hone NAMESPACE hone:: DESTINATION ${package} FILE hone-targets.cmake)
install(FILES ${PROJECT_BINARY_DIR}/hone-config.cmake ${PROJECT_BINARY_DIR}/hone-config-version.cmake
        DESTINATION ${package})

# pkg-config hone. With a static library a program links what libhone links, too.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up "${up}")
foreach(folder LIBDIR INCLUDEDIR DATADIR LIBEXECDIR)
  file(RELATIVE_PATH ${folder} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${folder}})
endforeach()
set(links " -lm -pthread -l${CMAKE_DL_LIBS}")
if(BUILD_SHARED_LIBS)
  set(private .private)
  set(links)
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/hone.pc.in ${PROJECT_BINARY_DIR}/hone.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Removes what the last `cmake --install` of this build folder wrote down: cmake --build BUILD --target uninstall
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()
