#!/usr/bin/env bash
# Checks that every relative link in a Markdown file leads to a file, and its #anchor to a heading there, and that every
# document that code or a script names exists.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
readonly skipped='-name build -o -name node_modules -o -name .git'
status=0

fail() {
  echo "$1" >&2
  status=1
}

# The anchors of $1's headings, as GitHub makes them.
anchors() {
  sed -n '/^```/,/^```/d; s/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# shellcheck disable=SC2086 # The names to skip are several words.
while IFS= read -r document; do
  while IFS= read -r link; do
    [[ $link =~ ^[a-z]+: ]] && continue
    file=${link%%#*}
    target=$document
    [[ -n $file ]] && target=$(dirname -- "$document")/$file
    if [[ ! -e $target ]]; then
      fail "$document: the link to $link leads nowhere"
    elif [[ $link == *#* ]] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
      fail "$document: $target has no heading for #${link#*#}"
    fi
  done < <(sed '/^```/,/^```/d' "$document" | grep -oP '\]\(\K[^) ]+(?=\))' || true)
done < <(find . \( $skipped \) -prune -o -name '*.md' -print)

while IFS=: read -r file named; do
  [[ -e $named ]] || fail "$file names $named, which does not exist"
done < <(grep -roP '(?<![\w/.])doc/[\w/-]+\.(md|html)' include src tool peer bench example packaging tests cmake script test run |
  grep -v '^tool/report/web/node_modules' | sort -u)
exit $status
