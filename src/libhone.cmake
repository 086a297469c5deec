# src/*.c: the conveyors as objects, and libhone around them and everything below.
add_library(hone_conveyors OBJECT
  best.c
  check.c
  compare.c
  compare_end.c
  compare_heat.c
  compare_plan.c
  contenders.c
  defaults.c
  directions.c
  findings.c
  goal.c
  part.c
  peak.c
  peak_find.c
  peak_kernels.c
  pick.c
  races.c
  races_read.c
  races_source.c
  replay.c
  score.c
  score_curve.c
  settle.c ship.c
  sizes.c
  stages.c
  stored.c
  sweep.c
  sweep_heat.c
  sweep_plan.c
  tune.c
  tune_baseline.c
  tune_goal.c
  tune_known.c
  tune_rank.c
  tune_replay.c)
target_include_directories(hone_conveyors PUBLIC ${PROJECT_SOURCE_DIR}/src
                                                 ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(hone_conveyors PUBLIC m)

add_library(libhone SHARED api.c)
target_include_directories(libhone PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(libhone PRIVATE hone_conveyors PkgConfig::JANSSON PkgConfig::SQLITE
                                      Threads::Threads m)
foreach(module ${stack})
  target_link_libraries(libhone PRIVATE hone_${module})
endforeach()
# Where the worker of an installed hone is.
target_compile_definitions(libhone PRIVATE
                           HONE_WORKER="${CMAKE_INSTALL_FULL_BINDIR}/hone-worker")
if(NOT HONE_SANITIZE) # whose functions come with the program
  target_link_options(libhone PRIVATE -Wl,-z,defs)
endif()
set_target_properties(libhone PROPERTIES
  OUTPUT_NAME hone
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

configure_file(${PROJECT_SOURCE_DIR}/cmake/hone.pc.in ${PROJECT_BINARY_DIR}/hone.pc @ONLY)
install(TARGETS libhone LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/hone/hone.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hone)
install(FILES ${PROJECT_BINARY_DIR}/hone.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# A spec names its kernel of the other language by a path beside its own folder.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels_cl DESTINATION ${CMAKE_INSTALL_DATADIR}/hone)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels_cu DESTINATION ${CMAKE_INSTALL_DATADIR}/hone)
