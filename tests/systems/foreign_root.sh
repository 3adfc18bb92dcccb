#!/usr/bin/env bash
# Makes a root with this release's packages for another processor: foreign_root.sh ARCHITECTURE ROOT PACKAGE…
# The packages and what they depend on are unpacked there, not installed: dpkg of this system hears nothing of it. A root with
# the same packages stays as it is. ROOT.archives and ROOT.apt keep what apt fetched.
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/packaging/clean_root.sh
source "$here/../packaging/clean_root.sh"
architecture=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
packages=("${@:3}")
apt=$root.apt

if [[ -f $root/.packages && $(<"$root/.packages") == "${packages[*]}" ]]; then exit; fi

# An apt that knows of no package that is installed, and of no processor but that one.
mkdir -p "$apt"/{state/lists/partial,cache/archives/partial,etc}
: >"$apt/status"
system_sources >"$apt/etc/sources.list"
[[ -s $apt/etc/sources.list ]] || { echo "apt knows no source of this release; apt-get update brings the lists" >&2; exit 1; }
cat >"$apt/apt.conf" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/etc/sources.list";
Dir::Etc::sourceparts "-";
Dir::Etc::preferencesparts "-";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
END
# Containers configure apt to throw away what it fetched.
sed -i '$a Binary::apt-get::APT::Keep-Downloaded-Packages "true";\n#clear DPkg::Post-Invoke;\n#clear APT::Update::Post-Invoke;' "$apt/apt.conf"
ask_apt() { apt-get -qy -c "$apt/apt.conf" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@" </dev/null; }

log=$apt/log
{ ask_apt update && ask_apt install --download-only "${packages[@]}"; } >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
rm -rf "${root:?}"
mkdir -p "$root"
for archive in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$archive" "$root"; done
# Links to places of the root's own, not of this system.
find "$root" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
  ln -sfnr "$root$target" "$link"
done
echo "${packages[*]}" >"$root/.packages"
