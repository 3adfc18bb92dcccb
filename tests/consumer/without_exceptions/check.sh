#!/usr/bin/env bash
# Compiles each public header and a program with -fno-exceptions, by each compiler named, and runs the program:
# check.sh SOURCE "FLAGS" COMPILER…   FLAGS: how an installed freshet is compiled and linked. Takes 40 s.
set -euo pipefail
source=$1 flags=$2
shift 2
here=$source/tests/consumer/without_exceptions
read -ra flags <<<"$flags"
mapfile -t includes < <(printf '%s\n' "${flags[@]}" | grep '^-I' || true)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect_abort WAY TEXT: the program ends by abort(), and standard error names the error.
expect_abort() {
  local status=0
  { (ulimit -c 0 && exec "$scratch/program" "$scratch/file" "$1") 2>"$scratch/errors" || status=$?; } 2>/dev/null
  ((status == 128 + 6)) && grep -qF "$2" "$scratch/errors" && return
  echo "by '$1': exit code $status instead of 134, or without '$2':" >&2
  cat "$scratch/errors" >&2
  return 1
}

for compiler in "$@"; do
  for header in "$source"/include/freshet/*.h*; do
    echo "#include <freshet/${header##*/}>" >"$scratch/header.cpp"
    "$compiler" -std=c++20 -fno-exceptions -Wall -Wextra -Werror -fsyntax-only "$scratch/header.cpp" "${includes[@]}" \
      2>"$scratch/errors" || { echo "$compiler, ${header##*/}:" && cat "$scratch/errors" && exit 1; } >&2
  done
  for optimization in -O0 -O2; do
    "$compiler" -std=c++20 -fno-exceptions "$optimization" "$here/program.cpp" "${flags[@]}" -o "$scratch/program"
    "$scratch/program" "$scratch/file"
    expect_abort open "freshet: open '/missing/file': No such file or directory"
    expect_abort read "freshet: open '/missing/file': No such file or directory"
    expect_abort write "freshet: write '/dev/full' at offset 0: No space left on device"
    expect_abort closed "freshet: use: Bad file descriptor (the writer is closed)"
    expect_abort reject "freshet: read '$scratch/file' at offset 3: Bad message (wrong)"
    expect_abort content "(the file ends too early)"
  done
  echo "$compiler: the headers and the program are right without exceptions"
done
