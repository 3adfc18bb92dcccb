#!/usr/bin/env bash
# Checks that the headers a program includes to write and read files stay about as cheap as <fstream>. Compile time
# follows the amount of preprocessed text, which is the same on every machine; bench/include_cost.sh measures the time.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
readonly most_percent=130  # of <fstream>
status=0

preprocess() { "${CXX:-g++}" -std=c++20 -O2 -Iinclude -x c++ -E "${@:2}" - <<< "#include <$1>"; }

fail() {
  echo "$1" >&2
  status=1
}

standard=$(preprocess fstream -P | wc -c)
for header in stream writer reader filebuf options error path_argument; do
  bytes=$(preprocess "freshet/$header.hpp" -P | wc -c)
  percent=$((bytes * 100 / standard))
  echo "freshet/$header.hpp: $percent % of <fstream>"
  ((percent <= most_percent)) ||
    fail "freshet/$header.hpp has $percent % of the preprocessed text of <fstream>; the limit is $most_percent %"
  included=$(preprocess "freshet/$header.hpp" | sed -nE 's/^# [0-9]+ "[^"]*\/(filesystem|functional|memory|regex|format|vector|bits\/fs_path\.h)".*/\1/p' | sort -u)
  [[ -z $included ]] || fail "freshet/$header.hpp includes $(tr '\n' ' ' <<< "$included")"
done
exit $status
