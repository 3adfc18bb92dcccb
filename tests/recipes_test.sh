#!/usr/bin/env bash
# Follows the recipes of CONTRIBUTING.md: applies their patches to a copy of the repository, builds that, and uses the
# method, the gate and the workload that they add.
set -euo pipefail
repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/var/tmp}/freshet-recipes.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

cd "$repository"
cp -r CMakeLists.txt CMakePresets.json CONTRIBUTING.md CHANGELOG.md LICENSE README.md bench cmake doc example include packaging peer \
  src tests tool lab "$scratch"
cd "$scratch"
tests/apply_recipes.py

if command -v ccache >/dev/null; then export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$scratch CCACHE_NOHASHDIR=1; fi
cmake --preset quick -DFRESHET_WITH_MPI=OFF -DFRESHET_JOIN_TESTS=ON
cmake --build build/quick --target freshet_command tool_trial_test tool_workload_test os_test
build/quick/tests/tool/tool_trial_test --gtest_filter='*gate*:*judge*'
build/quick/tests/tool/tool_workload_test --gtest_filter='*workload*'

freshet=build/quick/tool/freshet
export XDG_STATE_HOME=$scratch/state XDG_CONFIG_HOME=$scratch/config
mkdir measured
"$freshet" methods measured | grep -w plain
for method in buffered plain; do "$freshet" text "$method.txt" --method "$method" --size 3M; done
cmp buffered.txt plain.txt
"$freshet" bench measured --method plain,buffered --workload digits --size 1M --rounds 1 --memory reused
