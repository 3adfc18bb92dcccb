#!/usr/bin/env bash
# Runs the SQL of doc/reference/store.md on a store.
#   tests/tool/store/views_test.sh FRESHET
set -euo pipefail
freshet=$1
document=$(dirname -- "${BASH_SOURCE[0]}")/../../../doc/reference/store.md
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-${TMPDIR:-/tmp}}/freshet-views.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
if ! command -v sqlite3 >/dev/null; then
  echo "skipped: no sqlite3"
  exit 77
fi

"$freshet" bench "$scratch" --method buffered,null --size 1M --rounds 3 --memory reused --store "$scratch/store" >/dev/null
query() { (sed -n '/^```sql$/,/^```$/{/^```/d;p}' "$document" && echo "$1") | sqlite3 -readonly -bail "$scratch/store"; }

query '' | grep buffered >/dev/null
[[ $(query 'SELECT trials FROM run_overview' | tail -1) == 6 ]]
[[ $(query 'SELECT sum(trials) FROM plan_speeds' | tail -1) == $(query 'SELECT count(*) FROM counted_trials' | tail -1) ]]
[[ $(query "SELECT max(share) FROM block_latencies WHERE label LIKE 'buffered%'" | tail -1) == 1.0 ]]
