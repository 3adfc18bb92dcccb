#!/usr/bin/env bash
# How fast freshet reads the lines of a text file that is not cached, beside the best that fio finds for reading such a
# file from front to back.
#   bench/reading_against_fio.sh BENCH_LINES [DIR]
# First every fio configuration once; then the best three of them and BENCH_LINES (bench_lines of the build), which reads
# by the profile, interleaved. All figures are MB/s (10^6 bytes) of 1 GiB. Needs fio and jq. ROUNDS (7) may be set.
set -euo pipefail

bench_lines=$(realpath "${1:?usage: bench/reading_against_fio.sh BENCH_LINES [DIR]}")
directory=${2:-.}
rounds=${ROUNDS:-7}

scratch=$(mktemp -d "$directory/freshet-fio-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# fio_rate ENGINE BLOCK DEPTH DIRECT; fio itself drops the file from the page cache (invalidate).
fio_rate() {
  # Field 7 of the terse format is the read bandwidth in KiB/s.
  fio --minimal --name=file --filename="$scratch/file" --rw=read --size=1G --invalidate=1 \
    --ioengine="$1" --bs="$2" --iodepth="$3" --direct="$4" | awk -F';' '{ printf "%.0f\n", $7 * 1024 / 1e6 }'
}

freshet_rate() {
  FRESHET_BENCH_DIR=$scratch "$bench_lines" --benchmark_filter=cold --benchmark_min_time=0.01 --benchmark_format=json |
    jq '.benchmarks[0].bytes_per_second / 1e6 | round'
}

median() { sort -n | awk '{ figure[NR] = $1 } END { print figure[int((NR + 1) / 2)], figure[1], figure[NR] }'; }

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
echo "engine block depth direct: MB/s, once" >&2
configurations | while read -r configuration; do
  # shellcheck disable=SC2086  # the configuration's words are the arguments
  rate=$(fio_rate $configuration)
  echo "$rate $configuration" | tee -a /dev/stderr
done >"$scratch/scan"
sort -rn "$scratch/scan" | head -n 3 | cut -d' ' -f2- >"$scratch/best"

for ((round = 0; round < rounds; ++round)); do
  { cat "$scratch/best"; echo freshet-lines; } | shuf |
    while read -r which; do
      # shellcheck disable=SC2086  # as above
      if [[ $which == freshet-lines ]]; then rate=$(freshet_rate); else rate=$(fio_rate $which); fi
      echo "$rate" >>"$scratch/rates $which"
    done
done

echo "median minimum maximum, MB/s, $rounds interleaved rounds"
for figures in "$scratch"/rates*; do
  echo "$(median <"$figures")  ${figures#"$scratch/rates "}"
done | sort -rn
