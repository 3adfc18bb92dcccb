#!/usr/bin/env bash
# Builds the library for other systems as projects that use it do, without joined sources: consumers.sh SYSTEM…
# SYSTEM: linux, posix, aarch64, s390x, musl, windows, macos-x86_64, macos-aarch64, each compiled and linked by add_subdirectory()
# and, once installed, by find_package(), and run where this machine can. Neither may print a warning.
# consumers.sh --alone: compiles alone each source that uses the seam, for Windows, whose paths and handles have other types; and
# those of the seam itself for Linux, with the calls of POSIX alone, and on other processors. macOS and musl take a compiler that
# has no such mode.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
source=${here%/tests/systems}
export ZIG_GLOBAL_CACHE_DIR=$source/build/zig FRESHET_PROFILE=none WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
unset DISPLAY

# What CMake needs to know of the system, and how its programs start; nothing where they cannot.
choose_system() {
  local toolchains=$source/cmake/toolchains
  build=$source/build/consumers/$1
  options=(-G Ninja -D CMAKE_BUILD_TYPE=Debug -D "CMAKE_CXX_FLAGS_DEBUG=-O0" -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
  library_options=(-D FRESHET_WERROR=ON)
  start=(env)
  case $1 in
    linux) ;;
    posix) library_options+=(-D FRESHET_SYSTEM=posix) ;;
    aarch64 | s390x)
      options+=(--toolchain "$toolchains/$1-linux-gnu.cmake" -D FRESHET_ROOT=)
      start=("qemu-$1-static" -L "/usr/$1-linux-gnu") ;;
    musl) options+=(--toolchain "$toolchains/x86_64-linux-musl.cmake") ;;
    windows)
      options+=(--toolchain "$toolchains/x86_64-w64-mingw32.cmake")
      export WINEPREFIX=$build/wine
      start=(/usr/lib/wine/wine64) ;;
    macos-*)
      options+=(--toolchain "$toolchains/${1#macos-}-macos.cmake")
      start=() ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
  esac
  # ccache does not know zig, whose builds would check for undefined behaviour.
  if [[ $1 == musl || $1 == macos-* ]]; then
    unset CMAKE_CXX_COMPILER_LAUNCHER
    options+=(-D "CMAKE_CXX_FLAGS_DEBUG=-O0 -fno-sanitize=undefined")
  fi
}

# consume PROJECT FOLDER OPTION…: configures and builds the project in that folder, quietly, and runs what it built.
consume() {
  local project=$1 folder=$2 program
  { cmake -S "$source/tests/consumer/$project" -B "$folder" "${options[@]}" "${@:3}" && cmake --build "$folder"; } \
    >"$folder.log" 2>&1 || { tail -n 60 "$folder.log"; return 1; }
  if grep -iE 'warning[ :]' "$folder.log"; then return 1; fi
  for program in "$folder"/*consumer "$folder"/*consumer.exe; do
    [[ -f $program && ${#start[@]} -gt 0 ]] || continue
    (cd "$folder" && "${start[@]}" "$program" </dev/null)
    echo "   ${program##*/} of $project ran"
  done
}

build_and_run() {
  local began=$SECONDS
  choose_system "$1"
  rm -rf "$build"/{root,installed,subdirectory/consumer*}
  mkdir -p "$build"
  consume subdirectory "$build/subdirectory" "${library_options[@]}" -D FRESHET_INSTALL=ON
  cmake --install "$build/subdirectory" --prefix "$build/root" >"$build/install.log"
  consume installed "$build/installed" -D "freshet_DIR=$(dirname -- "$(find "$build/root" -name freshet-config.cmake)")"
  echo "== $1 in other projects: $((SECONDS - began)) s"
}

# check_alone SYSTEM [FOLDER]
check_alone() {
  local began=$SECONDS
  choose_system "$1"
  cmake -S "$source/tests/consumer/subdirectory" -B "$build.alone" "${options[@]}" "${library_options[@]}" >/dev/null
  "$here/alone.py" "$build.alone" "${@:2}"
  echo "== $1, sources alone: $((SECONDS - began)) s"
}

if [[ ${1:-} == --alone ]]; then
  check_alone windows
  check_alone linux os/linux
  check_alone posix os/posix
  check_alone aarch64 os/linux
  check_alone s390x os/linux
  exit
fi
[[ $# -gt 0 ]] || choose_system ''
for system in "$@"; do build_and_run "$system"; done
