#!/usr/bin/env bash
# Runs what README.md tells its reader to type, every ```sh block in turn, in a copy of the checkout in which nothing was
# built: what comes after ./run must work with what ./run builds.
set -euo pipefail
repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
scratch=$(mktemp -d /var/tmp/freshet-readme.XXXXXX)
trap 'rm -rf "$scratch"' EXIT

web=tool/report/web
tar -C "$repository" --exclude=./build --exclude=./.git --exclude=node_modules -cf - . | tar -C "$scratch" -xf -
[[ ! -d $repository/$web/node_modules ]] || ln -s "$repository/$web/node_modules" "$scratch/$web"
# What other builds compiled serves this one.
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache --get-config cache_dir)
  export CCACHE_DIR CCACHE_BASEDIR=$scratch
fi
mkdir "$scratch/home"
export HOME=$scratch/home
unset XDG_CONFIG_HOME XDG_STATE_HOME FRESHET_PROFILE
cd "$scratch"
commands=$(sed -n '/^```sh$/,/^```$/{/^```/d;p}' README.md)
[[ -n $commands ]] || { echo "README.md has no commands" >&2; exit 1; }
./run --version  # the reader began with ./run, which measures for a minute
bash -euxo pipefail -c "$commands"

[[ $(stat -c %s sample.txt) -gt 0 && $(wc -l <lines.txt) -eq 1000000 ]]
