#!/usr/bin/env bash
# Opens pages of made-up trials in a headless browser, and checks what is on them: run.sh REPORT_PAGE SCREENSHOTS
# Takes two minutes: one page has 100,000 trials, and each test opens its page in a browser of its own.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
report_page=$1 screenshots=$2 skipped=77
web=$here/../../../../tool/report/web

browser=
for name in chromium-headless-shell chromium chromium-browser google-chrome; do
  if browser=$(command -v "$name"); then break; fi
done
missing() {
  echo "skipped: $1 is missing"
  exit $skipped
}
command -v node >/dev/null || missing "node"
node -e 'require("node:test")' 2>/dev/null || missing "a node that has tests of its own (18 or later)"
[[ -n $browser ]] || missing "a Chromium"
[[ -d $web/node_modules/playwright-core && -d $web/node_modules/axe-core ]] || missing "$web/node_modules (npm ci there)"
[[ -f $web/node_modules/echarts/dist/echarts.common.min.js ]] || missing "the chart library"

pages=$(mktemp -d "${FRESHET_TEST_DIR:-${TMPDIR:-/tmp}}/freshet-test-XXXXXX")
trap 'rm -rf "$pages"' EXIT
chmod 755 "$pages"
for kind in usual few mapped early runs peers volumes bare undrawn many hostile empty; do "$report_page" "$kind" "$pages/$kind.html"; done
! grep -q 'built without sweep' "$pages/usual.html" || missing "the ability sweep, which draws files processed line by line,"
mkdir -p "$screenshots" 2>/dev/null || screenshots=$pages
[[ -w $screenshots ]] || screenshots=$pages
cd "$pages"
# A sample by the seed of ./test; ./soak, and whoever calls this by hand, runs all.
count=4
[[ -z ${FRESHET_TEST_COMPLETE:-} && -n ${FRESHET_TEST_SEED:-} ]] || count=100
mapfile -t tests < <(python3 -c 'import random, sys
print(*random.Random(sys.argv[1]).sample(sys.argv[3:], min(int(sys.argv[2]), len(sys.argv) - 3)), sep="\n")' \
  "${FRESHET_TEST_SEED:-1}" "$count" "$here"/*.test.mjs)
echo "the sample: $(basename -a "${tests[@]}" | paste -sd ' ')"
HOME=$pages BROWSER=$browser PAGES=$pages SCREENSHOTS=$screenshots node --test --test-reporter=spec "${tests[@]}"
