#!/usr/bin/env bash
# The library before profiles had `fixed` and figures reads a profile that has them: the winners as they are, and warnings
# of unknown keys only. Its parser comes from git and is compiled alone, which takes 15 s.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
readonly earlier=511f5261eb
readonly sources=(base/error.cpp profile/profile_text.cpp profile/toml_text.cpp method/registry.cpp)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

skip() {
  echo "$1"
  exit 77
}
fail() {
  echo "$1" >&2
  exit 1
}

git -C "$here" cat-file -e "$earlier^{commit}" 2>/dev/null || skip "the repository's history does not go back to $earlier"
git -C "$here/../../.." archive "$earlier" include src | tar -x -C "$place"
cd -- "$place"
"${CXX:-g++}" -std=c++20 -O0 -I. -Iinclude -c "${sources[@]/#/src/}" "$here/earlier_library/read_profile.cpp"
# The table of methods names functions that no profile calls: anything at that address will do.
{
  echo '.data'
  nm -u ./*.o | sed -nE 's/^ *U (_ZN.*freshet.*)/\1/p' | sort -u | while read -r name; do
    printf '.weak %s\n%s: .long 0\n' "$name" "$name"
  done
} >absent.s
"${CXX:-g++}" ./*.o absent.s -z noexecstack -o read_profile
./read_profile "$here/samples/profile-1-measured.toml" >read 2>warnings
diff "$here/samples/profile-1-measured.read" read || fail "the earlier library reads something else"
grep -q "unknown key 'fixed'" warnings || fail "no warning of a key that it does not know"
! grep -v "unknown key '\(fixed\|kept\|behind\|past\)'" warnings || fail "it finds other faults"
