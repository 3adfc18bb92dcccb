# `cmake --install`: the library for find_package(freshet) and pkg-config, and the command.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/freshet)
get_target_property(library_type freshet TYPE)

install(TARGETS freshet EXPORT freshet-targets
  LIBRARY COMPONENT freshet_library NAMELINK_COMPONENT freshet_development ARCHIVE COMPONENT freshet_development
  RUNTIME COMPONENT freshet_library)
if(FRESHET_HAS_TBB)
  install(TARGETS freshet_each_line EXPORT freshet-targets
    LIBRARY COMPONENT freshet_each_line NAMELINK_COMPONENT freshet_development ARCHIVE COMPONENT freshet_development)
endif()
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME freshet_development)
install(DIRECTORY include/freshet TYPE INCLUDE)
install(EXPORT freshet-targets NAMESPACE freshet:: DESTINATION ${package_dir})

string(TIMESTAMP page_date "%Y-%m-%d" UTC)
configure_file(cmake/freshet.3.in freshet.3 @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/freshet.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

# A package that the library was built with, and the library that is linked for it. CMake comes without a module that
# finds some of them.
function(add_dependency name package library)
  if(NOT FRESHET_HAS_${name})
    return()
  endif()
  set(dependencies ${dependencies} ${package} PARENT_SCOPE)
  set(private_libraries ${private_libraries} -l${library} PARENT_SCOPE)
  if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/Find${package}.cmake)
    install(FILES cmake/Find${package}.cmake DESTINATION ${package_dir})
  endif()
endfunction()

# What a program must link beside a static freshet; a shared one brings it along.
set(dependencies "")
set(private_libraries "")
set(each_line_private_libraries "")
if(library_type STREQUAL STATIC_LIBRARY)
  set(dependencies Threads)
  set(private_libraries -pthread)
  if(WIN32)
    list(APPEND private_libraries -lntdll -ladvapi32)
  endif()
  add_dependency(URING liburing uring)
  add_dependency(LIBAIO libaio aio)
  add_dependency(OPENSSL OpenSSL crypto)
  add_dependency(ZSTD libzstd zstd)
  add_dependency(XXHASH xxhash xxhash)
  if(FRESHET_HAS_TBB)
    list(APPEND dependencies TBB)
    set(each_line_private_libraries -ltbb)
  endif()
endif()
list(JOIN private_libraries " " private_libraries)

configure_package_config_file(cmake/freshet-config.cmake.in freshet-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(freshet-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/freshet-config.cmake ${PROJECT_BINARY_DIR}/freshet-config-version.cmake
  DESTINATION ${package_dir})

# Relative to the file itself, so that a prefix given to `cmake --install`, or an installation moved later, holds.
# The system's own directories are named as such: pkg-config leaves them out of what it prints.
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
  set(pc_prefix /usr)
else()
  file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  set(pc_prefix "\${pcfiledir}/${pc_to_prefix}")
endif()
configure_file(cmake/freshet.pc.in freshet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/freshet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(FRESHET_HAS_TBB)
  configure_file(cmake/freshet-each-line.pc.in freshet-each-line.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/freshet-each-line.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# The same of this build, for who builds with it where it lies: pkg-config prefers NAME-uninstalled.pc.
if(NOT library_type STREQUAL STATIC_LIBRARY)
  set(built_rpath " -Wl,-rpath,$<TARGET_FILE_DIR:freshet>")
endif()
if(FRESHET_SANITIZE)
  set(built_sanitizers " -fsanitize=${FRESHET_SANITIZE}")
endif()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/freshet-uninstalled.pc CONTENT
"libdir=$<TARGET_FILE_DIR:freshet>
includedir=${PROJECT_SOURCE_DIR}/include

Name: freshet
Description: ${PROJECT_DESCRIPTION}
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}
Libs: -L\${libdir} -lfreshet${built_rpath}${built_sanitizers}
Libs.private: ${private_libraries}
")

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME freshet_command)
if(FRESHET_BUILD_TOOL)
  if(FRESHET_SYSTEM STREQUAL linux)
    install(DIRECTORY peer DESTINATION ${CMAKE_INSTALL_DATADIR}/freshet PATTERN __pycache__ EXCLUDE)
  endif()
  # The laboratory, as far as there is one, which freshet starts: nobody calls it by its name.
  set(laboratory "")
  foreach(program freshet_lab freshet_mpi_lab)
    if(TARGET ${program})
      list(APPEND laboratory ${program})
    endif()
  endforeach()
  if(laboratory)
    install(TARGETS ${laboratory} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/freshet OPTIONAL)
  endif()
  if(FRESHET_USAGE_DIR)
    install(DIRECTORY ${FRESHET_USAGE_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES ${FRESHET_USAGE_DIR}/bash/freshet DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${FRESHET_USAGE_DIR}/zsh/_freshet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${FRESHET_USAGE_DIR}/fish/freshet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
  install(TARGETS freshet_command)
endif()

# All that is installed, which CMake installs without building it; `all` also has the tests.
add_custom_target(freshet_installed DEPENDS freshet)
if(FRESHET_HAS_TBB)
  add_dependencies(freshet_installed freshet_each_line)
endif()
if(FRESHET_BUILD_TOOL)
  add_dependencies(freshet_installed freshet_command)
  if(laboratory AND NOT FRESHET_LAB_ON_DEMAND)
    add_dependencies(freshet_installed ${laboratory})
  endif()
  if(TARGET freshet_usage)
    add_dependencies(freshet_installed freshet_usage)
  endif()
endif()
