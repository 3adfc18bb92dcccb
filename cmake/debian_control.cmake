# cpack reads this before it makes Debian packages: what the shared libraries' packages say to other packages. CPack's own
# way would have each package call ldconfig in scripts, and knows no symbols files.
cmake_minimum_required(VERSION 3.22)
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
if(NOT CPACK_FRESHET_LIBRARY_TYPE STREQUAL "SHARED_LIBRARY")
  message(FATAL_ERROR "Debian packages are made of a shared build: cmake --preset package")
endif()

# It would be the first line of each package's description.
unset(CPACK_PACKAGE_DESCRIPTION_SUMMARY)
find_program(gensymbols dpkg-gensymbols REQUIRED)
find_program(shlibdeps dpkg-shlibdeps REQUIRED)
set(packages ${CPACK_FRESHET_BUILD}/debian)
file(REMOVE_RECURSE ${packages})
file(WRITE ${packages}/control "Source: freshet\n")

# describe_library(component library): its symbols, shlibs and triggers, and what it depends on. dpkg-shlibdeps finds one
# library's symbols file where the other depends on it, as both lie below debian/.
macro(describe_library component library)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(tree ${packages}/${package})
  set(soname lib${library}.so.${CPACK_FRESHET_SONAME_VERSION})
  file(COPY ${CPACK_FRESHET_BUILD}/src/${soname} DESTINATION ${tree}/usr/${CPACK_FRESHET_LIBDIR} FOLLOW_SYMLINK_CHAIN)
  file(WRITE ${tree}/DEBIAN/triggers "activate-noawait ldconfig\n")
  file(WRITE ${tree}/DEBIAN/shlibs
    "lib${library} ${CPACK_FRESHET_SONAME_VERSION} ${package} (>= ${CPACK_PACKAGE_VERSION})\n")
  execute_process(COMMAND ${gensymbols} -p${package} -v${CPACK_PACKAGE_VERSION} -c1 -P${tree}
    -e${tree}/usr/${CPACK_FRESHET_LIBDIR}/${soname} -I${CMAKE_CURRENT_LIST_DIR}/../packaging/debian/lib${library}.symbols
    -O${tree}/DEBIAN/symbols WORKING_DIRECTORY ${CPACK_FRESHET_BUILD} RESULT_VARIABLE status OUTPUT_VARIABLE missing)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${missing}\n${library} lacks symbols that packaging/debian/lib${library}.symbols lists. Programs that "
      "need them would no longer start: see packaging/README.md.")
  endif()
  execute_process(COMMAND ${shlibdeps} -O -e${tree}/usr/${CPACK_FRESHET_LIBDIR}/${soname}
    WORKING_DIRECTORY ${CPACK_FRESHET_BUILD} OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "shlibs:Depends=" "" CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${tree}/DEBIAN/triggers ${tree}/DEBIAN/shlibs ${tree}/DEBIAN/symbols)
endmacro()

describe_library(freshet_library freshet)
if(CPACK_DEBIAN_FRESHET_EACH_LINE_PACKAGE_NAME)
  describe_library(freshet_each_line freshet_each_line)
endif()
