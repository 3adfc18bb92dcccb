#!/usr/bin/env bash
# Whether programs that were built with the last release run with these shared libraries: abi_test.sh BUILD
# Something new is allowed. What is not: something that is gone or changed under the same SONAME.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
build=$1 status=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for library in freshet freshet_each_line; do
  xz -dc "$here/abi/lib$library.abi.xz" >"$scratch/before.abi"
  "$here/describe_abi.sh" "$build/src/lib$library.so" >"$scratch/now.abi"
  before=$(grep -oP "<abi-corpus .*soname='\K[^']*" "$scratch/before.abi")
  now=$(grep -oP "<abi-corpus .*soname='\K[^']*" "$scratch/now.abi")
  [[ $before == "$now" ]] || { echo "$library: $now has a SONAME of its own, nothing has to hold"; continue; }
  result=0
  abidiff --harmless "$scratch/before.abi" "$scratch/now.abi" >"$scratch/report" || result=$?
  # Bits of abidiff's status: 1 error, 2 wrong usage, 4 some change, 8 an incompatible one. Changes of types are 4 only.
  changes=$(sed -nE 's/^(Functions|Variables) changes summary: ([0-9]+) Removed, ([0-9]+) Changed.*/\2 \3/p' "$scratch/report")
  if ((result & 11)) || grep -qvx '0 0' <<<"${changes:-0 0}"; then
    cat "$scratch/report"
    echo "lib$library.so changes what programs of the last release rely on (packaging/README.md says what to do)"
    status=1
  else
    echo "lib$library.so: compatible with the last release"
  fi
done
exit $status
