# For macOS 12 and later, with the clang, the headers and the linker of zig: what the toolchain files have in common that set
# `processor`.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(zig_target ${processor}-macos.12.0)
include(${CMAKE_CURRENT_LIST_DIR}/compiler.cmake)
