# `cpack` makes Debian packages of a shared build (the preset `package`), and `cpack --config CPackSourceConfig.cmake` the
# source archive. Why these packages: doc/decisions/0029-packages.md.
# For Windows it makes a zip, which is used where it is unpacked.
if(WIN32)
  set(CPACK_GENERATOR ZIP)
  set(CPACK_PACKAGE_FILE_NAME freshet-${PROJECT_VERSION}-windows-x86_64)
  include(CPack)
  return()
endif()

set(soname_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(packaging ${PROJECT_SOURCE_DIR}/packaging/debian)

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Freshet maintainers <maintainers@freshet.invalid>")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/debian_control.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# What debian_control.cmake needs of this build.
set(CPACK_FRESHET_LIBRARY_TYPE ${library_type})
set(CPACK_FRESHET_SONAME_VERSION ${soname_version})
set(CPACK_FRESHET_BUILD ${PROJECT_BINARY_DIR})
set(CPACK_FRESHET_LIBDIR ${CMAKE_INSTALL_LIBDIR})

# add_package(component name section SUMMARY text DESCRIPTION text)
function(add_package component name section)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "SUMMARY;DESCRIPTION" "")
  string(TOUPPER ${component} upper)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${arg_SUMMARY}\n${arg_DESCRIPTION}" PARENT_SCOPE)
  # For packages only: what `cmake --install` installs has none of it.
  if(EXISTS ${packaging}/${name}.lintian-overrides)
    install(FILES ${packaging}/${name}.lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${name}
      COMPONENT ${component} EXCLUDE_FROM_ALL)
  endif()
  install(CODE "set(package ${name})\nset(source ${PROJECT_SOURCE_DIR})\ninclude(${PROJECT_SOURCE_DIR}/cmake/debian_documents.cmake)"
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

set(CPACK_COMPONENTS_ALL "")
if(FRESHET_BUILD_TOOL)
  add_package(freshet_command freshet utils
    SUMMARY "find the fastest way to write and read files on this machine"
    DESCRIPTION "freshet measures many ways to move bytes between memory and files: plain
calls, direct I/O, io_uring and more, each with its CPU time, until the
program may go on and until the disk has the data. It keeps the fastest as
the profile of the file system, with which programs that use the library
libfreshet open their files.
It also compares builds of a program, languages, libraries and file systems,
looks for what distorts measurements, and seals files.")
  set(CPACK_DEBIAN_FRESHET_COMMAND_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_FRESHET_COMMAND_PACKAGE_SUGGESTS "libfreshet-dev, fio, hyperfine")
endif()
add_package(freshet_library libfreshet${soname_version} libs
  SUMMARY "C++ file streams that write and read the fastest way - library"
  DESCRIPTION "libfreshet has file streams for C++ programs: a drop-in std::ofstream and
std::ifstream, and a leaner writer and reader. They find out while they write
whether the page cache or direct I/O is faster, or use the profile that the
command freshet has saved.
This package has the shared library.")
set(exact_library "libfreshet${soname_version} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_FRESHET_DEVELOPMENT_PACKAGE_DEPENDS ${exact_library})
if(FRESHET_HAS_TBB)
  add_package(freshet_each_line libfreshet-each-line${soname_version} libs
    SUMMARY "apply a function to every line of a file on all cores - library"
    DESCRIPTION "freshet::each_line cuts a file into blocks of whole lines, transforms them on
all cores, and writes the results in order.
This package has the shared library. It is apart from libfreshet because it
needs oneTBB.")
  string(APPEND CPACK_DEBIAN_FRESHET_DEVELOPMENT_PACKAGE_DEPENDS
    ", libfreshet-each-line${soname_version} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
endif()
add_package(freshet_development libfreshet-dev libdevel
  SUMMARY "C++ file streams that write and read the fastest way - development"
  DESCRIPTION "libfreshet has file streams for C++ programs: a drop-in std::ofstream and
std::ifstream, and a leaner writer and reader.
This package has the headers, and the files for CMake's find_package(freshet)
and for pkg-config (freshet, freshet-each-line).")
set(CPACK_DEBIAN_FRESHET_DEVELOPMENT_PACKAGE_SUGGESTS "freshet, libfmt-dev")

set(CPACK_SOURCE_GENERATOR TXZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME freshet-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES /\\.git/ /\\.git$ /\\.gitignore$ ^${PROJECT_SOURCE_DIR}/build/ ^${PROJECT_SOURCE_DIR}/build- /node_modules/
  /__pycache__/)
include(CPack)
