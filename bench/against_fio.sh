#!/usr/bin/env bash
# Compares how fast freshet and fio write a new text file to the disk.
#
# usage: bench/against_fio.sh FRESHET [DIR]
#
# First measures every fio configuration once at a quarter of the size. Then measures the best five of them and freshet
# (with the profile, unordered, and with the size set ahead) in interleaved rounds at full size. All rates are in MB/s
# (10^6 bytes) until the device has the data. Needs fio and jq. Environment: SIZE_MIB (2048), ROUNDS (7).
set -euo pipefail
# shellcheck source=bench/fio_comparison.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/fio_comparison.sh"

freshet=$(realpath "${1:?usage: bench/against_fio.sh FRESHET [DIR]}")
directory=${2:-.}
size_mib=${SIZE_MIB:-2048}
rounds=${ROUNDS:-7}

scratch=$(mktemp -d "$directory/freshet-fio-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state
trap 'exit 130' INT TERM

# Removes the last trial's file and waits until nothing of it is left to be written.
start_clean() {
  rm -f "$scratch"/file*
  sync -f "$scratch"
  sleep 0.2
}

# run_fio MIB ENGINE BLOCK DEPTH DIRECT FALLOCATE
run_fio() {
  start_clean
  # Field 48 of the terse format is the write bandwidth in KiB/s, including the fsync at the end.
  fio --minimal --name=file --filename="$scratch/file" --rw=write --end_fsync=1 --size="${1}M" \
    --ioengine="$2" --bs="$3" --iodepth="$4" --direct="$5" --fallocate="$6" |
    awk -F';' '{ printf "%.0f\n", $48 * 1024 / 1e6 }'
}

# run_freshet [OPTION…]
run_freshet() {
  start_clean
  "$freshet" bench "$scratch" --size "${size_mib}M" --rounds 1 --json - "$@" 2>/dev/null |
    jq '.trials[0].mb_per_second_to_disk | round'
}

measure() {
  case $1 in
    freshet-profile) run_freshet --method auto ;;
    freshet-unordered) run_freshet --method uring --block 4M --depth 4 --unordered ;;
    freshet-size-ahead) run_freshet --method uring --block 4M --depth 4 --unordered --size-ahead --reserve ;;
    *) run_fio "$size_mib" "$@" ;;
  esac
}

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

echo "MB/s to disk, one trial of $((size_mib / 4)) MiB, engine block depth direct fallocate:" >&2
configurations | pick_best 5 run_fio $((size_mib / 4)) > "$scratch/candidates"
printf '%s\n' freshet-profile freshet-unordered freshet-size-ahead >> "$scratch/candidates"

echo "median minimum maximum, MB/s to disk, $rounds interleaved rounds of $size_mib MiB"
compare "$rounds" measure < "$scratch/candidates"
