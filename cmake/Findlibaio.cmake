# The target libaio::libaio, where libaio is installed.
find_path(libaio_INCLUDE_DIR libaio.h)
find_library(libaio_LIBRARY aio)
mark_as_advanced(libaio_INCLUDE_DIR libaio_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libaio REQUIRED_VARS libaio_LIBRARY libaio_INCLUDE_DIR)

if(libaio_FOUND AND NOT TARGET libaio::libaio)
  add_library(libaio::libaio UNKNOWN IMPORTED)
  set_target_properties(libaio::libaio PROPERTIES
    IMPORTED_LOCATION "${libaio_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${libaio_INCLUDE_DIR}")
endif()
