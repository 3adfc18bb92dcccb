#!/usr/bin/env bash
# The zip for Windows: unpacked, found by CMake, used by a small program, which runs under Wine, as does the command in it.
# package_test.sh BUILD, a build for Windows; Wine's state is that of its tests.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
build=$(readlink -f -- "$1")
place=$build/package_test
export WINEPREFIX=$build/tests/wine WINEDEBUG=-all FRESHET_PROFILE=none
unset DISPLAY

rm -rf "$place"
mkdir -p "$place"
(cd "$place" && cpack --config "$build/CPackConfig.cmake" >cpack.log && cmake -E tar xf freshet-*-windows-x86_64.zip)
unpacked=$(echo "$place"/freshet-*-windows-x86_64)
[[ $(ls "$unpacked/bin") == freshet.exe ]] || { echo "the command is not one program: $(ls "$unpacked/bin")" >&2; exit 1; }
cmake -S "$here/package" -B "$place/user" -G Ninja --toolchain "$here/../../../cmake/toolchains/x86_64-w64-mingw32.cmake" \
  -D freshet_DIR="$unpacked/lib/cmake/freshet" -D CMAKE_BUILD_TYPE=Release >"$place/cmake.log"
cmake --build "$place/user" >"$place/build.log"
said=$(cd "$place" && /usr/lib/wine/wine64 user/user.exe </dev/null | tr -d '\r')
[[ $said == '588890 bytes, sum 450000' ]] || { echo "the program said '$said'" >&2; exit 1; }
[[ -s $place/日本.txt ]] || { echo "there is no file of the Japanese name" >&2; exit 1; }
cmp "$place/numbers.txt" "$place/日本.txt"

(cd "$place" && /usr/lib/wine/wine64 "$unpacked/bin/freshet.exe" text text.txt --size 1M --method overlapped </dev/null >text.log)
[[ $(stat -c %s "$place/text.txt") -gt 1000000 ]] || { echo "the command wrote too little" >&2; exit 1; }
[[ $(tail -c 13 "$place/text.txt") == ' a dull boy.' ]] || { echo "the command's text does not end as it should" >&2; exit 1; }
echo "the zip has what a program needs: $said"
