# The stages of other systems, which script/stages.sh reads.
# shellcheck shell=bash

# The library where it has the calls of POSIX alone. What needs more of Linux is left out, as tests/systems/posix.txt lists.
systems() {
  local without may_skip=() sample=()
  build posix && without=$(tests/systems/left_out.py tests/systems/posix.txt build/posix) || return
  sample=(-E "$without")
  run_tests build/posix 'repository|packaging|slow|measures'
}

# The library for another processor, or with another C library, a different one with each seed; the complete test has all.
processors() {
  has_time_for 55 "${other_systems[@]}" || return
  local systems=(aarch64 s390x musl) system status=0
  [[ -n ${FRESHET_TEST_COMPLETE:-} ]] || systems=("${systems[FRESHET_TEST_SEED / 3 % 3]}")
  build release --target exchange exchange_store || return
  for system in "${systems[@]}"; do tests/systems/foreign.sh "$system" build/release/tests || status=1; done
  return $status
}

# The library as other projects build it, for a system that the seed draws; the complete test has all. Whatever is drawn, the
# sources that use the seam are compiled alone.
consumers() {
  has_time_for 55 "${other_systems[@]}" || return
  local systems=(linux posix aarch64 s390x musl windows macos-x86_64 macos-aarch64)
  [[ -n ${FRESHET_TEST_COMPLETE:-} ]] || systems=("${systems[FRESHET_TEST_SEED % 8]}")
  tests/systems/consumers.sh --alone && tests/systems/consumers.sh "${systems[@]}"
}

# The library and the command for Windows by mingw-w64, and their tests under Wine, of which the library's are a sample.
windows() {
  has_time_for 55 "${other_systems[@]}" || return
  build windows --target all windows_test || return
  tests/systems/windows_tests.sh build/windows/tests/windows_test.exe &&
    tests/systems/windows/command_test.py build/windows/tool/freshet.exe build/windows/tests &&
    tests/systems/windows/unlocked_stdio.sh build/windows/tests && tests/systems/windows/package_test.sh build/windows
}

# The library for macOS on one kind of processor, and a program that uses what was installed of it: without optimisation, as
# nobody runs it. To link it, zig first compiles the C++ library of that processor, longer than all else here takes.
macos_on() {
  local build=$here/build/macos/$1
  local options=(-G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O0 -fno-sanitize=undefined"
    --toolchain "$here/cmake/toolchains/$1-macos.cmake")
  cmake -S . -B "$build" "${options[@]}" -DCMAKE_UNITY_BUILD=ON -DFRESHET_WERROR=ON && cmake --build "$build" &&
    cmake --install "$build" --prefix "$build/root" &&
    cmake -S tests/systems/macos/program -B "$build/program" "${options[@]}" -Dfreshet_DIR="$build/root/lib/cmake/freshet" &&
    cmake --build "$build/program" && tests/systems/macos/macho.py "$build/program/program" "$1"
}

# Built, not run. ccache does not know zig, which keeps by itself what it has compiled.
macos() {
  has_time_for 55 "${other_systems[@]}" || return
  export ZIG_GLOBAL_CACHE_DIR=$here/build/zig
  unset CMAKE_CXX_COMPILER_LAUNCHER
  macos_on x86_64 && macos_on aarch64
}
