#!/usr/bin/env bash
# How many instructions a trial takes for 16 MiB of text, beside all else that a call of bench does: without a file, written by
# `buffered` and checked, and read. A count does not depend on the load of the machine:
#   bench/trial_instructions.sh FRESHET [DIRECTORY]
set -euo pipefail
freshet=$(readlink -f -- "$1") directory=${2:-/dev/shm}
scratch=$(mktemp -d "$directory/freshet-instructions.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# count SIZE OPTION…: instructions of the whole call.
count() {
  FRESHET_PROFILE=none valgrind --tool=callgrind --callgrind-out-file=/dev/null "$freshet" bench "$scratch" --no-store --rounds 1 \
    --memory left --size "$1" "${@:2}" 2>&1 >/dev/null | sed -nE 's/.*Collected : ([0-9]+).*/\1/p'
}

for way in '--method null' '--method buffered' '--method buffered --class warm' '--method null --workload blocks'; do
  read -ra words <<<"$way"
  small=$(count 16M "${words[@]}")
  large=$(count 32M "${words[@]}")
  printf '%-34s %6.1f million instructions for 16 MiB\n' "$way" "$(((large - small) / 100000))e-1"
done
