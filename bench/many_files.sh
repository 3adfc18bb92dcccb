#!/usr/bin/env bash
# Compares std's streams with freshet's for many files: 5,000 open at once, and 100,000 small ones.
# The user instructions are callgrind's and the system calls strace's, of 2,000 small files less those of 1,000.
#
# usage: bench/many_files.sh BUILD_DIRECTORY [DIRECTORY [ROUNDS]]      (default: /dev/shm, 5 rounds)
set -euo pipefail
readonly program=$1/bench/bench_many_files place=${2:-/dev/shm} rounds=${3:-5}
work=$(mktemp -d "$place/freshet-bench.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
ulimit -n 6000
export FRESHET_PROFILE=none

for ((round = 0; round < rounds; ++round)); do
  for job in open:5000 write:100000 read:100000; do
    for streams in std freshet; do
      rm -rf -- "${work:?}"/*
      echo "$job $streams $("$program" "$streams" "${job%:*}" "${job#*:}" "$work")"
    done
  done
done > "$work.times"
sort "$work.times" | awk '
  { key = $1 " " $2; cpu[key] = cpu[key] " " $3; memory[key] = $4; if (!(key in least) || $3 < least[key]) least[key] = $3 }
  END { for (key in cpu) print key ": least CPU s " least[key] ", all" cpu[key] "; memory " memory[key] " MiB" }' | sort
rm -f -- "$work.times"

instructions() {
  valgrind --tool=callgrind --callgrind-out-file="$work/callgrind" "$program" "$@" "$work" 2>&1 |
    sed -n 's/.*Collected : //p'
}
calls() { strace -f -c -U calls -o "$work/calls" "$program" "$@" "$work" > "$work/output"; awk '/total/ { print $1 }' "$work/calls"; }
for job in write read; do
  for streams in std freshet; do
    echo "$job $streams: $((($(instructions "$streams" $job 2000) - $(instructions "$streams" $job 1000)) / 1000))" \
      "instructions and $((($(calls "$streams" $job 2000) - $(calls "$streams" $job 1000)) / 1000)) system calls per file"
  done
done
