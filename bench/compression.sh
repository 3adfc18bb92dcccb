#!/usr/bin/env bash
# Compares a compressing writer with `zstd -T2`, and a decompressing reader with `zstd -d`, on two samples: files of this
# system, and the same with a third of random bytes.
#   bench/compression.sh BUILD DIR [MIB [ROUNDS [LEVEL [STATES]]]]
# BUILD is a build directory with the targets bench_compression and bench_at_rest, DIR a directory for some GiB on the disk
# in question. The samples are read from the page cache. Both take turns; every trial begins when the other's file is gone
# and synced, in each of the STATES of memory (doc/measurements/page-cache-memory.md): "rest freed".
set -euo pipefail
build=$1 place=$2 mib=${3:-1024} rounds=${4:-5} level=${5:-3} states=${6:-rest freed}
directory=$(mktemp -d "$place/freshet-bench-XXXXXX")
trap 'rm -rf "$directory"' EXIT
plain=$directory/plain mixed=$directory/mixed

# head ends the others early.
set +o pipefail
find /usr/lib /usr/share -xdev -type f -size -40M -print0 | LC_ALL=C sort -z | xargs -0 cat 2>/dev/null |
  head -c "${mib}M" >"$plain"
set -o pipefail
[[ $(stat -c %s "$plain") == $((mib << 20)) ]] || { echo "the system has too few files for $mib MiB" >&2; exit 1; }
python3 - "$plain" "$mixed" <<'PYTHON'
import os, sys
with open(sys.argv[1], "rb") as plain, open(sys.argv[2], "wb") as mixed:
    while piece := plain.read(65536):
        mixed.write(os.urandom(65536) if plain.tell() // 65536 % 3 == 0 else piece)
PYTHON

# Runs a command whose files find memory in a state. Prints the seconds that it took, and those of all its threads.
TIMEFORMAT='%R %U %S'
seconds_of() {
  local state=$1
  shift
  if [[ $state == rest ]]; then
    "$build/bench/bench_at_rest" "$@" | tail -n 1
  else
    # Its memory is free at once: what was not yet written needs not be.
    head -c "${mib}M" /dev/zero >"$directory/freed"
    rm "$directory/freed"
    { time "$@" >/dev/null; } 2>&1 | awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }'
  fi
}
settle() {
  rm -f "$directory"/*.zst
  sync -f "$directory"
}

echo "sample state round work program seconds cpu-seconds bytes"
for sample in plain mixed; do
  cat "$directory/$sample" >/dev/null
  for ((round = 1; round <= rounds; ++round)); do
    for state in $states; do
      trial="$sample $state $round"
      settle
      echo "$trial write zstd $(
        seconds_of "$state" zstd -q "-$level" -T2 -f -o "$directory/theirs.zst" "$directory/$sample") $(
        stat -c %s "$directory/theirs.zst")"
      settle
      echo "$trial write freshet $(
        seconds_of "$state" "$build/bench/bench_compression" write "$directory/$sample" "$directory/ours.zst" "$level" 2) $(
        stat -c %s "$directory/ours.zst")"
      echo "$trial read zstd $(seconds_of "$state" zstd -q -d -f -o /dev/null "$directory/ours.zst")"
      echo "$trial read freshet $(seconds_of "$state" "$build/bench/bench_compression" read "$directory/ours.zst")"
    done
  done
  cmp "$directory/$sample" <(zstd -q -dc "$directory/ours.zst")
done
