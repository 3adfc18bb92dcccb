#!/usr/bin/env bash
# Compares `freshet encrypt` on one cached file of 1 GiB with lines of 1000 characters with two programs that do the same
# work: `openssl enc -aes-256-ctr -a`, and its own strategy `streaming`, a single-threaded loop over std::getline.
#
# usage: bench/encrypt_against_openssl.sh FRESHET [DIR]
#
# Measures whole processes in random order within each round, each into a new file. Prints the median, minimum and maximum
# of the seconds of each, how many times as fast as its peer it is, and the peak memory of `pipelined`. Needs openssl.
# Environment: ROUNDS (7).
set -euo pipefail

freshet=$(realpath "${1:?usage: bench/encrypt_against_openssl.sh FRESHET [DIR]}")
directory=${2:-.}
rounds=${ROUNDS:-7}
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
counter=00000000000000000000000000000000

scratch=$(mktemp -d "$directory/freshet-openssl-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state
trap 'exit 130' INT TERM

encrypt() { "$freshet" encrypt "$scratch/in" "$scratch/out" "$@" --json "$scratch/figures"; }
aes() { encrypt --cipher aes --work 1 --strategy "$1"; }
openssl_aes() { mkdir "$scratch/out" && openssl enc -aes-256-ctr -a -K $key -iv $counter -in "$scratch/in/00001.txt" -out "$scratch/out/00001.txt"; }

run() {
  case $1 in
    openssl) openssl_aes ;;
    aes-*) aes "${1#aes-}" ;;
    std-loop) encrypt --strategy streaming --threads 1 ;;
    *) encrypt --strategy "$1" ;;
  esac
}

"$freshet" corpus "$scratch/in" --files 1 --lines 1072669 --chars 1000 >/dev/null
for ((round = 0; round < rounds; ++round)); do
  for which in $(shuf -e openssl aes-pipelined aes-auto std-loop pipelined auto); do
    cat "$scratch/in/00001.txt" >/dev/null
    sync -f "$scratch"
    start=$(date +%s%N)
    run "$which" >/dev/null
    echo $(($(date +%s%N) - start)) >>"$scratch/ns $which"
    [[ $which != pipelined ]] || grep -oE '"peak_memory": *[0-9]+' "$scratch/figures" | grep -oE '[0-9]+$' >>"$scratch/memory"
    rm -r "$scratch/out"
  done
done

quantiles() { sort -n | awk '{ at[NR] = $1 } END { printf "%.2f (%.2f-%.2f)", at[int((NR + 1) / 2)], at[1], at[NR] }'; }

echo "seconds, $rounds interleaved rounds: median (minimum-maximum)"
for figures in "$scratch"/ns*; do
  echo "${figures#"$scratch/ns "} $(awk '{ print $1 / 1e9 }' "$figures" | quantiles)"
done
echo "times as fast as its peer:"
for pair in aes-pipelined:openssl aes-auto:openssl pipelined:std-loop auto:std-loop; do
  echo "${pair%:*} compared with ${pair#*:}: $(paste "$scratch/ns ${pair#*:}" "$scratch/ns ${pair%:*}" | awk '{ print $1 / $2 }' | quantiles)"
done
echo "peak memory of pipelined, MiB: $(sort -n "$scratch/memory" | awk '{ most = $1 } END { printf "%.1f", most / 1048576 }')"
