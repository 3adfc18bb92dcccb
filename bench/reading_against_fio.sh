#!/usr/bin/env bash
# Compares how fast freshet reads the lines of a text file that is not in the page cache, and how fast fio reads such a
# file from front to back.
#
# usage: bench/reading_against_fio.sh BENCH_LINES [DIR]      (BENCH_LINES: bench_lines of the build)
#
# First measures every fio configuration once. Then measures the best three of them and BENCH_LINES, which reads with the
# profile, in interleaved rounds. All rates are in MB/s (10^6 bytes) for 1 GiB. Needs fio and jq. Environment: ROUNDS (7).
set -euo pipefail
# shellcheck source=bench/fio_comparison.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/fio_comparison.sh"

bench_lines=$(realpath "${1:?usage: bench/reading_against_fio.sh BENCH_LINES [DIR]}")
directory=${2:-.}
rounds=${ROUNDS:-7}

scratch=$(mktemp -d "$directory/freshet-fio-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# run_fio ENGINE BLOCK DEPTH DIRECT; fio itself drops the file from the page cache (invalidate).
run_fio() {
  # Field 7 of the terse format is the read bandwidth in KiB/s.
  fio --minimal --name=file --filename="$scratch/file" --rw=read --size=1G --invalidate=1 \
    --ioengine="$1" --bs="$2" --iodepth="$3" --direct="$4" | awk -F';' '{ printf "%.0f\n", $7 * 1024 / 1e6 }'
}

run_freshet() {
  FRESHET_BENCH_DIR=$scratch "$bench_lines" --benchmark_filter=cold --benchmark_min_time=0.01 --benchmark_format=json |
    jq '.benchmarks[0].bytes_per_second / 1e6 | round'
}

measure() {
  if [[ $1 == freshet-lines ]]; then run_freshet; else run_fio "$@"; fi
}

configurations() {
  local block direct depth
  for block in 256k 1m 4m; do
    for direct in 0 1; do
      echo "psync $block 1 $direct"
      for depth in 2 4 16; do
        echo "libaio $block $depth $direct"
        echo "io_uring $block $depth $direct"
      done
    done
  done | shuf --random-source=<(yes)
}

fio --minimal --name=file --filename="$scratch/file" --rw=write --size=1G --bs=4m --direct=1 --end_fsync=1 >/dev/null
echo "MB/s, one trial, engine block depth direct:" >&2
configurations | pick_best 3 run_fio > "$scratch/candidates"
echo freshet-lines >> "$scratch/candidates"

echo "median minimum maximum, MB/s, $rounds interleaved rounds"
compare "$rounds" measure < "$scratch/candidates"
