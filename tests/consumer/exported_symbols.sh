#!/usr/bin/env bash
# Fails where a shared library of freshet's exports internals, or what is not freshet's: exported_symbols.sh SOURCE LIBRARY…
# What is in namespace freshet::detail may be exported only where it is marked FRESHET_API.
set -euo pipefail
source=$1
shift
functions=$(grep -rhoE 'FRESHET_API [^(]*\(' "$source/include" "$source/src" | grep -oE '[a-z_]+\($' | tr -d '(' | sort -u)
types=$(grep -rhoE '(struct|class) FRESHET_API [a-z_]+' "$source/include" | grep -oE '[a-z_]+$' | sort -u)
allowed=$functions$'\n'$types
status=0
for library in "$@"; do
  exported=$(nm -DC --defined-only "$library" | cut -d' ' -f3- | sed -E 's/^(vtable|VTT|typeinfo|typeinfo name) for //; s/\(.*//')
  grep -q '^freshet::' <<<"$exported" || { echo "$library exports nothing of freshet's" >&2; status=1; }
  if grep -vE '^((guard variable for |non-virtual thunk to |virtual thunk to )?freshet::|freshet_)' <<<"$exported"; then
    echo "$library exports what is above, which is not freshet's" >&2
    status=1
  fi
  while read -r name; do
    symbol=${name#freshet::detail::}
    symbol=${symbol#unthrowing::}
    symbol=${symbol%%\[abi:*}
    grep -qxF -e "$symbol" -e "${symbol%::*}" <<<"$allowed" && continue  # or the class that it is a member of
    echo "$library exports the internal $name" >&2
    status=1
  done < <(grep -oE '^(guard variable for )?freshet::detail::.*' <<<"$exported" | sort -u)
done
exit $status
