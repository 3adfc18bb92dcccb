#!/usr/bin/env bash
# Whether an archive refers to no call that POSIX.1-2008 lacks: posix_calls.sh ARCHIVE
# What it refers to beside other C++ is looked up in posix_calls.txt. Whoever adds a call looks it up in POSIX first.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
archive=$1

# Functions of C++ have mangled names; the rest below belongs to the compiler, to libstdc++ and to packages.
runtime='EVP_|RAND_|OSSL_|OPENSSL_|CRYPTO_|ERR_|ZSTD_|XXH|_Z|__cxa_|_Unwind_|__gxx_personality_v0$|__dso_handle$|_GLOBAL_OFFSET_TABLE_$|__stack_chk_fail$|__cpu_|__popcountdi2$|__libc_single_threaded$'
unknown=$(comm -23 \
  <(nm --undefined-only --format=posix "$archive" 2>/dev/null | awk '$2 ~ /^[Uvw]$/ { print $1 }' | grep -Ev "^($runtime)" | sort -u) \
  <(grep -v '^#' "$here/posix_calls.txt" | sort -u))
defined=$(nm --defined-only --format=posix "$archive" 2>/dev/null | awk 'NF >= 2 { print $1 }' | sort -u)
unknown=$(comm -23 <(printf '%s\n' "$unknown") <(printf '%s\n' "$defined") | grep . || true)
if [[ -n $unknown ]]; then
  printf '%s refers to what POSIX.1-2008 lacks, or posix_calls.txt does not list:\n%s\n' "$archive" "$unknown"
  exit 1
fi
echo "$archive refers to calls of POSIX.1-2008 only"
