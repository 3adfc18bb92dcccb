#!/bin/sh
# Whether a program reads what it writes: exchange.sh COMMAND… calls COMMAND… write DIRECTORY, then COMMAND… read DIRECTORY.
set -e
directory=$(mktemp -d "${FRESHET_TEST_DIR:-${TMPDIR:-/tmp}}/freshet-exchange.XXXXXX")
trap 'rm -rf "$directory"' EXIT
"$@" write "$directory"
"$@" read "$directory"
