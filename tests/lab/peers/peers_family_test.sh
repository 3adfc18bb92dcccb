#!/usr/bin/env bash
# Builds and checks every peer of one family for which the toolchain is here: in both workloads, with files of several of
# its own blocks on a disk, and with each option. Measures each once. Takes up to a minute.
#   tests/lab/peers/peers_family_test.sh FRESHET FAMILY CACHE
# Exits with 77 where none can be built here.
set -euo pipefail
freshet=$1
family=$2
cache=$3
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/dev/shm}/freshet-peers.XXXXXX")
disk=$(mktemp -d "${FRESHET_TEST_DISK:-/var/tmp}/freshet-peers.XXXXXX")
trap 'rm -rf "$scratch" "$disk"' EXIT
# Another user than the one who built the tests builds the peers anew.
mkdir -p "$cache" 2>/dev/null || true
[[ -w $cache ]] || cache=$scratch/cache
export XDG_CACHE_HOME=$cache XDG_STATE_HOME=$scratch/state XDG_CONFIG_HOME=$scratch/config

# measure DIRECTORY OPTION…: how many peers were measured; fails where one of them does.
measure() {
  local status=0
  "$freshet" peers "$1" --only "$family" --rounds 1 --memory reused --json "$scratch/json" "${@:2}" \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  echo "== ${*:2}" >&2
  cat "$scratch/out" "$scratch/err" >&2
  if ((status != 0)) && grep -qE 'measure in .*(not here, needs|Windows only|no peer has that workload|cannot --)' "$scratch/err"; then
    echo 0
    return
  fi
  ((status == 0)) || exit 1
  python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["trials"]))' "$scratch/json"
}

in_memory=$(measure "$scratch" --workload text --size 1M)
bytes=$(measure "$scratch" --workload bytes --size 1M)
((in_memory + bytes > 0)) || { echo "skipped: no compiler for any of them: $(cat "$scratch/err")"; exit 77; }

# The largest block that a peer chooses by itself has 4 MiB.
on_disk=$(measure "$disk" --workload text --size 20M)
((on_disk == in_memory)) || { echo "FAILED: $in_memory in memory, $on_disk on a disk"; exit 1; }

with_option=0
for option in --reserve --write-through --no-cache --sequential '--target overwrite'; do
  # shellcheck disable=SC2086  # an option and its value
  measured=$(measure "$disk" --workload text --size 1M --buffer 64K $option)
  with_option=$((with_option + measured))
done
echo "measured: $in_memory with text, $bytes with bytes, $on_disk on a disk, $with_option with options"
