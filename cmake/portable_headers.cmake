# find_headers(<variable> <folder>/<header>): sets the variable to a directory with that folder, for packages that are headers
# only. Where another system is built for, and its packages have none, takes those of the building system, but not its other
# headers: a copy of the folder.
function(find_headers variable header)
  find_path(${variable} ${header})
  if(NOT ${variable} AND CMAKE_CROSSCOMPILING)
    find_path(${variable}_OF_HOST ${header} PATHS /usr/local/include /usr/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    mark_as_advanced(${variable}_OF_HOST)
    if(${variable}_OF_HOST)
      cmake_path(GET header PARENT_PATH folder)
      file(COPY ${${variable}_OF_HOST}/${folder} DESTINATION ${CMAKE_BINARY_DIR}/headers)
      set(${variable} ${CMAKE_BINARY_DIR}/headers CACHE PATH "Where ${header} is" FORCE)
    endif()
  endif()
  if(NOT ${variable})
    message(FATAL_ERROR "${header} was not found")
  endif()
  mark_as_advanced(${variable})
endfunction()

# add_header_package(<target> <variable> <folder>/<header> [<definition>…]): such a package as an imported target, unless there
# is one.
function(add_header_package target variable header)
  if(TARGET ${target})
    return()
  endif()
  find_headers(${variable} ${header})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${variable}})
  target_compile_definitions(${target} INTERFACE ${ARGN})
endfunction()
