#!/usr/bin/env bash
# Checks that all work is really done: callgrind counts the instructions for a line. Every pass must add the same
# number of them, and enough to touch every byte. Takes 17 s: callgrind is fifty times slower.
#   tests/lab/encrypt/work_is_done_test.sh LINE_CIPHER_WORK
set -euo pipefail

program=$1
readonly length=3000 lines=2

if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" aes 1 16 1 >/dev/null 2>&1; then
  echo "skipped: there is no valgrind here that runs this program"
  exit 77
fi

# instructions CIPHER WORK: prints the number of instructions that transforming the lines takes.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
    --toggle-collect='freshet::tool::line_cipher::transform*' "$program" "$1" "$2" "$length" "$lines" 2>&1 |
    sed -n 's/.*Collected : //p'
}

failures=0
for cipher in xor aes; do
  none=$(instructions $cipher 0)
  # The difference leaves out the work that is done once, such as copying the line.
  ten=$(instructions $cipher 10)
  per_pass=$(((ten - $(instructions $cipher 2)) / 8))
  echo "$cipher: $none instructions without work, $per_pass for each pass over $((length * lines)) bytes"
  # One instruction can process at most 64 bytes.
  if ((per_pass < length * lines / 64)); then
    echo "FAILED: $cipher cannot have touched every byte in every pass"
    failures=$((failures + 1))
  fi
  for work in 1 4 7 100 1000; do
    counted=$(instructions $cipher $work)
    expected=$((ten + (work - 10) * per_pass))
    echo "$cipher, work $work: $counted instructions, $expected expected"
    tolerance=$(((work > 10 ? work - 10 : 10 - work) * per_pass / 100))
    if ((counted < expected - tolerance || counted > expected + tolerance)); then
      echo "FAILED: that is more than 1 % away"
      failures=$((failures + 1))
    fi
  done
done
[[ $failures -eq 0 ]]
