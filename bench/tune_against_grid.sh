#!/usr/bin/env bash
# Measures how close the winner of a default run of `freshet tune` is to the winner of measuring every plan.
#
# usage: bench/tune_against_grid.sh FRESHET [DIR]
#
# Runs tune for all durability classes. Then measures, for one class, every plan that tune could have picked ROUNDS times,
# and finally the winners of both ten times each in random order. Needs jq. Environment: DURABILITY (none), ROUNDS (5),
# SIZE (1G), GRID_SIZE (256M, the size of tune's own trials).
set -euo pipefail

freshet=$(realpath "${1:?usage: bench/tune_against_grid.sh FRESHET [DIR]}")
directory=${2:-.}
durability=${DURABILITY:-none}
rounds=${ROUNDS:-5}
size=${SIZE:-1G}
grid_size=${GRID_SIZE:-256M}

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export XDG_STATE_HOME=$results/state
trap 'exit 130' INT TERM

start=$SECONDS
"$freshet" tune "$directory" --dry-run --size "$size" --json "$results/tune.json" >/dev/null
tune_seconds=$((SECONDS - start))

methods=$("$freshet" methods "$directory" --json - |
  jq -r '[.[] | select(.available and .keeps_order and .name != "null") | .name] | join(",")')
start=$SECONDS
for ((round = 0; round < rounds; ++round)); do
  for reserve in "" --reserve; do
    "$freshet" bench "$directory" --method "$methods" --block 64K,128K,256K,512K,1M,2M,4M,8M,16M --rounds 1 \
      --size "$grid_size" --durability "$durability" --max-bytes 1T --seed "$((round + 1))" $reserve \
      --json "$results/grid-$round$reserve.json" >/dev/null
  done
done
grid_seconds=$((SECONDS - start))

# Picks the plan with the lowest CPU time of those within 10 % of the fastest; with about equal CPU times, the faster.
# shellcheck disable=SC2016  # the dollars are jq's
pick='def median: sort | .[length / 2 | floor];
  [.[].trials[] | select(.verdict != "invalid")] | group_by([.plan.method, .plan.block, .plan.reserve])
  | map({method: .[0].plan.method, block: .[0].plan.block, reserve: .[0].plan.reserve,
         rate: (map(if $clock == "close" then .mb_per_second_to_close else .mb_per_second_to_disk end) | median),
         cpu: (map(.cpu_whole / .bytes * 1e9) | median)})
  | (map(.rate) | max) as $best | map(select(.rate * 1.1 >= $best))
  | (map(.cpu) | min) as $bill | map(select(.cpu - $bill <= ([0.02, .cpu * 0.1] | max))) | max_by(.rate)'
clock=$([[ $durability == none ]] && echo close || echo disk)
grid_winner=$(jq -s -c --arg clock "$clock" "$pick" "$results"/grid-*.json)
tune_winner=$(jq -c --arg class "$durability" \
  '.verdicts[] | select(.class == $class).winner | {method, block, reserve}' "$results/tune.json")

# measure_again WINNER ROUND: prints the MB/s of one more trial.
measure_again() {
  local reserve=""
  [[ $(jq .reserve <<<"$1") == true ]] && reserve=--reserve
  "$freshet" bench "$directory" --method "$(jq -r .method <<<"$1")" --block "$(jq .block <<<"$1")" --rounds 1 \
    --size "$size" --durability "$durability" --seed "$2" $reserve --json - |
    jq --arg clock "$clock" '.trials[0] | if $clock == "close" then .mb_per_second_to_close else .mb_per_second_to_disk end'
}

: >"$results/tune" && : >"$results/grid"
for round in {1..10}; do
  for source in $(shuf -e tune grid); do
    if [[ $source == tune ]]; then winner=$tune_winner; else winner=$grid_winner; fi
    measure_again "$winner" "$round" >>"$results/$source"
  done
done

echo "class $durability, files of $size"
echo "tune: $tune_winner, in $tune_seconds s for all classes"
echo "grid: $grid_winner, in $grid_seconds s for this one, $rounds rounds"
echo "MB/s in ten more rounds, winner of tune and winner of the grid:"
paste "$results/tune" "$results/grid"
paste "$results/tune" "$results/grid" | awk '{ print $1 / $2 }' | sort -n |
  awk '{ r[NR] = $1 } END { printf "median of tune / grid: %.3f (%.3f to %.3f)\n", (r[5] + r[6]) / 2, r[1], r[10] }'
