#!/usr/bin/env bash
# Does in a clean root what doc/guide/first-hour.md tells its reader to type, every ```sh block in turn, and says how long
# each took. What was measured decides nothing; that it was measured does.
set -euo pipefail
page=/freshet-source/doc/guide/first-hour.md
cd "$HOME"
cp -r /packages packages
begin=$SECONDS number=0

while IFS= read -r -d '' block; do
  number=$((number + 1)) start=$SECONDS status=0
  printf '%s\n' "$block" >"block-$number.sh"
  bash -euxo pipefail "block-$number.sh" || status=$?
  # Slower, or cannot tell: a disturbed machine is no fault of the page.
  if [[ $status -ne 0 ]] && ! { [[ $block == *--against* ]] && [[ $status -eq 1 || $status -eq 3 ]]; }; then
    echo "block $number of $page ended with status $status"
    exit 1
  fi
  echo "note: block $number, $(head -n 1 <<<"$block" | cut -c 1-60): $((SECONDS - start)) s"
done < <(awk '/^```sh$/ { inside = 1; next } /^```$/ { if (inside) printf "%c", 0; inside = 0 } inside' "$page")
[[ $number -ge 5 ]] || { echo "$page has $number blocks of commands only"; exit 1; }
echo "note: the first hour took $((SECONDS - begin)) s"

# What the reader has now: both programs, measured against each other in rounds.
ratio=$(sed -nE 's/.*"ratio": ?([0-9.]+).*/\1/p' gain.json | head -n 1)
echo "note: the program takes ${ratio:?no ratio in gain.json} times as long as before ($(grep -oE '"state": ?"[a-z ]+"' gain.json | head -n 1))"
