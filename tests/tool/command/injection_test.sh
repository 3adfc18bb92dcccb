#!/usr/bin/env bash
# Interrupts and fails system calls of the freshet command itself, by strace: end to end what the tests in C++ do at the
# os seam. Takes 8 s: a call for each method and fault.
#   tests/tool/command/injection_test.sh FRESHET
# On a disk, where all methods work.
FRESHET_TEST_DIR=${FRESHET_TEST_DISK:-/var/tmp}
# shellcheck source=tests/tool/command/injection.sh
source "${BASH_SOURCE[0]%/*}/injection.sh"

# text FAULT METHOD [OPTION…]: what freshet's exit code is when the fault hits it.
text() {
  local fault=$1 method=$2 status=0
  rm -f "$scratch/file"
  strace -f -qq -o /dev/null -e trace="${fault%%:*}" -e inject="$fault" \
    "$freshet" text "$scratch/file" --size 3M --block 64K --method "$method" "${@:3}" >/dev/null 2>"$scratch/err" || status=$?
  echo "$status"
}

# Whether the file is gone or holds the first bytes of what was to be written.
is_prefix() {
  [[ ! -e $scratch/file ]] || cmp -s -n "$(stat -c %s "$scratch/file")" "$scratch/file" "$scratch/whole"
}

"$freshet" text "$scratch/whole" --size 3M --method buffered >/dev/null
"$freshet" methods "$scratch" --json "$scratch/methods" >/dev/null
why_not() {
  python3 -c 'import json, sys; print(next(each["why_not"] for each in json.load(open(sys.argv[1])) if each["name"] == sys.argv[2]))' \
    "$scratch/methods" "$1"
}
while read -r method call; do
  reason=$(why_not "$method")
  if [[ -n $reason ]]; then
    echo "left out, $method: $reason"
    continue
  fi
  if [[ $(text "$call:error=EINTR:when=2+2" "$method") -ne 0 ]] || ! cmp -s "$scratch/file" "$scratch/whole"; then
    fail "$method does not finish what was interrupted"
  fi
  while read -r code words; do
    if [[ $(text "$call:error=$code:when=3" "$method") -ne 1 ]] || ! grep -q "$words" "$scratch/err"; then
      fail "$method does not report $code of $call"
    fi
    is_prefix || fail "$method leaves no prefix after $code"
  done <<<$'ENOSPC No space left on device\nEIO Input/output error'
done <<'METHODS'
buffered pwrite64
writebehind pwrite64
dontcache pwritev2
direct pwrite64
aio pwrite64
libaio io_submit
uring io_uring_enter
uring-buffered io_uring_enter
METHODS

[[ $(text fdatasync:error=EIO:when=1 buffered --durability at_close) -eq 1 ]] || fail "a failed sync is not reported"

# What `methods` lists as reading, `bench` can read by: neither does by io_uring where that is forbidden.
without_rings() {
  strace -f -qq -o /dev/null -e trace=io_uring_setup -e inject=io_uring_setup:error=EPERM "$freshet" "$@" 2>"$scratch/err"
}
without_rings methods "$scratch" | grep -Eq '^ *uring +no +no ' || fail "methods says that uring reads without io_uring"
without_rings bench "$scratch" --class cold --method uring --size 1M --no-store >/dev/null &&
  fail "bench reads by uring without io_uring"

# What must end although its means fail: a second thread that cannot start, a last line that nobody takes, a directory of its
# own that cannot be looked at. Each ends by itself, with exit code 1, and leaves nothing.
mkdir "$scratch/ends"
ends() {
  local status=0
  timeout 60 strace -f -qq -o /dev/null -e "trace=${1%%:*}" -e "inject=$1" "$freshet" "${@:2}" >"$scratch/out" 2>"$scratch/err" ||
    status=$?
  [[ $status -eq 1 ]] || fail "$2 exits with $status after $1"
  [[ -z $(ls -A "$scratch/ends") ]] || fail "$2 leaves files after $1"
}
# A sanitizer starts threads and writes for purposes of its own.
sanitized() { grep -q __asan_init "$freshet"; }
for thread in 2 3 4; do
  sanitized && break
  ends clone3:error=EAGAIN:when=$thread bench "$scratch/ends" --jobs 4 --method buffered --size 64K --rounds 1 --no-store
  grep -q 'start a thread' "$scratch/err" || fail "bench does not say that a thread did not start"
done
sanitized || ends write:error=EPERM:when=1+ text "$scratch/none/file" --size 64K --no-store

# A system that claims to have written what it has not: the file is known to be wrong, so no command ends well.
lies() {
  local words=$1 status=0
  strace -f -qq -o /dev/null -e trace=pwrite64 -e inject=pwrite64:retval=65536:when=2+3 \
    "$freshet" "${@:2}" --no-store >"$scratch/out" 2>"$scratch/err" || status=$?
  [[ $status -eq 1 ]] || fail "$2 exits with $status though a file is wrong"
  grep -q "$words" "$scratch/err" || fail "$2 does not say that a file is wrong"
  rm -f "$scratch/file"
}
wrong="the files did not hold what was written"
lies "$wrong" text "$scratch/file" --size 3M --block 64K --method buffered
mkdir "$scratch/place"
lies "$wrong" bench "$scratch/place" --size 3M --block 64K --method buffered --rounds 1
if "$freshet" help | grep '^  writetest ' >/dev/null; then
  lies "$wrong" writetest --output-dir "$scratch/place" --mb 3 --i 1 --buffered
fi
[[ -z $(ls -A "$scratch/place") ]] || fail "files are left of trials with wrong content"
[[ $failures -eq 0 ]]
