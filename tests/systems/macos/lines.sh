#!/usr/bin/env bash
# Whether the files of a folder have no more lines than allowed: lines.sh FOLDER MOST
set -euo pipefail
lines=$(find "$1" -type f -exec cat {} + | wc -l)
if [[ $lines -eq 0 || $lines -gt $2 ]]; then
  echo "$1 has $lines lines; 1 to $2 are allowed" >&2
  exit 1
fi
echo "$1 has $lines lines"
