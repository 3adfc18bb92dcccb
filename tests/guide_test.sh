#!/usr/bin/env bash
# Runs what the pages of the guide about commands tell their reader to type: guide_test.sh DIRECTORY [PAGE…]
# DIRECTORY is that of the command. The ```sh blocks of a page are one script, with the shell's -e and pipefail, in an empty
# directory with a directory `data` in it and a home of its own; pages share what they build of peers. A page that fails is
# tried once more: other work on the machine makes trials invalid, as it should, and then there may be nothing to compare.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
commands=$(cd -- "$1" && pwd -P)
shift
scratch=$(mktemp -d /var/tmp/freshet-guide.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
unset XDG_CONFIG_HOME XDG_STATE_HOME FRESHET_PROFILE
export PATH=$commands:$PATH XDG_CACHE_HOME=$scratch/cache

# A page is run in one go, so that a command may use what an earlier one made.
run_page() {
  local page=$1 script
  script=$(sed -n '/^```sh$/,/^```$/{/^```/d;p}' "$here/doc/guide/$page.md")
  rm -rf "${scratch:?}/$page"
  mkdir -p "$scratch/$page/data" "$scratch/$page/home"
  (cd "$scratch/$page" && HOME=$scratch/$page/home bash -euxo pipefail -c "$script")
}

if [[ $# -eq 0 ]]; then
  while IFS= read -r page; do set -- "$@" "$(basename -- "$page" .md)"; done < <(grep -l '^## Exit codes' "$here"/doc/guide/*.md)
fi
for page in "$@"; do
  start=$SECONDS
  run_page "$page" || run_page "$page" || { echo "doc/guide/$page.md: its commands failed" >&2; exit 1; }
  echo "$page: $((SECONDS - start)) s"
done
