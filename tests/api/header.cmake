# Compiles, links and runs a program in C++ with the public header: CXX, STANDARD, SOURCE, INCLUDE, LIBRARY, PROGRAM,
# and OPTION: -fsyntax-only where a program cannot link the library.
if(NOT CXX)
  message(STATUS "skipped: there is no compiler of C++")
  return()
endif()
get_filename_component(folder ${LIBRARY} DIRECTORY)
execute_process(
  COMMAND ${CXX} -std=c++${STANDARD} ${OPTION} -Wall -Wextra -pedantic-errors -Werror -I${INCLUDE} ${SOURCE}
          -o ${PROGRAM} ${LIBRARY} -Wl,-rpath,${folder}
  COMMAND_ERROR_IS_FATAL ANY)
if(NOT OPTION)
  execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
endif()
