# Linux on s390x, with Debian's g++-s390x-linux-gnu: cmake -S . -B b --toolchain cmake/toolchains/s390x-linux-gnu.cmake
set(processor s390x)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gnu.cmake)
