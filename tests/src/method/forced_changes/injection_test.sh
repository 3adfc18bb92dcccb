#!/usr/bin/env bash
# Interrupts and fails system calls of a program whose file changes its method after each block, by strace: every error is
# reported with its file and reason, and the file then holds a prefix. Takes 4 s.
#   tests/src/method/forced_changes/injection_test.sh WRITE_FILE
# On a disk: in memory, nothing is written behind the cursor.
FRESHET_TEST_DIR=${FRESHET_TEST_DISK:-/var/tmp}
# shellcheck source=tests/tool/command/injection.sh
source "${BASH_SOURCE[0]%/*}/../../../tool/command/injection.sh"
write_file=$freshet

# The program's exit code when the fault hits it.
write() {
  local fault=$1 status=0
  rm -f "$scratch/file"
  strace -f -qq -o "$scratch/trace" -P "$scratch/file" -e trace="${fault%%:*}" -e inject="$fault" \
    timeout 60 "$write_file" "$scratch/file" "${@:2}" 2>"$scratch/err" || status=$?
  echo "$status"
}

is_prefix() { cmp -s -n "$(stat -c %s "$scratch/file")" "$scratch/file" "$scratch/whole"; }

"$write_file" "$scratch/whole"
for call in pwrite64 sync_file_range fadvise64; do
  # Pages are given back once the device has them, which a busy disk may not in the life of one file.
  for attempt in {1..10}; do
    [[ $(write "$call:error=EINTR:when=2+3") -eq 0 ]] && cmp -s "$scratch/file" "$scratch/whole" ||
      fail "what was interrupted in $call is not finished"
    ! grep -q INJECTED "$scratch/trace" || break
    [[ $attempt -lt 10 ]] || fail "$call was never made"
  done
  while read -r code words; do
    for nth in 1 2 5; do
      status=$(write "$call:error=$code:when=$nth")
      grep -q INJECTED "$scratch/trace" || continue
      if [[ $status -ne 1 ]] || ! grep -q "^write .*$scratch/file.*$words" "$scratch/err"; then
        fail "$code of call $nth of $call is not reported: $status"
      fi
      is_prefix || fail "no prefix is left by $code of call $nth of $call"
    done
  done <<<$'ENOSPC No space left on device\nEIO Input/output error'
done
# What may be left out is left out where the system refuses it.
for call in sync_file_range fadvise64; do
  [[ $(write "$call:error=ENOSYS") -eq 0 ]] && cmp -s "$scratch/file" "$scratch/whole" || fail "a file needs $call"
done
[[ $(write fdatasync:error=EIO:when=1 at_close) -eq 1 ]] || fail "a failed sync is not reported"
[[ $failures -eq 0 ]]
