#!/usr/bin/env bash
# Programs that include <freshet/unlocked_stdio.h>, by each compiler that is here, standard and kind of build: they compile
# without a warning, write and read what they should, and ask the linker for the unlocked functions only.
# Takes 10 s: some thirty compilations.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
include=$here/../../../../include
readonly strict=(-pedantic -Wall -Wextra -Wshadow -Wconversion -Werror -I"$include")
readonly locked='fread|fwrite|f?getc|getchar|f?putc|putchar|fgets|fputs|fflush|feof|ferror|clearerr|fileno'
builds=('-O0' '-O2' '-Os' '-O2 -D_FORTIFY_SOURCE=2' '-O2 -D_GNU_SOURCE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2')
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
checked=0

fail() {
  echo "$*" >&2
  exit 1
}

runs_well() {
  local said
  said=$(printf hi | "$place/program" "$place/file") || fail "exit code $?: $*"
  [[ $said == 'hi!' ]] || fail "it said '$said' instead of 'hi!': $*"
  checked=$((checked + 1))
}

# compiler standard build source language
check() {
  local how="$1 $2 $3 $4" locked_calls
  # shellcheck disable=SC2086
  "$1" -std="$2" $3 "${strict[@]}" -c "$here/$4" -o "$place/consumer.o" || fail "$how"
  # shellcheck disable=SC2086
  "$1" -std="$2" $3 "${strict[@]}" -c -x "$5" "$here/address.c" -o "$place/address.o" || fail "$how"
  "$1" "$place/consumer.o" "$place/address.o" -o "$place/program"
  runs_well "$how"
  locked_calls=$(nm -u "$place/consumer.o" | grep -oE "\\b(__)?($locked)(_chk)?$" || true)
  [[ -z $locked_calls ]] || fail "$how still calls" $locked_calls
  nm -u "$place/consumer.o" | grep -q '\bfwrite_unlocked$' || fail "$how: no fwrite_unlocked"
}

# The path of the first of the given programs that is here.
first_of() { command -v "$@" | head -n 1; }

mapfile -t c < <(first_of gcc; first_of clang clang-14)
mapfile -t cpp < <(first_of g++; first_of clang++ clang++-14)
[[ ${#c[@]} -gt 0 && ${#cpp[@]} -gt 0 ]] || fail "no compilers"

for build in "${builds[@]}"; do
  for compiler in "${c[@]}"; do
    for standard in c99 c11 gnu11; do check "$compiler" "$standard" "$build" consumer.c c; done
  done
  [[ $build == *GNU_SOURCE* ]] && continue  # C++ compilers define it themselves
  for compiler in "${cpp[@]}"; do
    for standard in c++11 c++20; do check "$compiler" "$standard" "$build -Wold-style-cast" consumer.cpp c++; done
  done
done
"${CXX:-c++}" -std=c++20 "${strict[@]}" -Wold-style-cast "$here/windows.cpp" -o "$place/program"
runs_well windows.cpp
echo "$checked programs by ${c[*]} ${cpp[*]}"
