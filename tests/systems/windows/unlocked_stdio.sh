#!/usr/bin/env bash
# A program that includes <freshet/unlocked_stdio.h>, with the C library of Windows 10 (ucrtbase.dll), run under Wine: it writes
# and reads what it should, by that library's unlocked functions. unlocked_stdio.sh DIRECTORY, which has Wine's state.
# The compiler's own choice is an older library, which has no such functions: its header leaves all as it is there.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
compiler=x86_64-w64-mingw32-g++-posix
state=$(readlink -f -- "$1")
place=$state/unlocked_stdio
export WINEPREFIX=$state/wine WINEDEBUG=-all
unset DISPLAY

mkdir -p "$place"
"$compiler" -dumpspecs | sed 's/-lmsvcrt/-lucrtbase/g' >"$place/specs"

build() {
  "$compiler" "$@" -std=c++20 -O2 -I"$here/../../../include" -I"$here/../../.." -c "$here/unlocked_stdio.cpp" -o "$place/program.o"
}
run() {
  local said
  said=$(printf hi | /usr/lib/wine/wine64 "$place/program.exe" "$place/file")
  [[ $said == 'hi!' ]] || { echo "it said '$said' instead of 'hi!'" >&2; return 1; }
}

build -D_UCRT
for function in _fread_nolock _fwrite_nolock _fflush_nolock; do
  nm -u "$place/program.o" | grep -q "_$function\$" || { echo "the program does not call $function" >&2; exit 1; }
done
"$compiler" -specs="$place/specs" -static "$place/program.o" -o "$place/program.exe"
run
build
"$compiler" -static "$place/program.o" -o "$place/program.exe"
run
echo "the unlocked functions of ucrtbase.dll are called and work; with msvcrt.dll all stays as it is"
