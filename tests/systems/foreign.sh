#!/usr/bin/env bash
# Builds the library and its tests for another processor, or with another C library, and runs them here; its files are read by
# the build for this system, and the other way round: foreign.sh aarch64|s390x|musl TESTS
# TESTS has the programs exchange and exchange_store of this system's build. FRESHET_TEST_SEED chooses a sample of the tests;
# FRESHET_TEST_COMPLETE=1 runs all; under an emulator they draw as few examples as in ./test: thousands would take it hours.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source=${here%/tests/systems}
system=$1 tests=$2
build=$source/build/$system
root=$source/build/systems/$system
readonly packages=(libssl-dev libzstd-dev libxxhash-dev liburing-dev libaio-dev libtbb-dev libgmock-dev librapidcheck-dev
  libfmt-dev libtomlplusplus-dev libsqlitecpp-dev nlohmann-json3-dev libcli11-dev)
seed=${FRESHET_TEST_SEED:-$RANDOM}
programs=() left_out=''
work=$(mktemp -d "${FRESHET_TEST_DIR:-/var/tmp}/freshet-foreign.XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/systems/parts.sh
source "$here/parts.sh"
# The C++ library that zig compiles once for each way of linking.
export ZIG_GLOBAL_CACHE_DIR=$source/build/zig ZIG_LOCAL_CACHE_DIR=$source/build/zig
export FRESHET_PROFILE=none

case $system in
  aarch64) architecture=arm64 ;;
  s390x) architecture=s390x ;;
  musl)
    architecture=''
    unset CMAKE_CXX_COMPILER_LAUNCHER ;;  # ccache does not know zig, which keeps by itself what it has compiled
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac
emulator=()
if [[ -n $architecture ]]; then
  "$here/foreign_root.sh" "$architecture" "$root" "${packages[@]}"
  emulator=("qemu-$system-static" -L "$root")
fi

# step NAME COMMAND…: how long it took.
step() {
  local name=$1 start=$SECONDS
  shift
  "$@"
  echo "== $system, $name: $((SECONDS - start)) s"
}

configure_and_build() {
  cmake -S "$source" --preset "$system" -B "$build"
  # What RapidCheck, oneTBB or encryption are missing for is no target.
  mapfile -t programs < <(ninja -C "$build" -t targets all | sed -n 's|^tests/\([a-z_]*\): CXX_EXECUTABLE.*|\1|p')
  cmake --build "$build" --target public_headers "${programs[@]}"
}

# patterns WORD…: those of foreign_tests.txt behind these words, as a filter has them.
patterns() { awk -F '\t' -v words=" $* " '!/^#/ && index(words, " " $1 " ") { print $2 }' "$here/foreign_tests.txt" | paste -sd :; }

# run_program PROGRAM PARTS NUMBER FILTER: a part of it.
run_program() { run_part "$work/$1.$3.log" "$1" "$2" "$3" "$4" "${emulator[@]}" "$build/tests/$1"; }

# A sample is one part of each program, which take about as long as one another.
run_programs() {
  local lacks program parts number few=()
  declare -A parts_of=([os_test]=1 [src_test]=8 [src_optimized_test]=2 [each_line_test]=8 [allocation_test]=4)
  mapfile -t lacks < <("${emulator[@]}" "$build/tests/foreign_lacks")
  echo "$system lacks: ${lacks[*]:-nothing}"
  [[ -n ${FRESHET_TEST_COMPLETE:-} ]] || lacks+=(slow)
  if [[ -n $architecture ]]; then lacks+=(fork) few=(-u FRESHET_TEST_COMPLETE); fi
  left_out=$(patterns apart "${lacks[@]}")
  for program in "${programs[@]}"; do
    [[ $program == *_test ]] || continue
    parts=${parts_of[$program]:-1}
    for ((number = 0; number < parts; ++number)); do
      [[ -n ${FRESHET_TEST_COMPLETE:-} || $number -eq $((seed % parts)) ]] || continue
      printf '%s\0' "$program $parts $number *-$left_out"
    done
  done >"$work/parts"
  export -f run_part run_program
  export build work
  # shellcheck disable=SC2016 # expanded by that bash
  env "${few[@]}" EMULATOR="${emulator[*]}" xargs -0 -n 1 -P "$(nproc)" -a "$work/parts" bash -c \
    'read -ra emulator <<<"$EMULATOR"; read -r program parts number filter <<<"$1"; run_program "$program" "$parts" "$number" "$filter"' run_program
  run_program os_test 1 0 "$(patterns apart)"
}

# Some kernels for aarch64 have such pages.
run_with_large_pages() {
  emulator+=(-p 65536)
  left_out+=:$(patterns pages)
  run_program os_test 1 0 "*-$left_out"
  run_program src_test 1 0 "*mmap*-$left_out"
}

# What two systems write is the same, but for what is sealed, which has a random salt.
exchange_files() {
  local program file
  mkdir -p "$work/of_this" "$work/of_other"
  for program in exchange exchange_store; do
    "$tests/$program" write "$work/of_this"
    "${emulator[@]}" "$build/tests/$program" write "$work/of_other"
    "$tests/$program" read "$work/of_other"
    "${emulator[@]}" "$build/tests/$program" read "$work/of_this"
  done
  for file in "$work"/of_this/*; do
    [[ $file == */sealed* ]] || cmp "$file" "$work/of_other/${file##*/}"
  done
  # Each adds a run to the other's store.
  "$tests/exchange_store" write "$work/of_other"
  "${emulator[@]}" "$build/tests/exchange_store" write "$work/of_this"
  "$tests/exchange_store" read "$work/of_this"
  "${emulator[@]}" "$build/tests/exchange_store" read "$work/of_other"
}

step "library and tests" configure_and_build
step "tests" run_programs
if [[ $system == aarch64 ]]; then step "pages of 64 KiB" run_with_large_pages; fi
if [[ " ${programs[*]} " == *" exchange "* ]]; then step "exchanged files" exchange_files; fi
