# An overlay port: it builds the library of the repository, or the source archive, that it is part of.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    uring FRESHET_WITH_URING
    libaio FRESHET_WITH_LIBAIO
    openssl FRESHET_WITH_OPENSSL
    zstd FRESHET_WITH_ZSTD
    xxhash FRESHET_WITH_XXHASH
    each-line FRESHET_WITH_TBB
    tool FRESHET_BUILD_TOOL
)

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DFRESHET_BUILD_TESTS=OFF
    -DFRESHET_BUILD_BENCHMARKS=OFF
    -DFRESHET_INSTALL=ON
    -DFRESHET_INSTALLED_ONLY=ON
    -DFRESHET_WITH_MPI=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/freshet)
vcpkg_fixup_pkgconfig()
if("tool" IN_LIST FEATURES)
  # freshet finds freshet-lab beside itself, which finds its peers from there as from libexec/freshet.
  vcpkg_copy_tools(TOOL_NAMES freshet AUTO_CLEAN)
  vcpkg_copy_tools(TOOL_NAMES freshet-lab SEARCH_DIR "${CURRENT_PACKAGES_DIR}/libexec/freshet")
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/libexec" "${CURRENT_PACKAGES_DIR}/debug/libexec")
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
