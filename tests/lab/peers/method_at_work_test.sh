#!/usr/bin/env bash
# Takes from programs what they ask for, behind their backs: peers that bypass the page cache open files without
# O_DIRECT, and stdio keeps its own buffer. Their trials must be invalid for that reason. On a full file system each of
# these peers must fail. Exits with 77 where there is no C compiler.
set -euo pipefail
freshet=$1
cache=$2
scratch=$(mktemp -d "${FRESHET_TEST_DIR:-/dev/shm}/freshet-method.XXXXXX")
mounted=
clean_up() {
  [[ -z $mounted ]] || umount "$mounted"
  rm -rf "$scratch"
}
trap clean_up EXIT
command -v cc >/dev/null || exit 77
mkdir -p "$cache" 2>/dev/null || true
[[ -w $cache ]] || cache=$scratch/cache
export XDG_CACHE_HOME=$cache XDG_STATE_HOME=$scratch/state XDG_CONFIG_HOME=$scratch/config
failures=0

fail() {
  echo "FAILED: $1" >&2
  failures=$((failures + 1))
}

cat >"$scratch/taking.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Only of files of trials, and only for writing: freshet reads them back itself.
static int without_direct(const char* path, int flags) {
  return strstr(path, "/trial-") != NULL && (flags & O_ACCMODE) == O_WRONLY ? flags & ~O_DIRECT : flags;
}

#define TAKING(name)                                                                          \
  int name(const char* path, int flags, ...) {                                                \
    va_list more;                                                                             \
    va_start(more, flags);                                                                    \
    const unsigned mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0; \
    va_end(more);                                                                             \
    int (*const real)(const char*, int, ...) = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, #name); \
    return real(path, without_direct(path, flags), mode);                                     \
  }
TAKING(open)
TAKING(open64)

int setvbuf(FILE* file, char* buffer, int mode, size_t size) {
  (void)file, (void)buffer, (void)mode, (void)size;
  return 0;
}
C
cc -shared -fPIC -o "$scratch/taking.so" "$scratch/taking.c" -ldl

# describe WORD <JSON: prints "WORD VERDICT METHOD REASONS" of each trial; WORD is a member of the trial, or empty.
describe() {
  python3 -c 'import json, sys
for trial in json.load(sys.stdin)["trials"]:
    first = [trial[sys.argv[1]]] if sys.argv[1] else []
    print(*first, trial["verdict"], trial["method_at_work"], "; ".join(trial["reasons"]))' "$1"
}

# peer_with NAME [PRELOADED]: measures a peer once; prints "VERDICT METHOD REASONS", or "missing" if it cannot be built
# here.
peer_with() {
  local status=0
  env ${2:+LD_PRELOAD="$2"} "$freshet" peers "$scratch/place" --only "$1" --size 9M --buffer 1M --rounds 1 --memory reused \
    --no-store --json "$scratch/json" >"$scratch/out" 2>&1 || status=$?
  if grep -q 'not here, needs' "$scratch/out"; then echo missing && return; fi
  ((status == 0)) || cat "$scratch/out" >&2
  describe "" <"$scratch/json"
}

mkdir "$scratch/place"
# Go does not call the C library's open(); C# and Java's FileChannel set the flag later.
for peer in c-direct java-nio-async/direct java-nio-direct node-direct python-direct rust-direct go-direct csharp-direct \
  c-uring/append freshet-writer/uring; do
  method=direct
  [[ $peer == *uring* ]] && method=uring
  found=$(peer_with "$peer")
  [[ $found != missing ]] || continue
  [[ $found == *" $method "* && $found != *"not by"* ]] || fail "$peer, left alone: $found"
  case $peer in go-direct | csharp-direct | java-nio-direct | freshet-*) continue ;; esac
  used=buffered
  [[ $method == uring ]] && used=uring-buffered
  found=$(peer_with "$peer" "$scratch/taking.so")
  [[ $found == "invalid $used "*"written by $used, not by $method"* ]] || fail "$peer, without O_DIRECT: $found"
done

bytes_with() {
  env ${1:+LD_PRELOAD="$1"} "$freshet" bytes "$scratch/place/bytes" --ways fwrite,fread --buffer 64K --size 1M --rounds 1 \
    --no-store --json - | describe way
}
if "$freshet" help | grep '^  bytes ' >/dev/null; then
  found=$(bytes_with)
  [[ $(grep -c 'stdio with 64 KiB' <<<"$found") == 2 && $found != *"not by"* ]] || fail "bytes, left alone: $found"
  found=$(bytes_with "$scratch/taking.so")
  for expected in 'fwrite invalid .*written by stdio with 4 KiB, not by stdio with 64 KiB' \
    'fread invalid .*read by stdio with 4 KiB, not by stdio with 64 KiB'; do
    grep -q "$expected" <<<"$found" || fail "bytes, without setvbuf(): $found"
  done
fi

if [[ $EUID -eq 0 ]] && mkdir "$scratch/full" && mount -t tmpfs -o size=8M none "$scratch/full" 2>/dev/null; then
  mounted=$scratch/full
  for peer in c-direct c-uring java-nio-async node-direct python-direct rust-direct go-direct csharp-direct; do
    status=0
    "$freshet" peers "$mounted" --only "$peer" --size 32M --buffer 1M --rounds 1 --memory reused --no-store --force \
      --time-limit 60 >"$scratch/out" 2>&1 || status=$?
    if grep -q 'not here, needs' "$scratch/out"; then continue; fi
    said=$(tr -s '\n ' ' ' <"$scratch/out")
    [[ $status == 1 && $said == *"ended with exit code 1 before it wrote"*"o space left on device"* ]] ||
      fail "$peer, on a full file system: $said"
  done
fi
((failures == 0))
