#!/usr/bin/env bash
# Whether programs that were built with the last release run with these shared libraries: abi_test.sh BUILD
# Something new is allowed. What is not: something that is gone or changed under the same SONAME.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
build=$1 status=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

soname_of() { grep -oPm 1 "<abi-corpus .*soname='\K[^']*" "$1"; }

# abidw 2.2 takes the one std::conditional of a translation unit for another; what this type is shows in symbols, too.
cat >"$scratch/suppressions" <<'END'
[suppress_type]
  name = freshet::native_handle_type
END

# is_compatible BEFORE NOW: two descriptions. What differs is in $scratch/report.
is_compatible() {
  local result=0 changes
  abidiff --harmless --suppressions "$scratch/suppressions" "$1" "$2" >"$scratch/report" || result=$?
  # Bits of its status: 1 error, 2 wrong usage, 4 some change, 8 something gone. A type that grew is only 4.
  changes=$(sed -nE 's/^(Functions|Variables) changes summary: ([0-9]+) Removed, ([0-9]+) Changed.*/\2 \3/p' "$scratch/report")
  ((!(result & 11))) && ! grep -qvx '0 0' <<<"${changes:-0 0}"
}

for library in freshet freshet_each_line; do
  xz -dc "$here/abi/lib$library.abi.xz" >"$scratch/before.abi"
  "$here/describe_abi.sh" "$build/src/lib$library.so" >"$scratch/now.abi"
  if [[ $(soname_of "$scratch/before.abi") != $(soname_of "$scratch/now.abi") ]]; then
    echo "lib$library.so: another SONAME than the last release's, so nothing has to hold"
  elif is_compatible "$scratch/before.abi" "$scratch/now.abi"; then
    echo "lib$library.so: compatible with the last release"
  else
    cat "$scratch/report"
    echo "lib$library.so changes what programs of the last release rely on (packaging/README.md says what to do)"
    status=1
  fi
done

# That this notices a function that is gone, and a type that grew.
xz -dc "$here/abi/libfreshet.abi.xz" >"$scratch/before.abi"
sed 's/_ZN7freshet7versionEv/_ZN7freshet4goneEv/g' "$scratch/before.abi" >"$scratch/gone.abi"
sed "s/\(<class-decl name='writer_options' size-in-bits='\)/\11/" "$scratch/before.abi" >"$scratch/grown.abi"
for doctored in gone grown; do
  if is_compatible "$scratch/$doctored.abi" "$scratch/before.abi"; then echo "abidiff misses what is $doctored"; status=1; fi
done
exit $status
