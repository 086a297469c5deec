# What every target of hone is built with, and the two functions the folders use:
#
#   hone_module(NAME SOURCES a.c b.c)          one folder of src/ as an object library hone_NAME
#   hone_test(NAME SOURCES t.c MODULES a b)    one test program from objects of those folders; THREADS where threads
#                                              of hone's or of the test's run in it, or in workers that it starts
include_guard()
include(GNUInstallDirs)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_GNU_SOURCE HONE_VERSION="${PROJECT_VERSION}")
add_compile_options(-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
                    -Wpointer-arith -Wwrite-strings -Wvla -ffp-contract=off)
if(HONE_WERROR)
  add_compile_options(-Werror)
endif()
if(HONE_FUZZ) # what goes wrong shall be seen
  set(HONE_SANITIZE ON)
endif()
if(HONE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(HONE_TSAN)
  if(HONE_SANITIZE)
    message(FATAL_ERROR "HONE_TSAN excludes HONE_SANITIZE and HONE_FUZZ: use a build folder for each")
  endif()
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(HONE_FUZZ) # tests/fuzz checks for the compiler that can do this
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.12)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.31)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
# Its headers are enough: the worker opens the loader at run time.
find_path(OpenCL_INCLUDE_DIRS CL/cl.h REQUIRED)
if(HONE_TESTS)
  find_package(OpenCL REQUIRED)
  pkg_check_modules(CHECK REQUIRED IMPORTED_TARGET check>=0.10)
endif()

# True when the folder is to be configured (see HONE_MODULES).
function(hone_wanted NAME RESULT)
  set(wanted TRUE)
  if(HONE_MODULES AND NOT NAME IN_LIST HONE_MODULES)
    set(wanted FALSE)
  endif()
  set(${RESULT} ${wanted} PARENT_SCOPE)
endfunction()

function(hone_module NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(hone_${NAME} OBJECT ${ARG_SOURCES})
  target_include_directories(hone_${NAME} PUBLIC
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/core ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(hone_${NAME} PUBLIC m ${ARG_LIBRARIES})
endfunction()

function(hone_test NAME)
  cmake_parse_arguments(ARG "THREADS" "TIMEOUT" "SOURCES;MODULES;LIBRARIES;DEFINITIONS" ${ARGN})
  add_executable(test_${NAME} ${ARG_SOURCES})
  foreach(module ${ARG_MODULES})
    target_link_libraries(test_${NAME} PRIVATE hone_${module})
  endforeach()
  target_link_libraries(test_${NAME} PRIVATE PkgConfig::CHECK Threads::Threads ${ARG_LIBRARIES})
  target_compile_definitions(test_${NAME} PRIVATE HONE_TEST_DATA="${HONE_TEST_DATA}"
    HONE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" HONE_BINARY_DIR="${PROJECT_BINARY_DIR}"
    ${ARG_DEFINITIONS})
  add_test(NAME ${NAME} COMMAND test_${NAME})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  # A test program that exits 77 was skipped, and ctest says so. Those that may take long start
  # first, so that none is left alone at the end. A busy machine, or a sanitizer, takes three times as long.
  math(EXPR limit "3 * ${ARG_TIMEOUT}")
  set_tests_properties(${NAME} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${limit} COST ${ARG_TIMEOUT})
  if(ARG_THREADS) # what cmake/test.sh --tsan builds and runs
    set_tests_properties(${NAME} PROPERTIES LABELS threads)
    add_dependencies(tests_with_threads test_${NAME})
  endif()
endfunction()

# The test program's allocations fail on order (tests/support/failing.h).
function(failing_allocator PROGRAM)
  target_sources(${PROGRAM} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/failing.c)
  if(HONE_SANITIZE OR HONE_TSAN)
    target_compile_definitions(${PROGRAM} PRIVATE HONE_FAILING_WRAP)
    target_link_options(${PROGRAM} PRIVATE -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc)
  endif()
endfunction()
