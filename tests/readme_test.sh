#!/usr/bin/env bash
# Runs what README.md tells its reader to type, every ```sh block in turn, in a scratch directory that looks like the
# checkout.
set -euo pipefail
repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
scratch=$(mktemp -d /var/tmp/freshet-readme.XXXXXX)
trap 'rm -rf "$scratch"' EXIT

ln -s "$repository"/* "$scratch"
mkdir "$scratch/home"
export HOME=$scratch/home
unset XDG_CONFIG_HOME XDG_STATE_HOME FRESHET_PROFILE
cd "$scratch"
commands=$(sed -n '/^```sh$/,/^```$/{/^```/d;p}' README.md)
[[ -n $commands ]] || { echo "README.md has no commands" >&2; exit 1; }
bash -euxo pipefail -c "$commands"

[[ $(stat -c %s sample.txt) -gt 0 && $(wc -l <lines.txt) -eq 1000000 ]]
