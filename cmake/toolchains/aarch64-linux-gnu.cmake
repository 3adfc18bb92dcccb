# Linux on aarch64, with Debian's g++-aarch64-linux-gnu: cmake -S . -B b --toolchain cmake/toolchains/aarch64-linux-gnu.cmake
set(processor aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gnu.cmake)
