#!/usr/bin/env bash
# Removes the packages: nothing of them stays, and nothing else goes with them.
set -euo pipefail
mapfile -t packages < <(dpkg-query -W -f '${Package}\n' '*freshet*')
[[ ${#packages[@]} -eq 4 ]] || { echo "installed: ${packages[*]}"; exit 1; }
dpkg -L "${packages[@]}" | sort -u | while IFS= read -r path; do [[ -d $path ]] || echo "$path"; done >/tmp/files
[[ $(wc -l </tmp/files) -gt 100 ]]
apt-get -qy purge "${packages[@]}" | tee /tmp/purged
grep -E '0 upgraded, 0 newly installed, 4 to remove' /tmp/purged
while IFS= read -r path; do
  if [[ -e $path || -L $path ]]; then echo "$path is left"; exit 1; fi
done </tmp/files
if find /usr /etc /var/lib/dpkg/info /var/cache -name '*freshet*' -not -name '*.deb' | grep .; then echo "is left"; exit 1; fi
if ldconfig -p | grep freshet; then echo "ldconfig still knows a library"; exit 1; fi
