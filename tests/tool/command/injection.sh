# What the scripts that inject faults by strace share: a scratch directory, and counting what failed. Skips the test where
# strace may not inject. To be sourced, with the script's arguments.
set -euo pipefail

# shellcheck disable=SC2034  # for the script that sources this
freshet=$1
export FRESHET_PROFILE=none
export ASAN_OPTIONS=detect_leaks=0 # the leak detector does not work under a tracer
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/var/tmp}/freshet-injection.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state

if ! strace -f -qq -o /dev/null -e inject=pwrite64:error=EIO:when=1 true 2>/dev/null; then
  echo "skipped: there is no strace here that may inject faults"
  exit 77
fi

failures=0
fail() {
  echo "FAILED: $*"
  cat "$scratch/err"
  failures=$((failures + 1))
}
