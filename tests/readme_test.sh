#!/usr/bin/env bash
# Runs what README.md and doc/guide/command.md tell their reader to type, every ```sh block in turn, in a scratch
# directory that looks like the checkout, and checks that the README's ```cpp program is example/port.cpp.
set -euo pipefail
repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
scratch=$(mktemp -d /var/tmp/freshet-readme.XXXXXX)
trap 'rm -rf "$scratch"' EXIT

# The blocks of the document $2 that are fenced as $1.
blocks() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/{/^\`\`\`/d;p}" "$repository/$2"; }

blocks cpp README.md | diff - "$repository/example/port.cpp"

ln -s "$repository"/* "$scratch"
mkdir "$scratch/home"
export HOME=$scratch/home
unset XDG_CONFIG_HOME XDG_STATE_HOME FRESHET_PROFILE
cd "$scratch"
for document in README.md doc/guide/command.md; do
  commands=$(blocks sh "$document")
  [[ -n $commands ]] || { echo "$document has no commands" >&2; exit 1; }
  bash -euxo pipefail -c "$commands"
done

[[ $(stat -c %s sample.txt) -gt 0 && $(wc -l <lines.txt) -eq 1000000 ]]
