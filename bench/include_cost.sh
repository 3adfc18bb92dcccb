#!/usr/bin/env bash
# Measures the CPU time of compiling a file that includes one public header, against one that includes <fstream>.
# Rounds are interleaved; the table shows the smallest time of each header.
#
# usage: bench/include_cost.sh [ROUNDS [INCLUDE_DIRECTORY…]]      (default: 15 rounds, include/ of this repository)
# To compare two versions, give the include directories of both.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
readonly rounds=${1:-15}
shift $(($# > 0))
(($# > 0)) || set -- include
readonly compiler=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

# compile HEADER [OPTION…]: user and system seconds.
compile() {
  echo "#include <$1>" > "$work/source.cpp"
  { TIMEFORMAT='%U %S'; time "$compiler" -std=c++20 -O2 -c "$work/source.cpp" -o "$work/object.o" "${@:2}"; } 2>&1 |
    awk '{ print $1 + $2 }'
}

headers=$(cd "$1" && printf '%s\n' freshet/*.hpp)
for ((round = 0; round < rounds; ++round)); do
  echo "- fstream $(compile fstream)"
  for header in $headers; do
    for directory in "$@"; do
      [[ ! -e $directory/$header ]] || echo "$directory $header $(compile "$header" "-I$directory")"
    done
  done
done > "$work/times"

# shellcheck disable=SC2016  # the backquotes are Markdown's
awk -v directories="$*" '
  { key = $1 " " $2; if (!(key in least) || $3 < least[key]) least[key] = $3; if (!seen[$2]++) names[++rows] = $2 }
  END {
    count = split(directories, directory, " ")
    standard = least["- fstream"]
    printf "| header |"; for (i = 1; i <= count; ++i) printf " %s: CPU s | times `<fstream>` |", directory[i]; print ""
    printf "|---|"; for (i = 1; i <= count; ++i) printf "---|---|"; print ""
    for (row = 1; row <= rows; ++row) {
      printf "| `<%s>` |", names[row]
      for (i = 1; i <= count; ++i) {
        key = (names[row] == "fstream" ? "-" : directory[i]) " " names[row]
        if (key in least) printf " %.3f | %.2f |", least[key], least[key] / standard; else printf " | |"
      }
      print ""
    }
  }' "$work/times"
