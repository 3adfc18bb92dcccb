#!/usr/bin/env bash
# Checks that every relative link in a Markdown file leads to a file, and its #anchor to a heading there, that every
# document that code or a script names exists, and that every program of the guide is one of example/, which is tested.
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

# The blocks of $1 that are fenced as cpp, each followed by a null character.
programs() { awk '/^```cpp$/ { inside = 1; next } /^```$/ && inside { inside = 0; printf "%c", 0 } inside' "$1"; }

for document in README.md doc/guide/*.md; do
  while IFS= read -r -d '' program; do
    found=false
    for example in example/*.cpp; do
      [[ $program != "$(<"$example")"$'\n' ]] || found=true
    done
    $found || fail "$document: no file of example/ is the program that begins with: $(head -n 1 <<<"$program")"
  done < <(programs "$document")
done

while IFS=: read -r file named; do
  [[ -e $named ]] || fail "$file names $named, which does not exist"
done < <(grep -roP --exclude-dir=node_modules '(?<![\w/.])doc/[\w/-]+\.(md|html)' include src tool lab peer bench example packaging tests cmake script test run | sort -u)
exit $status
