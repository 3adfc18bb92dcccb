#!/usr/bin/env bash
# Prints the binary interface of a shared library with debug information, as far as programs reach it: describe_abi.sh LIBRARY
set -euo pipefail
abidw --headers-dir "${BASH_SOURCE[0]%/*}/../../include" --drop-private-types --no-corpus-path --no-comp-dir-path \
  --no-show-locs "$1" | sed "s| path='[^']*/src/| path='src/|"
