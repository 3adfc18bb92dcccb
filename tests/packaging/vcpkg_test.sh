#!/usr/bin/env bash
# Checks the vcpkg port without vcpkg: its features are those that the portfile knows, and what it tells CMake works with this
# system's packages; programs find what it installs. The command is built in the complete test alone. vcpkg_test.sh DIRECTORY
set -euo pipefail
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
source=${here%/tests/packaging} port=${here%/tests/packaging}/packaging/vcpkg/freshet work=$1

# port_json EXPRESSION: prints what a Python expression makes of vcpkg.json, as `port`.
port_json() { python3 -c "import json, sys; port = json.load(open(sys.argv[1])); print($1)" "$port/vcpkg.json"; }
[[ $(port_json 'port["name"]') == freshet ]]
[[ $(port_json 'set(port["default-features"]) <= set(port["features"])') == True ]]
[[ $(port_json 'all(set(each) == {"description", "dependencies"} for each in port["features"].values())') == True ]]
features=$(port_json '";".join(sorted(port["features"]))')

use_port() { cmake "-DPORT_DIR=$port" "-DWORK=$1" "-DFEATURES=$2" "${@:3}" -P "$here/vcpkg_stand_in.cmake"; }

built=$features
if [[ -z ${FRESHET_TEST_COMPLETE:-} ]]; then
  mkdir -p "$work/tool"
  use_port "$work/tool" "$features" -DCONFIGURE_ONLY=ON
  built=$(port_json '";".join(sorted(set(port["features"]) - {"tool"}))')
fi
mkdir -p "$work"
use_port "$work" "$built"
[[ $(tr ';' '\n' <"$work/mapped_features" | sort | paste -sd ';') == "$features" ]] ||
  { echo "the features of vcpkg.json and of portfile.cmake differ: $features, $(<"$work/mapped_features")" >&2; exit 1; }
if [[ $built == *tool* ]]; then
  tool=$work/package/tools/freshet/freshet
  "$tool" bench --size 1M --rounds 1 --method buffered --memory left "$work"
  [[ $("$tool" peers --list) == *c-write* ]]  # of freshet-lab, with the sources of the peers
fi
cmake -S "$source/tests/consumer/installed" -B "$work/consumer" -G Ninja "-Dfreshet_ROOT=$work/package/share/freshet"
cmake --build "$work/consumer"
(cd "$work" && consumer/consumer && consumer/each_line_consumer)
