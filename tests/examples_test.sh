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

sound_file() {
  "$program" file
  [[ $(stat -c %s file) -eq 16044 ]] || fail "another size"
  # Its length without the first 8 bytes, 16036, and that of the samples, 16000, in little-endian order.
  printf 'RIFF\xA4\x3E\0\0WAVEfmt ' | cmp - <(head -c 16 file) || fail "begins otherwise"
  printf 'data\x80\x3E\0\0' | cmp - <(tail -c +37 file | head -c 8) || fail "another length of the samples"
  fails_with "open" missing/file
  if "$program" /dev/full; then fail "a full device is no error"; fi
}

save_settings() {
  echo old >file
  "$program" file
  [[ $(<file) == 'colour = green' && $(ls) == file ]] || fail "another file, or something beside it: $(ls)"
  fails_with "missing/file': No such file or directory" missing/file
}

journal() {
  "$program" file | cmp - <(printf 'entry %d is safe: %d bytes\n' 1 8 2 16 3 24) || fail "says something else"
  "$program" file >/dev/null
  [[ $(<file) == "$(printf 'entry %d\n' 1 2 3 1 2 3)" ]] || fail "does not append"
  fails_with "/dev/full' at offset 0: No space left on device" /dev/full
}

workers() {
  "$program" . || fail "failed"
  [[ $(<shared) == $'written by the parent\nwritten by the child' ]] || fail "parent and child: $(<shared)"
  [[ $(cat part-* | wc -l) -eq 4000 && $(ls part-*) == $'part-0\npart-1\npart-2\npart-3' ]] || fail "other parts"
  fails_with "missing/shared': No such file or directory" missing
}

sealed_letter() {
  head -c 32 /dev/zero >key
  [[ $("$program" key file) == '1000 lines' ]] || fail "reads back something else"
  ! grep -q friend file && [[ $(stat -c %s file) -lt 1000 ]] || fail "neither compressed nor encrypted"
  fails_with "open 'missing'" missing file
}

scratch_space() {
  [[ $("$program" .) == 4799775 ]] || fail "another sum"
  [[ -z $(ls -A) ]] || fail "left something behind: $(ls -A)"
  if "$program" missing; then fail "a missing directory is no error"; fi
}

where_it_went() {
  "$program" file | grep -q '^64000000 bytes; ' || fail "says something else"
  [[ $(stat -c %s file) -eq 64000000 ]] || fail "another size"
  fails_with "missing/file" missing/file
}

older_standard() {
  "$program" file || fail "failed"
  [[ $(wc -l <file) -eq 1000 && $(tail -n 1 file) == 'line 1000' ]] || fail "another file"
  if "$program" missing/file; then fail "a missing directory is no error"; fi
}

scratch=$(mktemp -d "${FRESHET_TEST_DIR:-${TMPDIR:-/tmp}}/freshet-test-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
FRESHET_PROFILE=none "$name"
