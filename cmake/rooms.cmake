# add_room(<target> <FULL|LIGHT> <source>…): an object library of the command, compiled as one source: most of a file's compile
# time is the headers that its neighbours include, too. What is measured, or computes much, is optimised in FULL. What reads
# options, draws reports and writes records runs for milliseconds and is LIGHT: for who waits for the build, it is not worth the
# compiler's minutes (FRESHET_LIGHT_ROOMS).
function(add_room target level)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${tomlplusplus_INCLUDE_DIR})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  if(level STREQUAL LIGHT AND FRESHET_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(level STREQUAL LIGHT AND FRESHET_LIGHT_ROOMS)
    target_compile_options(${target} PRIVATE -Og)
  endif()
endfunction()

# precompile_headers_of(<target> <FULL|LIGHT>): has it share the precompiled header of the rooms of its level, where one
# compiler reads what it has written itself. Two rooms save what the header costs.
function(precompile_headers_of target level)
  if(NOT CMAKE_UNITY_BUILD OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)  # what ccache needs to look into a precompiled header
  get_property(owner GLOBAL PROPERTY freshet_rooms_precompiled_${level})
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tool/base/precompiled.hpp)
    set_property(GLOBAL PROPERTY freshet_rooms_precompiled_${level} ${target})
  endif()
endfunction()
