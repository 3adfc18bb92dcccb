#!/usr/bin/env bash
# Fails the store's system calls by strace: the measuring goes on, and says what was not kept.
#   tests/tool/command/store_injection_test.sh FRESHET
# shellcheck source=tests/tool/command/injection.sh
source "${BASH_SOURCE[0]%/*}/injection.sh"

store=$scratch/trials.sqlite
keep() { "$freshet" bench "$scratch" --method buffered --size 64K --workload blocks --rounds 3 --memory reused --store "$store"; }

keep >/dev/null
while read -r call code when words; do
  rm -f "$store" "$store-journal"
  keep >/dev/null
  kept=$(sqlite3 "$store" 'SELECT count(*) FROM trials')
  status=0
  # Only the calls for the store and its journal fail.
  strace -f -qq -o /dev/null -P "$store" -P "$store-journal" -e trace="$call" -e inject="$call:error=$code:when=$when" \
    "$freshet" bench "$scratch" --method buffered --size 64K --workload blocks --rounds 3 --memory reused --store "$store" \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  [[ $status -eq 0 ]] || fail "$code of $call ends the measuring"
  grep -q "trials are not kept.*$words" "$scratch/err" || fail "$code of $call is not told"
  grep -q "of 3 trials .* not kept" "$scratch/err" || fail "$code of $call is not told in the end"
  grep -q buffered "$scratch/out" || fail "$code of $call loses the figures"
  [[ $(sqlite3 "$store" 'PRAGMA integrity_check') == ok ]] || fail "$code of $call leaves a damaged store"
  [[ $(sqlite3 "$store" 'SELECT count(*) FROM trials') -ge $kept ]] || fail "$code of $call loses trials"
done <<'FAULTS'
fdatasync EIO 4+ I/O
pwrite64 EIO 8+ I/O
pwrite64 ENOSPC 8+ full
FAULTS
[[ $failures -eq 0 ]]
