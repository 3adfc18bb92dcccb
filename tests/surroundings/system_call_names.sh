#!/usr/bin/env bash
# Prints a C++ initializer for each system call that the headers of this system know: system_call_names.sh COMPILER…
set -euo pipefail
echo '#include <sys/syscall.h>' | "$@" -E -dM -x c - | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/{"\1", __NR_\1},/p' | sort
