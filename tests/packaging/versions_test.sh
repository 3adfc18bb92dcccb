#!/usr/bin/env bash
# Whether all places that name freshet's version name the same one.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
version=$(sed -n 's/^project(freshet VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
[[ -n $version ]] || { echo "CMakeLists.txt: no version" >&2; exit 1; }
status=0

# expect FILE FOUND
expect() { [[ $2 == "$version" ]] || { echo "$1 says version $2, CMakeLists.txt $version" >&2; status=1; }; }
expect CHANGELOG.md "$(grep -oPm 1 '^## \K[0-9][0-9.]*' CHANGELOG.md)"
expect packaging/debian/changelog "$(sed -n '1s/^freshet (\(.*\)-[0-9]*).*/\1/p' packaging/debian/changelog)"
expect packaging/vcpkg/freshet/vcpkg.json "$(sed -n 's/^  "version": "\(.*\)",/\1/p' packaging/vcpkg/freshet/vcpkg.json)"
expect packaging/conan/conanfile.py "$(sed -n 's/^    version = "\(.*\)"/\1/p' packaging/conan/conanfile.py)"
for symbols in packaging/debian/*.symbols; do
  library=$(basename "$symbols" .symbols)
  [[ $(head -n 1 "$symbols") == "$library.so.${version%.*} "* ]] ||
    { echo "$symbols is about $(head -n 1 "$symbols"); script/renew-abi renews it" >&2; status=1; }
done
exit $status
