#!/usr/bin/env bash
# What a fragmented file system costs, and what setting space aside is worth on it: how many extents the files of some
# peers have, and how fast they are read back cold, written with and without --reserve.
#   bench/fragmentation.sh FRESHET [DIR]
# Makes an ext4 image of its own in DIR and mounts it on a loop device that bypasses the page cache below it, as a cold
# read would be none otherwise. On it the peers write where it is
#   empty   but for their own file
#   room    full of holes of HOLE_KIB, but for large pieces of 1.25 files' worth
#   holes   full of holes and nothing else: every second of the small files that filled it is gone
# Needs root, jq, e2fsprogs and util-linux, and room for 5 files in DIR. PEERS, SIZE_MIB (256), HOLE_KIB (16), ROUNDS (5)
# and PEERS_FROM (the folder of the peers) may be set.
set -euo pipefail

freshet=$(realpath "${1:?usage: bench/fragmentation.sh FRESHET [DIR]}")
directory=${2:-.}
peers=${PEERS:-c-stdio-tuned,c-direct,go-fast,freshet-writer}
size_mib=${SIZE_MIB:-256}
hole_kib=${HOLE_KIB:-16}
rounds=${ROUNDS:-5}

[[ $EUID -eq 0 ]] || { echo "bench/fragmentation.sh: mounting takes root" >&2; exit 1; }
for program in jq mkfs.ext4 e2freefrag losetup mount split; do
  type "$program" >/dev/null 2>&1 || { echo "bench/fragmentation.sh: $program is missing" >&2; exit 1; }
done

scratch=$(mktemp -d "$(realpath "$directory")/freshet-fragments-XXXXXX")
mounted=$scratch/mounted
device=

leave() {
  if mountpoint -q "$mounted"; then umount "$mounted" || umount -l "$mounted"; fi
  # Detached by itself since it was unmounted, unless mounting never came about.
  if [[ -n $device && $(losetup -nO BACK-FILE "$device" 2>/dev/null) == "$scratch/image"* ]]; then losetup -d "$device"; fi
  rm -rf "$scratch"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

export XDG_STATE_HOME=$scratch/state
export XDG_CACHE_HOME=$scratch/cache
export FRESHET_PROFILE=none

# The image's own blocks lie in one piece and are written already, so that only its file system is measured.
make_image() {
  fallocate -l "$((size_mib * 9 / 2))MiB" "$scratch/image"
  dd if=/dev/zero of="$scratch/image" bs=4M count="$((size_mib * 9 / 2))MiB" iflag=count_bytes oflag=direct \
    conv=notrunc,fsync status=none
}

mount_new() {
  mkfs.ext4 -q -F -m 0 -i "$((hole_kib * 1024))" -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$scratch/image"
  device=$(losetup --find --show --direct-io=on "$scratch/image")
  mount "$device" "$mounted"
  losetup -d "$device" # when it is unmounted, however that comes about
}

unmount() {
  umount "$mounted"
  device=
}

# fill_with_holes: small files until nothing more goes in, then without every second of them.
fill_with_holes() {
  mkdir "$mounted/small"
  # split is ended by the file system that is full.
  { yes 'All work and no play makes Jack a dull boy.' || true; } |
    split -b "${hole_kib}K" -a 6 - "$mounted/small/" 2>/dev/null || true
  sync -f "$mounted"
  find "$mounted/small" -type f | sort | sed -n 'n;p' | xargs rm
  sync -f "$mounted"
}

prepare() {
  case $1 in
    empty) ;;
    room)
      fallocate -l "$((size_mib * 5 / 4))MiB" "$mounted/room"
      fill_with_holes
      rm "$mounted/room"
      ;;
    holes) fill_with_holes ;;
  esac
  sync -f "$mounted"
}

# measure SPACE [--reserve]: a line for each peer: SPACE RESERVE PEER MB/s to close, extents, cold MB/s; medians.
measure() {
  local space=$1
  shift
  rm -f "$scratch/figures"
  "$freshet" peers "$mounted" --only "$peers" --size "${size_mib}M" --rounds "$rounds" --no-store --json "$scratch/figures" \
    ${PEERS_FROM:+--peers "$PEERS_FROM"} "$@" >/dev/null || true # a peer that fails is missing below
  # shellcheck disable=SC2016  # the dollars are jq's
  jq -r --arg space "$space" --arg reserve "${1:-}" '
    def median: sort | .[length / 2 | floor];
    def shown: if . == null then "-" else round end;
    .trials | group_by(.plan.peer)[]
    | [$space, (if $reserve == "" then "no" else "yes" end), .[0].plan.peer,
       (map(.mb_per_second_to_close) | median | shown), (map(.extents) | median | shown),
       (map(.cold_read_mb_per_second | values) | median | shown), (map(.cold_read_mb_per_second | values) | length)]
    | join(" ")' "$scratch/figures"
}

mkdir "$mounted"
make_image
: >"$scratch/table"
for space in empty room holes; do
  mount_new
  prepare "$space"
  echo "$space: $(e2freefrag "$device" | awk '/^Avg. free extent/ { print "free extents of", $4 / 1024, "MiB on average,", most, "MiB at most" } /^Max. free extent/ { most = $4 / 1024 }')" >&2
  measure "$space" >>"$scratch/table"
  measure "$space" --reserve >>"$scratch/table"
  unmount
done

echo "files of $size_mib MiB, medians of $rounds rounds; cold: how many of them were read back cold"
{
  echo "space reserve peer MB/s-to-close extents cold-MB/s cold"
  cat "$scratch/table"
} | column -t
