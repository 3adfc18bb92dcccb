# shellcheck shell=bash
# Functions for scripts that compare freshet with fio; source this file. A candidate is one line of words: the arguments
# of the caller's function that measures it and prints its MB/s.

# pick_best COUNT FUNCTION [WORD…] < candidates: measures each candidate once with `FUNCTION WORD… CANDIDATE` and prints
# the fastest COUNT candidates. Shows all rates on stderr.
pick_best() {
  local count=$1 candidate rate
  shift
  while read -r candidate; do
    # shellcheck disable=SC2086  # the candidate's words are arguments
    rate=$("$@" $candidate < /dev/null)
    echo "$rate $candidate" | tee -a /dev/stderr
  done | sort -rn | head -n "$count" | cut -d' ' -f2-
}

# compare ROUNDS FUNCTION < candidates: measures each candidate once per round, in random order, and prints the median,
# minimum and maximum of each, the fastest first.
compare() {
  local rounds=$1 function=$2 round candidate
  local -a candidates
  local -A rates=()
  readarray -t candidates
  for ((round = 0; round < rounds; ++round)); do
    while read -r candidate; do
      # shellcheck disable=SC2086  # the candidate's words are arguments
      rates[$candidate]+="$("$function" $candidate < /dev/null) "
    done < <(printf '%s\n' "${candidates[@]}" | shuf)
  done
  for candidate in "${!rates[@]}"; do
    tr ' ' '\n' <<< "${rates[$candidate]% }" | sort -n |
      awk -v name="$candidate" '{ rate[NR] = $1 } END { print rate[int((NR + 1) / 2)], rate[1], rate[NR] "  " name }'
  done | sort -rn
}
