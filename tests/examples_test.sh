#!/usr/bin/env bash
# Runs an example and checks what it does: examples_test.sh NAME PROGRAM. Each has a function of its name below, which runs
# "$program" in an empty directory.
set -euo pipefail
name=$1 program=$2

fail() {
  echo "$name: $*" >&2
  exit 1
}

# Whether $program, called with these words, fails with status 1 and says TEXT: fails_with TEXT WORD…
fails_with() {
  local text=$1 status=0
  shift
  "$program" "$@" >output 2>errors || status=$?
  [[ $status -eq 1 ]] || fail "status $status instead of 1"
  grep -qF -- "$text" errors || fail "did not say '$text': $(<errors)"
}

port() {
  "$program"
  [[ $(wc -l <lines.txt) -eq 1000000 ]] || fail "not a million lines"
  [[ $(tail -n 1 lines.txt) == 'line 1000000' ]] || fail "another last line"
}

csv_export() {
  "$program" file || fail "failed"
  printf '%s\r\n' number,customer,amount 1,Jack,12.50 '2,"Rubble, Barney",1999.99' '3,"Fred ""Fred"" Flint",0.00' |
    cmp - file || fail "another file"
  fails_with "missing/file" missing/file
}

line_filter() {
  printf 'one tree\r\ntwo\nthree trees' >file
  "$program" file tree | cmp - <(printf 'one tree\nthree trees\n') || fail "other lines"
  fails_with "open 'missing'" missing tree
  if "$program" file tree >/dev/full; then fail "a full device is no error"; fi
}

parallel_lines() {
  printf 'one tree\r\ntwo\nthree trees' >file
  "$program" file out tree
  printf '8\tone tree\n11\tthree trees\n' | cmp - out || fail "other lines"
  "$program" - - tree <file | cmp - out || fail "other lines from a pipe"
  fails_with "open 'missing'" missing other tree
  [[ ! -e other ]] || fail "there is something for nothing"
  if "$program" - - tree <file >/dev/full; then fail "a full device is no error"; fi
}

binary_format() {
  "$program" file | cmp - <(printf '%s degrees Celsius\n' -3.5 0 21.25) || fail "reads back something else"
  printf 'MEAS\17degrees Celsius\3' | cmp - <(head -c 21 file) || fail "begins otherwise"
  [[ $(stat -c %s file) -eq 45 ]] || fail "another size"
  fails_with "missing/file" missing/file
  if "$program" file >/dev/full; then fail "a full device is no error"; fi
}

scratch=$(mktemp -d "${FRESHET_TEST_DIR:-${TMPDIR:-/tmp}}/freshet-test-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
FRESHET_PROFILE=none "$name"
