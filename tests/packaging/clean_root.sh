# A clean root of this system's release, made by debootstrap, and commands in it. To be sourced by bash as root.
# shellcheck shell=bash

# The apt sources of this system's own release, as lines of a sources.list: wherever its mirror is, the root uses it, too.
system_sources() {
  # shellcheck source=/dev/null
  local id suite
  id=$(. /etc/os-release && echo "$ID") suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  apt-get indextargets --format '$(ORIGIN) deb $(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed -n "s/^$id deb \([^ ]* $suite[^ ]* .*\)/deb \1/Ip" | sort -u
}

# make_clean_root ROOT CACHE: with what apt needs, but without a compiler. CACHE keeps it for the next time.
make_clean_root() {
  local root=$1 cache=$2 suite site
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  local kept=$cache/root-$suite.tar.zst
  mkdir -p "$root" "$cache"
  if [[ ! -f $kept ]]; then
    site=$(system_sources | awk -v suite="$suite" '$3 == suite { print $2; exit }')
    [[ -n $site ]] || { echo "apt knows no source of $suite; apt-get update brings the lists" >&2; return 1; }
    # In a mount namespace of its own, so that nothing that debootstrap mounts stays.
    unshare --mount debootstrap --variant=minbase "$suite" "$root" "$site" >"$cache/debootstrap.log" 2>&1 ||
      { tail -n 20 "$cache/debootstrap.log"; return 1; }
    rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
    tar -C "$root" --one-file-system -c . | zstd -q -3 -T0 -o "$kept.new"
    mv "$kept.new" "$kept"
  else
    tar -C "$root" --zstd -xpf "$kept"
  fi
  system_sources >"$root/etc/apt/sources.list"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc"
  # Nothing here has to survive a power cut.
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe"
  # How this system reaches its mirror, and what was fetched before.
  apt-config dump | grep -E '^Acquire::https?::' >"$root/etc/apt/apt.conf.d/60proxy" || true
  printf 'APT::Install-Recommends "false";\nBinary::apt-get::APT::Keep-Downloaded-Packages "true";\n' \
    >"$root/etc/apt/apt.conf.d/70tests"
  rm -f "$root/etc/apt/apt.conf.d/docker-clean"
}

# in_root ROOT BIND=PLACE… -- COMMAND…: runs a command in the root with /proc, /dev and /sys, and with these directories of
# this system at these places of the root. All of it, and every process, is gone when the command ends.
in_root() {
  local root=$1 binds=()
  shift
  while [[ $1 != -- ]]; do binds+=("$1"); shift; done
  shift
  # shellcheck disable=SC2016 # expanded in the namespace
  unshare --mount --pid --fork --kill-child bash -euc '
    root=$1 count=$2
    shift 2
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    for ((; count > 0; --count)); do
      mkdir -p "$root/${1#*=}"
      mount --bind "${1%%=*}" "$root/${1#*=}"
      shift
    done
    exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
      LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "$@"
  ' in_root "$root" "${#binds[@]}" "${binds[@]}" "$@" </dev/null
}
