#!/usr/bin/env bash
# Kills `freshet encrypt` with SIGKILL at random moments. Files under their names must be complete, and after --resume the
# output must be byte-identical to that of an undisturbed run. To be run by hand; the tests do the same a few times.
#   tests/lab/encrypt/soak_encrypt_kills.sh FRESHET [KILLS=200] [STRATEGY…]
set -euo pipefail

freshet=$(realpath "$1")
kills=${2:-200}
strategies=("${@:3}")
((${#strategies[@]})) || strategies=(streaming buffering pipelined async)
export FRESHET_PROFILE=none
seed=${FRESHET_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "FRESHET_TEST_SEED=$seed"
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/var/tmp}/freshet-kills.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state
cd "$scratch"

mkdir in
for number in {1..150}; do seq "$number" "$((number * 40))" >"in/small $number"; done
for number in {1..4}; do seq 1 300000 | tr '\n' ' ' | fold -w "$((number * 700))" >"in/large $number"; done
how=(--cipher aes --work 40 --threads 2)

# Whether every file under its name is complete.
all_whole() {
  local file
  for file in out/*; do [[ ! -e $file ]] || cmp -s "$file" "whole/${file#out/}" || return 1; done
}

failures=0
for strategy in "${strategies[@]}"; do
  rm -rf whole out
  began=$(date +%s%N)
  "$freshet" encrypt in whole "${how[@]}" --strategy "$strategy" >/dev/null
  took=$((($(date +%s%N) - began) / 1000))
  hit=0 finished=0
  for ((kill_number = 0; kill_number < kills; kill_number++)); do
    ((RANDOM % 3)) || rm -rf out # otherwise the next run continues this one
    "$freshet" encrypt in out "${how[@]}" --strategy "$strategy" --resume >/dev/null 2>err &
    process=$!
    sleep "$(printf '0.%06d' $(((RANDOM * 32768 + RANDOM) % (took * 11 / 10) % 1000000)))"
    kill -KILL "$process" 2>/dev/null || true
    status=0
    wait "$process" 2>/dev/null || status=$?
    case $status in
      137) hit=$((hit + 1)) ;;
      0) finished=$((finished + 1)) ;;
      *) echo "FAILED: $strategy exits $status: $(cat err)" && failures=$((failures + 1)) ;;
    esac
    all_whole || { echo "FAILED: $strategy leaves a partial file" && failures=$((failures + 1)); }
    if ((kill_number % 10 == 9)); then
      "$freshet" encrypt in out "${how[@]}" --strategy "$strategy" --resume >/dev/null ||
        { echo "FAILED: $strategy cannot be resumed" && failures=$((failures + 1)); }
      diff -r -x .freshet-encrypt.json whole out >/dev/null ||
        { echo "FAILED: $strategy has different output after --resume" && failures=$((failures + 1)); }
      rm -rf out
    fi
  done
  echo "$strategy: killed $hit times, $finished times it finished before the kill"
  ((hit > 0)) || { echo "FAILED: no kill hit $strategy" && failures=$((failures + 1)); }
done
[[ $failures -eq 0 ]]
