# Removes the files of an installation, and the folders of hone's own that are empty then. MANIFEST: what was installed.
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "${MANIFEST} is missing: nothing was installed from this build folder")
endif()
file(STRINGS "${MANIFEST}" files)
foreach(file IN LISTS files)
  file(REMOVE "$ENV{DESTDIR}${file}")
  get_filename_component(folder "$ENV{DESTDIR}${file}" DIRECTORY)
  set(status 0)
  while(status EQUAL 0 AND folder MATCHES "/hone(/|$)")
    execute_process(COMMAND rmdir ${folder} RESULT_VARIABLE status ERROR_QUIET) # not while something is in it
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
