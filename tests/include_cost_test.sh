#!/usr/bin/env bash
# Checks that the headers a program includes to write and read files stay about as cheap as <fstream>, by two counts that
# no clock decides: the preprocessed text, and the memory that g++ takes to compile it. Text alone says too little,
# because it does not tell what the compiler has to instantiate. bench/include_cost.sh measures the time.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
readonly dear='charconv|chrono|filesystem|format|functional|limits|memory|regex|vector|bits/(chrono|fs_fwd|fs_path)\.h'
status=0

compile() { "${CXX:-g++}" -std=c++20 -O2 -Iinclude -x c++ "${@:2}" - <<< "#include <$1>"; }
count_text() { compile "$1" -E -P | wc -c; }
# In MiB; nothing where the compiler does not tell.
count_memory() { compile "$1" -fsyntax-only -ftime-report 2>&1 | sed -nE 's/^ *TOTAL .* ([0-9]+)M.*/\1/p'; }

fail() {
  echo "$1" >&2
  status=1
}

check() {
  local header=$1 what=$2 count=$3 standard=$4 most=$5
  local percent=$((count * 100 / standard))
  echo "freshet/$header.hpp: $percent % of the $what of <fstream>"
  ((percent <= most)) || fail "freshet/$header.hpp takes $percent % of the $what of <fstream>; the limit is $most %"
}

standard_text=$(count_text fstream)
standard_memory=$(count_memory fstream)
[[ -n $standard_memory ]] || echo "${CXX:-g++} does not tell how much memory it takes"

# A header, and the most text and memory that it may take, in percent of <fstream>'s: a little more than when this was
# written.
while read -r header most_text most_memory; do
  check "$header" text "$(count_text "freshet/$header.hpp")" "$standard_text" "$most_text"
  [[ -z $standard_memory ]] ||
    check "$header" memory "$(count_memory "freshet/$header.hpp")" "$standard_memory" "$most_memory"
  included=$(compile "freshet/$header.hpp" -E | sed -nE "s@^# [0-9]+ \"[^\"]*/($dear)\".*@\1@p" | sort -u)
  [[ -z $included ]] || fail "freshet/$header.hpp includes $(tr '\n' ' ' <<< "$included")"
done <<'limits'
stream 112 118
writer 82 100
reader 82 97
filebuf 98 100
options 50 45
error 76 82
path_argument 73 69
limits
exit $status
