#!/usr/bin/env bash
# Measures what a fragmented file system costs, and how much preallocation helps: how many extents the peers' files have,
# and how fast they are read back cold, written with and without --reserve.
#
# usage: bench/fragmentation.sh FRESHET [DIR]
#
# Creates an ext4 image in DIR and mounts it on a loop device that bypasses the page cache; otherwise cold reads would be
# cached. The peers write to it in three states:
#   empty   it has no other files
#   room    it is full of holes of HOLE_KIB, except for large free pieces of 1.25 times the file size in all
#   holes   it is full of holes: small files filled it, and every second one was deleted
# Needs root, jq, e2fsprogs and util-linux, and room for 5 files in DIR. Environment: PEERS, SIZE_MIB (256), HOLE_KIB (16),
# ROUNDS (5), PEERS_FROM (the folder of the peers).
set -euo pipefail

freshet=$(realpath "${1:?usage: bench/fragmentation.sh FRESHET [DIR]}")
directory=${2:-.}
peers=${PEERS:-c-stdio-tuned,c-direct,go-fast,freshet-writer}
size_mib=${SIZE_MIB:-256}
hole_kib=${HOLE_KIB:-16}
rounds=${ROUNDS:-5}

[[ $EUID -eq 0 ]] || { echo "bench/fragmentation.sh: must run as root to mount the image" >&2; exit 1; }
for program in jq mkfs.ext4 e2freefrag losetup mount split; do
  type "$program" >/dev/null 2>&1 || { echo "bench/fragmentation.sh: $program is not installed" >&2; exit 1; }
done

scratch=$(mktemp -d "$(realpath "$directory")/freshet-fragments-XXXXXX")
mounted=$scratch/mounted
device=

clean_up() {
  if mountpoint -q "$mounted"; then umount "$mounted" || umount -l "$mounted"; fi
  # Unmounting detached the device already, unless mounting failed.
  if [[ -n $device && $(losetup -nO BACK-FILE "$device" 2>/dev/null) == "$scratch/image"* ]]; then losetup -d "$device"; fi
  rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

export XDG_STATE_HOME=$scratch/state
export XDG_CACHE_HOME=$scratch/cache
export FRESHET_PROFILE=none

# Allocates the image in one piece and writes it once, so that only the file system in it is measured.
make_image() {
  fallocate -l "$((size_mib * 9 / 2))MiB" "$scratch/image"
  dd if=/dev/zero of="$scratch/image" bs=4M count="$((size_mib * 9 / 2))MiB" iflag=count_bytes oflag=direct \
    conv=notrunc,fsync status=none
}

mount_new() {
  mkfs.ext4 -q -F -m 0 -i "$((hole_kib * 1024))" -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$scratch/image"
  device=$(losetup --find --show --direct-io=on "$scratch/image")
  mount "$device" "$mounted"
  losetup -d "$device" # takes effect when it is unmounted
}

unmount() {
  umount "$mounted"
  device=
}

# Fills the file system with small files, then deletes every second one.
fill_with_holes() {
  mkdir "$mounted/small"
  # split ends when the file system is full.
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

# measure SPACE [--reserve]: prints a line for each peer: SPACE RESERVE PEER, and the medians of MB/s to close, extents
# and cold MB/s.
measure() {
  local space=$1
  shift
  rm -f "$scratch/figures"
  "$freshet" peers "$mounted" --only "$peers" --size "${size_mib}M" --rounds "$rounds" --no-store --json "$scratch/figures" \
    ${PEERS_FROM:+--peers "$PEERS_FROM"} "$@" >/dev/null || true # a peer that fails is missing in the table
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

echo "files of $size_mib MiB, medians of $rounds rounds; cold: how many files were read back cold"
{
  echo "space reserve peer MB/s-to-close extents cold-MB/s cold"
  cat "$scratch/table"
} | column -t
