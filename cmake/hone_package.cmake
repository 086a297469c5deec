# Debian packages by CPack, one for each component of cmake/hone_install.cmake; cmake/package.sh makes and tries them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hone)
set(CPACK_PACKAGE_VENDOR "hone")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tuner of GPU kernels")
if(NOT CPACK_PACKAGE_CONTACT) # the maintainer, who packs
  set(CPACK_PACKAGE_CONTACT "hone developers <hone@hone.invalid>")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL hone library known development kernels)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The worker and the program; the shared library starts the worker, so it needs this package.
set(CPACK_DEBIAN_HONE_PACKAGE_NAME hone)
set(CPACK_DEBIAN_HONE_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1, hone-kernels")
set(CPACK_DEBIAN_HONE_PACKAGE_SUGGESTS "pocl-opencl-icd, oclgrind")
set(CPACK_DEBIAN_HONE_DESCRIPTION "hone builds a GPU kernel once for every configuration of its tunable
parameters, proves each result right, measures it, finds the fastest and
remembers. Kernels are in OpenCL, CUDA or C.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libhone${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "hone (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "libhone tunes GPU kernels inside a program, looks up what is known of them,
and runs single configurations. This package has the shared library.")

set(CPACK_DEBIAN_KNOWN_PACKAGE_NAME libhone-known${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_KNOWN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_KNOWN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
set(CPACK_DEBIAN_KNOWN_DESCRIPTION "libhone-known looks up which configuration of a kernel an application takes
for a device and a size, in files that 'hone deploy --format known' wrote. It
needs nothing else of hone.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libhone-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libhone${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}), libhone-known${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "libhone tunes GPU kernels inside a program. This package has the headers
of libhone and libhone-known, and what pkg-config and CMake need to find them.")

set(CPACK_DEBIAN_KERNELS_PACKAGE_NAME hone-kernels)
set(CPACK_DEBIAN_KERNELS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_KERNELS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_KERNELS_PACKAGE_SUGGESTS hone)
set(CPACK_DEBIAN_KERNELS_DESCRIPTION "Matrix multiplications in OpenCL and CUDA, from naive ones to those that use
tensor cores, with their specs and the results that are known of them.")

# What Debian wants of every package: its licence and its changelog.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(files ${PROJECT_BINARY_DIR}/debian)
file(WRITE ${files}/changelog "hone (${PROJECT_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md in the package hone.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(WRITE ${files}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hone

Files: *
Copyright: 2026 the hone developers
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
if(GZIP)
  execute_process(COMMAND ${GZIP} -9nf ${files}/changelog)
  foreach(component hone library known development kernels)
    string(TOUPPER ${component} upper)
    install(FILES ${files}/changelog.gz ${files}/copyright
            DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component}
            EXCLUDE_FROM_ALL)
  endforeach()
endif()
include(CPack)
