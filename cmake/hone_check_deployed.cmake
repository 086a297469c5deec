# hone_check_deployed(FILE... [SPEC spec.json] [TARGET target...]): the build fails where a file that `hone deploy` wrote is
# of an older spec or kernel. It is looked at in every build, before the targets (without TARGET: with `all`). SPEC says
# which spec it is of, where that lies elsewhere than when the file was written.
#
# hone_EXECUTABLE is the program; without one a warning says that nothing is checked.
find_program(hone_EXECUTABLE hone HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../../../bin"
             DOC "The program hone, which checks deployed files")

function(hone_check_deployed)
  cmake_parse_arguments(ARG "" "SPEC" "TARGET" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hone_check_deployed: name the file that `hone deploy` wrote")
  endif()
  if(NOT hone_EXECUTABLE)
    message(WARNING "hone_check_deployed: the program hone is not found (hone_EXECUTABLE); deployed files are not checked")
    return()
  endif()
  foreach(file IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(file ${file} ABSOLUTE)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "hone_check_deployed: ${file}: there is no such file")
    endif()
    set(spec "")
    if(ARG_SPEC)
      get_filename_component(spec ${ARG_SPEC} ABSOLUTE)
    endif()
    string(MD5 name "${file}")
    get_filename_component(short ${file} NAME_WE)
    string(SUBSTRING ${name} 0 8 name)
    string(MAKE_C_IDENTIFIER "${short}" short)
    add_custom_target(hone_check_${short}_${name} ALL
                      COMMAND ${hone_EXECUTABLE} deploy --check ${file} ${spec}
                      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} COMMENT "" VERBATIM)
    foreach(target IN LISTS ARG_TARGET)
      add_dependencies(${target} hone_check_${short}_${name})
    endforeach()
  endforeach()
endfunction()
