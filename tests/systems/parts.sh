# How the tests for other systems are run: a program of GoogleTest in parts. A process for each test would take longer to start
# than most tests take. Read by foreign.sh and windows_tests.sh.
# shellcheck shell=bash

# run_part LOG NAME PARTS NUMBER FILTER COMMAND…: the part NUMBER of PARTS of a program's tests, which takes about as long as any
# other. Prints how many passed, what failed, and how.
run_part() {
  local log=$1 name="$2, part $(($4 + 1)) of $3" status=0
  GTEST_TOTAL_SHARDS=$3 GTEST_SHARD_INDEX=$4 GTEST_FILTER=$5 timeout 3600 "${@:6}" </dev/null >"$log" 2>&1 || status=$?
  awk -v name="$name" '/^\[       OK/ { ++passed } /^\[  SKIPPED.* ms\)/ { ++skipped } /^\[  FAILED.* ms\)/ { ++failed }
    END { printf "%s: %d passed, %d skipped, %d failed\n", name, passed, skipped, failed }' "$log"
  [[ $status -eq 0 ]] || { sed -n '/^\[ RUN/{h;d}; H; /^\[  FAILED.* ms)/{g;p}' "$log"; tail -n 20 "$log"; return 1; }
}
