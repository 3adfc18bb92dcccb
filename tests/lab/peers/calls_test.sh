#!/usr/bin/env bash
# Each function of the peers in C calls what the peer is named after, and nothing that another peer is named after: the
# relocations of its object file say what it calls. Exits with 77 where there is no C compiler.
set -euo pipefail
peers=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../../../peer
command -v cc >/dev/null && command -v objdump >/dev/null || exit 77
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/tmp}/freshet-calls.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# Calls by which peers differ. __overflow is what the inline putc_unlocked() calls when the buffer is full.
readonly told_apart='fwrite|fwrite_unlocked|fputc|putc|fprintf|ftell|__overflow|write|pwrite|writev|write_all|write_all_at|io_uring_submit'
failures=0

# calls_of PEER FUNCTION: of those, in order of their names. Functions that are inlined by the compiler belong to their caller.
calls_of() {
  local source=$peers/$1/main.c
  [[ $1 != common ]] || source=$peers/common/c/peer.c
  [[ -e $scratch/$1.o ]] || cc -O2 -I"$peers/common/c" -c "$source" -o "$scratch/$1.o"
  objdump -dr --no-show-raw-insn "$scratch/$1.o" |
    awk -v wanted="<$2>:" '/^[0-9a-f]+ </ { inside = $2 == wanted } inside && /R_[A-Z0-9_]+/ { sub(/[-+]0x.*/, "", $NF); print $NF }' |
    grep -xE "$told_apart" | sort -u | paste -sd ' '
}

# expect PEER FUNCTION CALLS
expect() {
  local calls
  calls=$(calls_of "$1" "$2" || true)
  if [[ $calls != "$3" ]]; then
    echo "$1: $2() calls '$calls', not '$3'"
    failures=1
  fi
}

expect c-stdio-naive write_text 'fprintf fputc ftell'
expect c-stdio-naive write_bytes 'fwrite'
expect c-stdio-tuned write_text 'fwrite'
expect c-stdio-tuned write_bytes 'fwrite'
expect c-stdio-unlocked write_line_pieces 'fwrite_unlocked'
expect c-stdio-unlocked write_line_characters '__overflow'
expect c-stdio-unlocked write_bytes '__overflow fwrite_unlocked'
expect c-write write_text 'write_all'
expect c-write write_bytes 'write_all'
expect c-writev write_gathered 'writev'
expect c-direct write_blocks 'write_all'
expect common write_all 'write'
if [[ -e /usr/include/liburing.h ]]; then
  expect c-uring write_text 'io_uring_submit'
fi
exit $failures
