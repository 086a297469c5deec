# What `cmake --install` puts where. The tree can be moved as a whole: hone and libhone find the worker by where they lie
# (src/core/os/beside.c), and hone.pc and the CMake package name every folder by where they lie themselves. The components are the
# packages of cmake/hone_package.cmake.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS hone RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT hone)
install(TARGETS hone-worker RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hone COMPONENT hone)
if(TARGET hone-capture)
  install(TARGETS hone-replay hone-capture RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hone COMPONENT hone
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/hone COMPONENT hone)
endif()
install(TARGETS libhone EXPORT hone
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS libhone-known EXPORT hone
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT known NAMELINK_COMPONENT development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/include/hone_known.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hone DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# The kernels with their specs, and what is known of them. A spec names its CUDA kernel by a path beside its own folder.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels_cl ${PROJECT_SOURCE_DIR}/kernels_cu
        DESTINATION ${CMAKE_INSTALL_DATADIR}/hone COMPONENT kernels)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT hone)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/doc/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT hone)

# The manual and the completions come from the program's tables of commands, options and topics.
set(pages ${PROJECT_BINARY_DIR}/man)
find_program(GZIP gzip)
if(GZIP)
  set(compress COMMAND ${GZIP} -9nr ${pages}/man1 ${pages}/man5 ${pages}/man7)
endif()
add_custom_command(OUTPUT ${pages}/hone.bash ${pages}/hone.zsh ${pages}/hone.fish ${pages}/hone.schema.json
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND hone help --print man --output ${pages}
  ${compress}
  COMMAND hone help --print bash > ${pages}/hone.bash
  COMMAND hone help --print zsh > ${pages}/hone.zsh
  COMMAND hone help --print fish > ${pages}/hone.fish
  COMMAND hone help --print schema > ${pages}/hone.schema.json
  DEPENDS hone VERBATIM)
add_custom_target(hone_man ALL DEPENDS ${pages}/hone.bash ${pages}/hone.zsh ${pages}/hone.fish ${pages}/hone.schema.json)
install(DIRECTORY ${pages}/man1 ${pages}/man5 ${pages}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT hone)
install(FILES ${pages}/hone.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/hone COMPONENT hone)
install(FILES ${pages}/hone.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hone COMPONENT hone)
install(FILES ${pages}/hone.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _hone COMPONENT hone)
install(FILES ${pages}/hone.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT hone)

# find_package(hone) gives hone::hone and hone::known.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/hone)
set(KERNELS ${CMAKE_INSTALL_DATADIR}/hone)
set(WORKER ${CMAKE_INSTALL_LIBEXECDIR}/hone/hone-worker)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hone-config.cmake.in ${PROJECT_BINARY_DIR}/hone-config.cmake
                              INSTALL_DESTINATION ${package} PATH_VARS KERNELS WORKER)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hone-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT hone NAMESPACE hone:: DESTINATION ${package} FILE hone-targets.cmake COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/hone-config.cmake ${PROJECT_BINARY_DIR}/hone-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/hone_check_deployed.cmake
        DESTINATION ${package} COMPONENT development)

# pkg-config hone and hone-known. With a static library a program links what libhone links, too; with a shared one it needs none
# of their development packages.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up "${up}")
foreach(folder LIBDIR INCLUDEDIR DATADIR LIBEXECDIR)
  file(RELATIVE_PATH ${folder} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${folder}})
endforeach()
set(requires)
set(links)
if(NOT BUILD_SHARED_LIBS)
  set(requires "Requires: jansson sqlite3 zlib\n")
  set(links " -lm -pthread -l${CMAKE_DL_LIBS}")
endif()
foreach(file hone.pc hone-known.pc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file}.in ${PROJECT_BINARY_DIR}/${file} @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/hone.pc ${PROJECT_BINARY_DIR}/hone-known.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Removes what the last `cmake --install` of this build folder wrote down: cmake --build BUILD --target uninstall. The prefix is
# written beside the list of files.
if(PROJECT_IS_TOP_LEVEL)
  install(CODE "
    set(prefix_file install_prefix)
    if(CMAKE_INSTALL_COMPONENT)
      set(prefix_file install_prefix_\${CMAKE_INSTALL_COMPONENT})
    endif()
    file(WRITE \"${PROJECT_BINARY_DIR}/\${prefix_file}.txt\" \"\${CMAKE_INSTALL_PREFIX}\")" ALL_COMPONENTS)
  add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(hone_package)
endif()
