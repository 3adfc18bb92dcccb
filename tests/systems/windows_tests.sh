#!/usr/bin/env bash
# Runs tests for Windows under Wine, two processes at a time: windows_tests.sh PROGRAM [ARGUMENT…]
# FRESHET_TEST_SEED chooses a sample, a third of them; FRESHET_TEST_COMPLETE=1 runs all.
# Wine keeps its state beside the program, needs no display, and ends with the tests. windows.txt names the tests that Wine
# itself fails; they are not run.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
program=$(readlink -f -- "$1")
shift
place=$(dirname -- "$program")
wine=/usr/lib/wine/wine64 server=/usr/lib/wine/wineserver64
readonly at_once=2 samples=3
seed=${FRESHET_TEST_SEED:-$RANDOM}
# shellcheck source=tests/systems/parts.sh
source "$here/parts.sh"

export WINEPREFIX=$place/wine WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
export FRESHET_PROFILE=none
unset DISPLAY
# The places of tests as Windows names them.
for place_of in FRESHET_TEST_DIR FRESHET_TEST_DISK; do
  if [[ ${!place_of:-} == /* ]]; then export "$place_of=Z:${!place_of//\//\\}"; fi
done
mkdir -p "$WINEPREFIX"
# The first start makes the prefix; two at once would make it twice.
"$wine" cmd /c exit </dev/null >/dev/null 2>&1 || true
trap '"$server" -k 2>/dev/null || true' EXIT

echo "what Wine lacks, for which tests are left out:"
(cd "$place" && "$wine" wine_lacks.exe </dev/null) || true
failed_by_wine=$(sed -nE 's/^wine ([^ ]+) .*/\1/p' "$here/windows.txt" | paste -sd :)
parts=$at_once first=0
if [[ -z ${FRESHET_TEST_COMPLETE:-} ]]; then
  parts=$((at_once * samples)) first=$((seed / 3 % samples * at_once))
  echo "the sample: parts $((first + 1)) to $((first + at_once)) of $parts of the tests"
fi

processes=() status=0
for ((number = first; number < first + at_once; ++number)); do
  run_part "$place/windows_tests.$number.log" "${program##*/}" "$parts" "$number" "*:-$failed_by_wine" "$wine" "$program" "$@" &
  processes+=($!)
done
for process in "${processes[@]}"; do wait "$process" || status=$?; done
exit "$status"
