#!/usr/bin/env bash
# Runs tests for Windows under Wine, two processes at a time: windows_tests.sh PROGRAM [ARGUMENT…]
# Wine keeps its state beside the program, needs no display, and ends with the tests. windows.txt names the tests that Wine
# itself fails; they are not run.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
program=$(readlink -f -- "$1")
shift
place=$(dirname -- "$program")
wine=/usr/lib/wine/wine64 server=/usr/lib/wine/wineserver64
readonly shards=2

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
run_shard() {
  GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$1 timeout "${FRESHET_TEST_SECONDS:-900}" "$wine" "$program" \
    "--gtest_filter=*:-$failed_by_wine" --gtest_brief=1 "${@:2}" </dev/null >"$place/windows_tests.$1.log" 2>&1
}

processes=() status=0
for ((shard = 0; shard < shards; ++shard)); do
  run_shard "$shard" "$@" &
  processes+=($!)
done
for process in "${processes[@]}"; do wait "$process" || status=$?; done
cat "$place"/windows_tests.*.log
exit "$status"
