# `cmake --install`: the library for find_package(freshet) and pkg-config, and the command.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/freshet)
get_target_property(library_type freshet TYPE)

install(TARGETS freshet EXPORT freshet-targets)
install(DIRECTORY include/freshet TYPE INCLUDE)
install(EXPORT freshet-targets NAMESPACE freshet:: DESTINATION ${package_dir})

# What a program must link beside a static freshet; a shared one brings it along.
set(dependencies "")
set(private_libraries "")
if(library_type STREQUAL STATIC_LIBRARY)
  set(dependencies Threads)
  set(private_libraries -pthread)
  if(FRESHET_HAS_URING)
    list(APPEND dependencies liburing)
    list(APPEND private_libraries -luring)
    install(FILES cmake/Findliburing.cmake DESTINATION ${package_dir})
  endif()
  if(FRESHET_HAS_LIBAIO)
    list(APPEND dependencies libaio)
    list(APPEND private_libraries -laio)
    install(FILES cmake/Findlibaio.cmake DESTINATION ${package_dir})
  endif()
endif()
list(JOIN private_libraries " " private_libraries)

configure_package_config_file(cmake/freshet-config.cmake.in freshet-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(freshet-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/freshet-config.cmake ${PROJECT_BINARY_DIR}/freshet-config-version.cmake
  DESTINATION ${package_dir})

# Relative to the file itself, so that a prefix given to `cmake --install`, or an installation moved later, holds.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/freshet.pc.in freshet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/freshet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(FRESHET_BUILD_TOOL)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(freshet_command PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS freshet_command)
endif()
