#!/usr/bin/env bash
# Makes the source archive, Debian packages from it without git, and ports, and tests all of them: packages_test.sh DIRECTORY
# DIRECTORY keeps what the next run need not fetch again. The packages are installed in a clean root of this system's release
# (root only). The first hour of doc/guide/ is rehearsed there.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source=${here%/tests/packaging}
kept=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d "${FRESHET_TEST_DIR:-/var/tmp}/freshet-packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
# shellcheck source=tests/packaging/clean_root.sh
source "$here/clean_root.sh"
version=$(sed -n 's/^project(freshet VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
readonly earlier=0.1.0

fail() { echo "$*" >&2; exit 1; }

# step NAME COMMAND…: its output only where it fails, and how long it took. Not beside `||`, where bash would go on after a
# command of a function that fails.
step() {
  local name=$1 start=$SECONDS status
  shift
  set +e
  (set -e; "$@") >"$work/output" 2>&1
  status=$?
  set -e
  if [[ $status -ne 0 ]]; then
    tail -n 100 "$work/output"
    fail "$name failed"
  fi
  sed -n 's/^note: //p' "$work/output"
  echo "== $name: $((SECONDS - start)) s"
}

make_source_archive() {
  cmake -S "$source" --preset package -B "$work/configured"
  (cd "$work/configured" && cpack --config CPackSourceConfig.cmake -B "$work")
  tar -C "$work" -xf "$work/freshet-$version.tar.xz"
  # All that git has, and nothing else, where this is git's checkout.
  if git -C "$source" rev-parse --is-inside-work-tree; then
    (cd "$work/freshet-$version" && find . -type f -o -type l | sed 's|^\./||' | sort) >"$work/archived"
    git -C "$source" ls-files --cached --others --exclude-standard | grep -vx '.*\.gitignore' | sort | diff - "$work/archived" ||
      fail "the source archive is not what git has"
  fi
}

# without_git COMMAND…: git fails, as where it is not installed.
without_git() {
  mkdir -p "$work/bin"
  printf '#!/bin/sh\necho "git is called: $*" >&2\nexit 127\n' >"$work/bin/git"
  chmod +x "$work/bin/git"
  PATH=$work/bin:$PATH "$@"
}

# make_packages SOURCE PLACE: as the first hour says it.
make_packages() {
  local modules=tool/report/web/node_modules
  cd "$1"
  export CCACHE_BASEDIR=$1
  [[ ! -d $source/$modules ]] || ln -sfn "$source/$modules" "$modules"
  without_git cmake --preset package
  without_git cmake --build build/package
  mkdir -p "$2"
  (cd build/package && without_git cpack -B "$2" && rm -rf "$2/_CPack_Packages")
}

# The same sources under an earlier version, whose libraries have other names.
make_earlier_packages() {
  cp -r "$work/freshet-$version" "$work/earlier"
  cd "$work/earlier"
  rm -rf build
  sed -i "s/^project(freshet VERSION $version /project(freshet VERSION $earlier /" CMakeLists.txt
  sed -i "s/${version%.*}/${earlier%.*}/g" packaging/debian/*.symbols
  sed -i "1s/$version/$earlier/" packaging/debian/changelog
  make_packages "$work/earlier" "$work/earlier-packages"
}

# Nothing here is uploaded to Debian, so that no bug of theirs is closed.
check_with_lintian() {
  lintian --allow-root --fail-on error,warning --tag-display-limit 0 --suppress-tags initial-upload-closes-no-bugs "$work"/packages/*.deb
}

# What users see of a package but lintian does not: a library depends on what it links, the command on no library of ours. The
# command brings its laboratory, which nobody calls by its name, and a page of the manual of each command there.
check_contents() {
  local ability
  cd "$work/packages"
  ls ./*.deb
  dpkg-deb -f ./libfreshet"${version%.*}"_*.deb Depends | grep -F liburing
  dpkg-deb -f ./libfreshet-each-line"${version%.*}"_*.deb Depends | grep -F "libfreshet${version%.*} (>= $version)"
  if dpkg-deb -f ./freshet_*.deb Depends | grep -F libfreshet; then fail "the command depends on the library"; fi
  for package in ./*.deb; do dpkg-deb -x "$package" unpacked; done
  if grep -rlF "$work" unpacked; then fail "what is above names the directory in which it was built"; fi
  [[ -x unpacked/usr/bin/freshet && -x unpacked/usr/libexec/freshet/freshet-lab && ! -e unpacked/usr/bin/freshet-lab ]] ||
    fail "the command's package has not both programs at their places"
  while IFS= read -r ability; do
    [[ -s unpacked/usr/share/man/man1/freshet-$ability.1.gz ]] || fail "there is no page of the manual of $ability"
  done < <(sed -nE 's/^ability\(([a-z0-9]+) .*/\1/p' "$work/freshet-$version/lab/abilities.cmake")
  rm -r unpacked
  dpkg-deb -I ./libfreshet"${version%.*}"_*.deb symbols | grep -q '^ _ZN7freshet7versionEv@Base'
}

# Both ports compile the same sources with the same options, at the same place of a directory that ccache knows.
check_vcpkg_port() {
  mkdir -p "$work/vcpkg/source"
  tar -C "$work/vcpkg/source" --strip-components=1 -xf "$work/freshet-$version.tar.xz"
  CCACHE_BASEDIR=$work/vcpkg "$work/vcpkg/source/tests/packaging/vcpkg_test.sh" "$work/vcpkg"
}

# in_packages_root COMMAND…: with the packages, tests and examples; the home directory is on a disk.
in_packages_root() {
  in_root "$root" "$work/packages=packages" "$work/earlier-packages=earlier-packages" "$kept/archives=var/cache/apt/archives" \
    "$source=freshet-source" "$disk/home=root" -- "$@"
}

step "source archive" make_source_archive
step "packages" make_packages "$work/freshet-$version" "$work/packages"
step "lintian" check_with_lintian
step "contents" check_contents
step "binary interface" "$here/abi_test.sh" "$work/freshet-$version/build/package"
step "vcpkg port" check_vcpkg_port
step "conan recipe" "$here/conan_test.py" "$work/conan"
if [[ $EUID -ne 0 ]] || ! unshare --mount --pid --fork true 2>/dev/null; then
  echo "skipped: a clean root to install in takes root and namespaces"
  exit 77
fi
disk=$(mktemp -d "${FRESHET_TEST_DISK:-/var/tmp}/freshet-packages.XXXXXX")
trap 'rm -rf "$work" "$disk"' EXIT
mkdir -p "$kept/archives/partial" "$disk/home"
# In memory, where a system can have its device files there.
root=$work/root
if findmnt -no OPTIONS --target "$work" | grep -qwE 'nodev|noexec'; then root=$disk/root; fi
step "earlier packages" make_earlier_packages
step "clean root" make_clean_root "$root" "$kept"
rehearse_first_hour() { in_packages_root /freshet-source/tests/packaging/in_root/first_hour.sh; }
use_packages() { in_packages_root /freshet-source/tests/packaging/in_root/programs.sh "$version"; }
remove_packages() { in_packages_root /freshet-source/tests/packaging/in_root/remove.sh; }
upgrade_packages() { in_packages_root /freshet-source/tests/packaging/in_root/upgrade.sh "$earlier" "$version"; }
step "first hour" rehearse_first_hour
step "programs" use_packages
step "removal" remove_packages
step "upgrade" upgrade_packages
