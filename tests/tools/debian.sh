#!/usr/bin/env bash
# Debian roots: systems beside this one, in which the tests are run. A root is made once by
# debootstrap, kept between runs, entered by chroot. This script does not know what is run there.
#
#   debian.sh SUITE make            make the root unless it is there
#   debian.sh SUITE path            print where it is
#   debian.sh SUITE anew            undo all that was done in the root since it was made
#   debian.sh SUITE copy DIR        replace DIR in the root by the tree that git sees here
#   debian.sh SUITE clone DIR       replace DIR in the root by a clone of HEAD
#   debian.sh SUITE run COMMAND...  run a command in the root
#
# SUITE: forky, for the interpreters that this system does not have; bookworm, which has as little
# as a system can have where a clone is made and make is typed.
# Exit status 75: it cannot be done here; one line on stderr says why. Status 1: what is in the root
# cannot be replaced while a command runs there.
set -euo pipefail

suite=${1:-}
shift || true
root=${XDG_CACHE_HOME:-$HOME/.cache}/tracer/$suite
case $suite in
    forky)
        packages=python3.14,python3.14-dev,python3.14-venv,libpython3.14-testsuite
        packages+=,python3.15,python3.15-dev,python3.15-venv,libpython3.15-testsuite
        packages+=,gcc,libc6-dev,make,git,uthash-dev,check,pkgconf,ca-certificates
        ;;
    bookworm) packages=python3,make,git,ca-certificates ;; # the last because git clones by https
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac

refuse() {
    echo "$suite: $*" >&2
    exit 75
}

require_root() {
    [ "$(id -u)" = 0 ] || refuse "a Debian root can only be made and entered by root"
    unshare --mount true 2>/dev/null || refuse "this system lets not even root mount a file system"
}

# Held by each `run` for as long as its command lasts, and by lanes.sh.
lock() {
    mkdir -p "$(dirname "$root")"
    exec 8>"$root.lock"
    flock "$@" 8
}

unless_in_use() {
    require_root
    lock --exclusive --nonblock && return
    echo "$suite: $root is in use by another run of tests; wait until that has ended" >&2
    exit 1
}

# The mirror that apt uses here, so that no host name has to stand in this file.
mirror() {
    apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(CODENAME) $(SITE)' 2>/dev/null |
        awk '$1 == "Debian" && $2 == "main" && $3 !~ /-(security|updates|backports)/ { print $4; exit }'
}

make_root() {
    if [ "$(cat "$root/.packages" 2>/dev/null)" = "$packages" ]; then
        return
    fi
    require_root
    command -v apt-get >/dev/null || refuse "only a Debian system can make one (no apt-get)"
    if ! command -v debootstrap >/dev/null; then
        "$(dirname "$0")/need.sh" debootstrap >&2 || refuse "debootstrap is missing"
    fi
    local from
    from=$(mirror)
    if [ -z "$from" ]; then
        apt-get update -qq >&2 || true
        from=$(mirror)
    fi
    [ -n "$from" ] || refuse "apt names no Debian mirror to take it from"
    echo "$suite: making $root, about a minute" >&2
    rm -rf "$root" "$root.partial"
    mkdir -p "$root.partial"
    # The script is named because an older debootstrap does not know a new suite.
    if ! debootstrap --variant=minbase --include="$packages" "$suite" "$root.partial" "$from" \
        /usr/share/debootstrap/scripts/sid >"$root.log" 2>&1; then
        tail -n 5 "$root.partial/debootstrap/debootstrap.log" "$root.log" >&2 2>/dev/null || true
        rm -rf "$root.partial"
        refuse "debootstrap failed, see $root.log"
    fi
    rm -f "$root.partial"/var/cache/apt/archives/*.deb
    printf '%s\n' "$packages" >"$root.partial/.packages"
    mv "$root.partial" "$root"
}

# The root as it was made is kept beside it from the first time on.
make_anew() {
    require_root
    if [ "$(cat "$root.made/.packages" 2>/dev/null)" != "$packages" ]; then
        rm -rf "$root" "$root.made"
        make_root
        mv "$root" "$root.made"
    fi
    rm -rf "$root"
    cp -a --reflink=auto "$root.made" "$root"
}

clone_head() {
    local target=$root/${1:?debian.sh SUITE clone DIR}
    rm -rf "$target"
    mkdir -p "$(dirname "$target")"
    git clone -q --no-hardlinks . "$target"
    git -C "$target" checkout -q "$(git rev-parse HEAD)"
}

copy_tree() {
    local target=$root/${1:?debian.sh SUITE copy DIR}
    rm -rf "$target"
    mkdir -p "$target"
    git ls-files -z --cached --others --exclude-standard |
        while IFS= read -r -d '' file; do
            # A file deleted but not yet committed is still listed.
            if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
        done |
        tar --create --null --files-from=- | tar --extract --no-same-owner --directory="$target"
}

# The files and folders that pip's configuration names out here, one a line.
pip_paths() {
    printf '%s\n' /etc/pip.conf "${PIP_CONFIG_FILE:-}" "${PIP_CERT:-}" "${PIP_CLIENT_CERT:-}" \
        "${SSL_CERT_FILE:-}" "${REQUESTS_CA_BUNDLE:-}"
    printf '%s\n' "${PIP_FIND_LINKS:-}" | tr ' ' '\n'
}

# Mounts live in a mount namespace of their own, so that they go with the last process in it,
# however it ends.
run_inside() {
    require_root
    local path binds=(/etc/resolv.conf /etc/hosts)
    while IFS= read -r path; do
        case $path in /*) [ -e "$path" ] && binds+=("$path") ;; esac
    done < <(pip_paths | sort -u)
    for path in "${binds[@]}"; do
        if [ -d "$path" ]; then
            mkdir -p "$root$path"
        elif [ ! -e "$root$path" ]; then
            mkdir -p "$root$(dirname "$path")"
            rm -f "$root$path"
            : >"$root$path"
        fi
    done
    exec unshare --mount --propagation private bash -c '
        set -eu
        root=$1 count=$2
        shift 2
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        while [ "$count" -gt 0 ]; do
            mount --bind "$1" "$root$1"
            shift
            count=$((count - 1))
        done
        exec chroot "$root" /usr/bin/env -u TMPDIR -u XDG_CACHE_HOME -u MAKEFLAGS HOME=/home \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
    ' "$suite" "$root" "${#binds[@]}" "${binds[@]}" "$@"
}

case ${1:-} in
    make) make_root ;;
    path) printf '%s\n' "$root" ;;
    anew)
        unless_in_use
        make_anew
        ;;
    copy)
        unless_in_use
        copy_tree "${2:-}"
        ;;
    clone)
        unless_in_use
        clone_head "${2:-}"
        ;;
    run)
        shift
        make_root
        lock --shared
        run_inside "$@"
        ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
