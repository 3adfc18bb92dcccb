#!/usr/bin/env bash
# From an earlier version to this one: upgrade.sh EARLIER VERSION. Programs built with the earlier one go on running with the
# libraries of that, which stay; new ones get the new libraries.
set -euo pipefail
earlier=$1 version=$2
cd "$HOME"
compile() {
  local flags
  read -ra flags <<<"$(pkg-config --cflags --libs freshet)"
  g++ -std=c++20 /freshet-source/example/port.cpp "${flags[@]}" -o "$1"
  readelf -d "$1" | grep -F "NEEDED" | grep -F "libfreshet.so.${2%.*}"
}
check() {
  rm -f lines.txt
  "$1"
  [[ $(wc -l <lines.txt) -eq 1000000 ]]
}

apt-get -qy install /earlier-packages/*.deb
[[ $(freshet --version) == *"$earlier"* ]]
compile ./earlier "$earlier"
check ./earlier
apt-get -qy install /packages/*.deb
[[ $(freshet --version) == *"$version"* ]]
freshet peers --list
check ./earlier
compile ./now "$version"
check ./now

# The library's own package can be removed, and what was built with the other one goes on.
apt-get -qy purge "libfreshet${earlier%.*}" "libfreshet-each-line${earlier%.*}"
check ./now
if ./earlier; then echo "a library that was removed is still used"; exit 1; fi
apt-get -qy purge freshet libfreshet-dev "libfreshet${version%.*}" "libfreshet-each-line${version%.*}"
if dpkg-query -W -f '${Package} ${db:Status-Status}\n' '*freshet*' | grep -v not-installed; then exit 1; fi
