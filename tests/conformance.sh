#!/usr/bin/env bash
# Runs another library's tests of file streams on freshet's streams: conformance.sh FOLDER [NAME…]
#   FOLDER  a checkout of LLVM, of libc++ alone, or of GCC; nothing in it is changed
#   NAME    only the tests whose path contains one of these
# Each test is compiled twice: as it is, and with freshet's streams in place of std's. Those that pass only as they are count as
# failures, and those that even so do not pass say nothing. The exit code is 1 if a failure is not listed in
# doc/reference/differences.md. BUILD is the folder in which freshet was built (build/release), CXX the compiler (g++).
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
[[ $# -ge 1 && -d $1 ]] || { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
folder=$(cd -- "$1" && pwd) build=$(cd -- "${BUILD:-$here/../build/release}" && pwd)
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/freshet-conformance.XXXXXX")
trap 'rm -rf "$work"' EXIT
compiler=${CXX:-g++}

# The suite: where its tests lie, how they are compiled, and the files that they read.
include=() data='' sources=()
for suite in "$folder"{/libcxx,}/test; do
  [[ -d $suite/std/input.output/file.streams ]] || continue
  root=$suite include=("-I$suite/support")
  mapfile -t tests < <(cd "$suite" && find {std,libcxx}/input.output/file.streams/fstreams -name '*.pass.cpp' | sort)
  break
done
for suite in "$folder"{/libstdc++-v3,}/testsuite; do
  [[ -d $suite/27_io/basic_filebuf ]] || continue
  root=$suite include=("-I$suite/util") data=$suite/data sources=("$suite"/util/testsuite_{hooks,character}.cc)
  mapfile -t tests < <(cd "$suite" && find 27_io/basic_{filebuf,fstream,ifstream,ofstream} -name '*.cc' ! -name '*_neg.cc' |
    grep -v /wchar_t/ | sort)
  break
done
[[ -n ${tests:-} ]] || { echo "$folder holds neither the tests of libc++ nor those of libstdc++" >&2; exit 2; }
if [[ $# -gt 0 ]]; then mapfile -t tests < <(printf '%s\n' "${tests[@]}" | grep -F "$(printf '%s\n' "$@")"); fi

# What std calls its streams are freshet's, after all headers of std were read.
mkdir "$work/std" "$work/freshet"
echo '#include <bits/stdc++.h>' | tee "$work/std/streams.hpp" >"$work/freshet/streams.hpp"
{
  echo '#include <freshet/stream.hpp>'
  for name in filebuf fstream ifstream ofstream; do
    cat <<END
namespace conformance {
template <typename C, typename T> struct find_$name { using type = std::basic_$name<C, T>; };
template <> struct find_$name<char, std::char_traits<char>> { using type = freshet::$name; };
}
namespace std {
template <typename C, typename T = char_traits<C>>
using conformance_basic_$name = typename conformance::find_$name<C, T>::type;
using conformance_$name = freshet::$name;
}
#define basic_$name conformance_basic_$name
#define $name conformance_$name
END
  done
} >>"$work/freshet/streams.hpp"
read -ra flags < <(PKG_CONFIG_PATH=$build pkg-config --cflags freshet-uninstalled)
read -ra libraries < <(PKG_CONFIG_PATH=$build pkg-config --libs --static freshet-uninstalled)
options=(-std=c++20 -O0 -w -pthread "${include[@]}" "${flags[@]}")
for kind in std freshet; do "$compiler" "${options[@]}" -x c++-header "$work/$kind/streams.hpp" -o "$work/$kind/streams.hpp.gch"; done
objects=()
for source in "${sources[@]}"; do
  objects+=("$work/$(basename "$source").o")
  "$compiler" "${options[@]}" -c "$source" -o "${objects[-1]}"
done
export root data work FRESHET_PROFILE=none
# An array is no variable of the environment.
export compile="$compiler ${options[*]}" link="${objects[*]} ${libraries[*]}"

# passes KIND TEST: leaves the reason in $work/KIND/NUMBER/log where it does not.
passes() {
  local place=$work/$1/${2//\//+}
  mkdir -p "$place"
  # shellcheck disable=SC2086 # these are several words
  if grep -q 'dg-do compile' "$root/$2"; then
    $compile -include "$work/$1/streams.hpp" -fsyntax-only "$root/$2" 2>"$place.log"
    return
  fi
  # shellcheck disable=SC2086
  $compile -include "$work/$1/streams.hpp" "$root/$2" $link -o "$place/program" 2>"$place.log" || return
  [[ -z $data ]] || cp "$data"/*.t?t "$place"
  cp "$(dirname "$root/$2")"/*.dat "$place" 2>/dev/null || true
  (cd "$place" && timeout 60 ./program) >>"$place.log" 2>&1
}

# try TEST: prints TEST, what became of it, and why.
try() {
  local result=unknown why=''
  if passes std "$1"; then
    result=passed
    passes freshet "$1" || { result=failed; why=$(grep -m 1 -E 'error|[Aa]ssert|terminate' "$work/freshet/${1//\//+}.log" || true); }
  fi
  rm -rf "$work"/{std,freshet}/"${1//\//+}"
  printf '%s\t%s\t%s\n' "$1" "$result" "${why//$'\t'/ }"
}
export -f passes try

printf '%s\n' "${tests[@]}" | xargs -P "$(nproc)" -I '{}' bash -c 'try "$1" 2>/dev/null' try '{}' | sort >"$work/results"
# is_listed TEST: differences.md names tests by patterns.
mapfile -t patterns < <(grep -oP '`\K(27_io|std|libcxx)/[^`]*(?=`)' "$here/../doc/reference/differences.md")
is_listed() {
  local pattern
  # shellcheck disable=SC2053 # it is a pattern
  for pattern in "${patterns[@]}"; do [[ $1 != $pattern ]] || return 0; done
  return 1
}

status=0
while IFS=$'\t' read -r name _ why; do
  known=listed
  is_listed "$name" || { known='NOT LISTED' status=1; }
  printf '%s (%s): %s\n' "$name" "$known" "$why"
done < <(grep -P '\tfailed\t' "$work/results" || true)
awk -F '\t' '{ ++count[$2] } END {
  printf "%d tests pass, %d fail; %d do not pass with std either\n", count["passed"], count["failed"], count["unknown"] }' "$work/results"
exit $status
