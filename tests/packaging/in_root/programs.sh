#!/usr/bin/env bash
# Compiles and runs programs with the installed packages, as users do: programs.sh VERSION
set -euo pipefail
version=$1 source=/freshet-source
apt-get -qy install cmake ninja-build libfmt-dev
work=$(mktemp -d)
cd "$work"
[[ $(freshet --version) == *"$version"* ]]
[[ $(pkg-config --modversion freshet freshet-each-line | sort -u) == "$version" ]]

# Compilers know the system's directories.
[[ $(pkg-config --cflags --libs freshet freshet-each-line) != *-[IL]/usr* ]]

# The examples: by pkg-config, and by CMake.
mkdir pkg-config project
for example in "$source"/example/*.cpp; do
  name=$(basename "$example" .cpp)
  read -ra flags <<<"$(pkg-config --cflags --libs freshet freshet-each-line)"
  g++ -std=c++20 "$example" "${flags[@]}" -lfmt -o "pkg-config/$name"
  "$source/tests/examples_test.sh" "$name" "$PWD/pkg-config/$name"
done
readelf -d pkg-config/port | grep -F "libfreshet.so.${version%.*}"
cmake -S "$source/tests/consumer/installed" -B project -G Ninja
cmake --build project
project/consumer
project/each_line_consumer

# Every complete program of the guide.
mkdir guide
awk -v RS='\n```' '/^cpp\n/ && /int main\(/ { sub(/^cpp\n/, ""); file = sprintf("guide/%d.cpp", ++count); print > file }' \
  "$source"/doc/guide/*.md
count=0
for program in guide/*.cpp; do
  [[ -e $program ]] || continue
  g++ -std=c++20 "$program" "${flags[@]}" -lfmt -o "${program%.cpp}"
  count=$((count + 1))
done
echo "note: $count programs of the guide compile"

# The command, with what the packages bring: peers find the library that they are built with.
freshet methods .
freshet text sample.txt --size 4M
freshet peers . --only freshet-writer --size 4M --rounds 1 --no-store
freshet report --out report.html
grep -q echarts report.html

# The laboratory, of which users see nothing but its commands.
freshet corpus lines --files 2 --lines 10 --chars 40
[[ $(cat lines/* | wc -l) -eq 20 ]]
[[ $(zcat /usr/share/man/man1/freshet-sweep.1.gz) == *strategies* ]]
grep -q 'sweep:--corpora)' /usr/share/bash-completion/completions/freshet
if command -v freshet-lab; then echo "the laboratory can be called by its name"; exit 1; fi

# What connects processes takes the MPI of a cluster, which no package knows.
status=0
OMPI_COMM_WORLD_SIZE=2 freshet sweep . 2>err || status=$?
[[ $status -eq 1 ]]
grep 'freshet-lab-mpi is neither in .*: packages lack it' err

# Where somebody removed it, freshet says what brings it back, and all else works.
rm /usr/libexec/freshet/freshet-lab
status=0
freshet corpus more 2>err || status=$?
[[ $status -eq 1 && ! -e more ]]
grep 'freshet-lab is neither in /usr/bin nor in /usr/libexec/freshet: it belongs to the package of freshet; install that again' err
freshet help | grep -E '^  corpus '
freshet text sample.txt --size 4M
apt-get -qy install --reinstall /packages/freshet_*.deb
freshet corpus more --files 2 --lines 10 --chars 40
cd /
rm -rf "$work"
