# Linux with the C library musl and the C++ library libc++, with zig:
#   cmake -S . -B b --toolchain cmake/toolchains/x86_64-linux-musl.cmake
# Programs are linked statically, so they run on every Linux.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(zig_target x86_64-linux-musl)
include(${CMAKE_CURRENT_LIST_DIR}/zig/compiler.cmake)
# This clang has no such language.
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
