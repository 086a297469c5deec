# hone_text(FILE NAME OUTPUT): a C file with the text of FILE as `const char NAME[]`, made when FILE changes. As a script
# it is what makes it: cmake -DFILE=... -DNAME=... -DOUTPUT=... -P hone_text.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${FILE} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n"
         bytes "${bytes}")
  file(WRITE ${OUTPUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
  return()
endif()
include_guard()
set(hone_text_script ${CMAKE_CURRENT_LIST_FILE})
function(hone_text FILE NAME OUTPUT)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/${FILE})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${OUTPUT})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DNAME=${NAME} -DOUTPUT=${output} -P ${hone_text_script}
    DEPENDS ${file} ${hone_text_script} VERBATIM)
endfunction()
