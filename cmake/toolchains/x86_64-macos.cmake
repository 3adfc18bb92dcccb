# macOS on Intel's processors, with zig: cmake -S . -B b --toolchain cmake/toolchains/x86_64-macos.cmake
set(processor x86_64)
include(${CMAKE_CURRENT_LIST_DIR}/zig/macos.cmake)
