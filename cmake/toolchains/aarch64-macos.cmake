# macOS on Apple's processors, with zig: cmake -S . -B b --toolchain cmake/toolchains/aarch64-macos.cmake
set(processor aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/zig/macos.cmake)
