#!/usr/bin/env bash
# Whether each pattern of tests/labels.cmake still names tests of this build, but for those of abilities that it lacks:
#   labels_test.sh BUILD
set -euo pipefail
names=$(ctest --test-dir "$1" -N)
status=0
while IFS= read -r pattern; do
  program=${pattern%%\\.*}
  if [[ $program == ^lab_* ]] && ! grep -qE "#[0-9]+: ${program#^}\." <<<"$names"; then continue; fi
  grep -qE "#[0-9]+: ${pattern#^}" <<<"$names" || { echo "labels.cmake: no test is called $pattern"; status=1; }
done < <(grep -oE '"\^(src|os|each_line|tool_|lab_)[^"]*"' "${BASH_SOURCE[0]%/*}/labels.cmake" | tr -d '"' | sed 's/\\\\/\\/g')
exit $status
