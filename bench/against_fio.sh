#!/usr/bin/env bash
# How fast freshet writes a new text file to the disk, beside the best that fio finds for a file of the same size.
#   bench/against_fio.sh FRESHET [DIR]
# First every fio configuration once at a quarter of the size; then the best five of them and freshet (ordered by the
# profile, unordered, and with the size set ahead), interleaved, at full size. All figures are MB/s (10^6 bytes) until
# the device has it. Needs fio and jq. SIZE_MIB (2048) and ROUNDS (7) may be set.
set -euo pipefail

freshet=$(realpath "${1:?usage: bench/against_fio.sh FRESHET [DIR]}")
directory=${2:-.}
size_mib=${SIZE_MIB:-2048}
rounds=${ROUNDS:-7}

scratch=$(mktemp -d "$directory/freshet-fio-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state
trap 'exit 130' INT TERM

# Nothing of the last trial is left to be written.
clean_start() {
  rm -f "$scratch"/file*
  sync -f "$scratch"
  sleep 0.2
}

# fio_rate MIB ENGINE BLOCK DEPTH DIRECT FALLOCATE
fio_rate() {
  clean_start
  # Field 48 of the terse format is the write bandwidth in KiB/s, the fsync at the end included.
  fio --minimal --name=file --filename="$scratch/file" --rw=write --end_fsync=1 --size="${1}M" \
    --ioengine="$2" --bs="$3" --iodepth="$4" --direct="$5" --fallocate="$6" |
    awk -F';' '{ printf "%.0f\n", $48 * 1024 / 1e6 }'
}

# freshet_rate [OPTION…]
freshet_rate() {
  clean_start
  "$freshet" bench "$scratch" --size "${size_mib}M" --rounds 1 --json - "$@" 2>/dev/null |
    jq '.trials[0].mb_per_second_to_disk | round'
}

median() { sort -n | awk '{ figure[NR] = $1 } END { print figure[int((NR + 1) / 2)], figure[1], figure[NR] }'; }

configurations() {
  local block direct fallocate depth
  for block in 256k 1m 4m; do
    for direct in 0 1; do
      for fallocate in none native truncate; do
        echo "psync $block 1 $direct $fallocate"
        for depth in 1 4 16; do
          echo "libaio $block $depth $direct $fallocate"
          echo "io_uring $block $depth $direct $fallocate"
        done
      done
    done
  done | shuf --random-source=<(yes)
}

echo "engine block depth direct fallocate: MB/s to disk, once, $((size_mib / 4)) MiB" >&2
configurations | while read -r configuration; do
  # shellcheck disable=SC2086  # the configuration's words are the arguments
  rate=$(fio_rate $((size_mib / 4)) $configuration)
  echo "$rate $configuration" | tee -a /dev/stderr
done > "$scratch/scan"
sort -rn "$scratch/scan" | head -n 5 | cut -d' ' -f2- > "$scratch/best"

for ((round = 0; round < rounds; ++round)); do
  { cat "$scratch/best"; echo "freshet-profile"; echo "freshet-unordered"; echo "freshet-size-ahead"; } | shuf |
    while read -r which; do
      # shellcheck disable=SC2086  # as above
      case $which in
        freshet-profile) rate=$(freshet_rate --method auto) ;;
        freshet-unordered) rate=$(freshet_rate --method uring --block 4M --depth 4 --unordered) ;;
        freshet-size-ahead) rate=$(freshet_rate --method uring --block 4M --depth 4 --unordered --size-ahead --reserve) ;;
        *) rate=$(fio_rate "$size_mib" $which) ;;
      esac
      echo "$rate" >> "$scratch/rates $which"
    done
done

echo "median minimum maximum, MB/s to disk, $rounds interleaved rounds of $size_mib MiB"
for figures in "$scratch"/rates*; do
  echo "$(median < "$figures")  ${figures#"$scratch/rates "}"
done | sort -rn
