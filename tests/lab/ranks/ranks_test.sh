#!/usr/bin/env bash
# Several processes of one run on this machine: they exchange texts, a failure of one ends the run, and mpirun accepts the
# ordinary command. Takes 17 s: mpirun alone takes one to start, and more to end what has failed.
#   tests/lab/ranks/ranks_test.sh MPIRUN RANKS_PROGRAM FRESHET
set -euo pipefail

mpirun=$1 program=$2 freshet=$3
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/tmp}/freshet-ranks.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export XDG_STATE_HOME=$scratch/state
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export ASAN_OPTIONS=detect_leaks=0 # MPI does not free its memory at exit

if ! "$mpirun" -n 2 true >"$scratch/out" 2>&1; then
  echo "skipped: mpirun does not work here: $(cat "$scratch/out")"
  exit 77
fi

failures=0
fail() {
  echo "FAILED: $*"
  cat "$scratch/out" "$scratch/err"
  failures=$((failures + 1))
}

# ranks COUNT PROGRAM ARGUMENT…: runs a program on COUNT ranks and prints its exit code.
ranks() {
  local status=0
  timeout 60 "$mpirun" -n "$1" "${@:2}" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
  echo "$status"
}

for count in 1 2 4; do
  [[ $(ranks "$count" "$program" talk) -eq 0 ]] || fail "$count ranks cannot talk"
  grep -qx "$count ranks talked" "$scratch/out" || fail "not all of $count ranks took part"
done
"$program" talk >"$scratch/out" 2>"$scratch/err" || fail "one process alone cannot talk to itself"

for how in fail fail-in-talk; do
  [[ $(ranks 4 "$program" $how) -eq 1 ]] || fail "a failed rank does not fail the run ($how)"
  grep -q "the disk of the last rank is full" "$scratch/err" || fail "the reason is missing ($how)"
done
[[ $(ranks 4 "$program" fail-together) -eq 1 ]] || fail "ranks that fail together do not fail the run"
for rank in 0 1 2 3; do
  grep -q "rank $rank fails as well" "$scratch/err" || fail "the reason of rank $rank is missing"
done

# A signal to mpirun reaches every rank, and each of them ends by itself.
"$mpirun" -n 4 "$program" wait >"$scratch/out" 2>"$scratch/err" </dev/null &
process=$!
while kill -0 "$process" 2>/dev/null && ! grep -q waiting "$scratch/out"; do sleep 0.05; done
kill -TERM "$process" || fail "the ranks do not wait"
wait "$process" && fail "an interrupted run does not fail"
[[ $(grep -c interrupted "$scratch/err") -eq 4 ]] || fail "a rank was killed before it could clean up"

# The ordinary command runs freshet-lab-mpi from its own directory, or reports that it is missing.
[[ $(ranks 2 "$freshet" --version) -eq 0 ]] || fail "mpirun cannot start the ordinary command"
[[ $(grep -c '^freshet ' "$scratch/out") -eq 1 ]] || fail "more or fewer than one rank prints the version"
[[ $(ranks 3 "$freshet" bench --rounds none .) -eq 2 ]] || fail "wrong usage does not set the exit code"
[[ $(grep -c -- --rounds "$scratch/err") -eq 1 ]] || fail "wrong usage is not reported exactly once"
cp "$freshet" "$scratch/freshet"
[[ $(ranks 2 "$scratch/freshet" --version) -ne 0 ]] || fail "freshet alone runs as several processes"
grep -q "freshet-lab-mpi is neither in $scratch nor in " "$scratch/err" || fail "the missing program is not named"

if ldd "$freshet" | grep -q libmpi; then fail "the ordinary command needs MPI"; fi

[[ $failures -eq 0 ]]
