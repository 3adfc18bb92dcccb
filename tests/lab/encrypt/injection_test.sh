#!/usr/bin/env bash
# Fails system calls of `freshet encrypt` with strace, because the tests' fault injection does not reach std's streams.
#   tests/lab/encrypt/injection_test.sh FRESHET
# shellcheck source=tests/tool/command/injection.sh
source "${BASH_SOURCE[0]%/*}/../../tool/command/injection.sh"

mkdir "$scratch/in"
for name in a b c; do seq 1 20000 >"$scratch/in/$name"; done
"$freshet" encrypt "$scratch/in" "$scratch/whole" >/dev/null

# Finished files must be complete, others must not exist, and --resume must make the rest.
expect_failure() {
  local fault=$1 words=$2 status=0 file
  shift 2
  rm -rf "$scratch/out"
  strace -f -qq -o /dev/null -e trace="${fault%%:*}" -e inject="$fault" \
    "$freshet" encrypt "$scratch/in" "$scratch/out" "$@" >/dev/null 2>"$scratch/err" || status=$?
  [[ $status -eq 1 ]] || fail "$fault $*: exits $status"
  grep -q "$words" "$scratch/err" || fail "$fault $*: does not say $words"
  grep -q "$scratch/out/" "$scratch/err" || fail "$fault $*: does not name the file"
  ! compgen -G "$scratch/out/.freshet-*.tmp" >/dev/null || fail "$fault $*: leaves a temporary file"
  for file in "$scratch"/out/*; do
    [[ ! -e $file ]] || cmp -s "$file" "$scratch/whole/${file##*/}" || fail "$fault $*: leaves $file incomplete"
  done
  "$freshet" encrypt "$scratch/in" "$scratch/out" "$@" --resume >/dev/null 2>"$scratch/err" || fail "$*: --resume fails"
  diff -r -x .freshet-encrypt.json "$scratch/whole" "$scratch/out" >/dev/null || fail "$*: --resume makes different bytes"
}

# Killed when it has finished none, one or two of its files and is about to finish the next: --resume must make the rest.
expect_kill() {
  local status=0 file
  rm -rf "$scratch/out"
  # In a shell of its own, which says that it was killed.
  (strace -f -qq -o /dev/null -e trace=linkat -e inject=linkat:signal=KILL:when=3 \
    "$freshet" encrypt "$scratch/in" "$scratch/out" "$@" >/dev/null; exit $?) 2>"$scratch/err" || status=$?
  [[ $status -eq 137 ]] || fail "$*: exits $status in spite of the kill"
  [[ $(find "$scratch/out" -type f ! -name '.freshet-*' | wc -l) -lt 3 ]] || fail "$*: is killed too late"
  for file in "$scratch"/out/*; do
    [[ ! -e $file ]] || cmp -s "$file" "$scratch/whole/${file##*/}" || fail "$*: leaves $file incomplete"
  done
  "$freshet" encrypt "$scratch/in" "$scratch/out" "$@" --resume >/dev/null 2>"$scratch/err" || fail "$*: --resume fails"
  diff -r -x .freshet-encrypt.json "$scratch/whole" "$scratch/out" >/dev/null || fail "$*: --resume makes different bytes"
}

for strategy in streaming buffering pipelined async; do
  expect_kill --strategy "$strategy" --threads 1
done
for strategy in streaming buffering; do
  # std's streams call write or writev, depending on the length of the text.
  expect_failure "write,writev:error=ENOSPC:when=5" "No space left on device" --strategy "$strategy" --threads 1
  expect_failure "write,writev:error=EIO:when=5" "Input/output error" --strategy "$strategy" --threads 1
  # Calls are counted in each thread, and the first two of the main thread are those of the manifest.
  expect_failure "linkat:error=EIO:when=3" "Input/output error" --strategy "$strategy" --threads 1
done
for strategy in streaming buffering pipelined async; do
  expect_failure "write,pwrite64:error=ENOSPC:when=3" "No space left on device" --strategy "$strategy" --streams freshet --threads 1
  expect_failure "linkat:error=EIO:when=3" "Input/output error" --strategy "$strategy" --streams freshet --threads 1
done
[[ $failures -eq 0 ]]
