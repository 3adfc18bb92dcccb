#!/usr/bin/env bash
# Builds and checks every peer of one family for which the toolchain is here, in both workloads, and measures each once.
# Exits with 77 where none can be built here.
set -euo pipefail
freshet=$1
family=$2
cache=$3
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/dev/shm}/freshet-peers.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# Another user than the one who built the tests builds the peers anew.
mkdir -p "$cache" 2>/dev/null || true
[[ -w $cache ]] || cache=$scratch/cache
export XDG_CACHE_HOME=$cache XDG_STATE_HOME=$scratch/state XDG_CONFIG_HOME=$scratch/config

measured=0
for workload in text bytes; do
  mkdir "$scratch/$workload"
  status=0
  "$freshet" peers "$scratch/$workload" --only "$family" --workload "$workload" --size 1M --rounds 1 --memory reused \
    >"$scratch/out" 2>"$scratch/err" || status=$?
  cat "$scratch/out" "$scratch/err"
  if grep -qE 'not here, needs|Windows only|no peer has that workload' "$scratch/err"; then continue; fi
  ((status == 0)) || exit 1
  measured=1
done
((measured == 1)) || exit 77
