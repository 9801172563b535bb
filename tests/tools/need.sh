#!/usr/bin/env bash
# Makes sure that what a make target needs is installed: by apt-get when it may, else it says in one
# sentence what to type. It leaves to pip what pip installs into virtual environments.
#
#   need.sh THING...     compiler python uthash check clang cppcheck debootstrap valgrind chromium
#                        libdw (of elfutils)
#                        testsuite (CPython's own tests; going without them is no failure)
#                        package:COMMAND:NAME (a command, of the package called so everywhere)
#   need.sh has-chromium only whether there is one
#
# Environment: PYTHON, the interpreter meant by python and testsuite; CC; UTHASH_INCLUDE.
set -euo pipefail

python=${PYTHON:-python3}
debian=() fedora=() macos=()

fail() {
    echo "tracer: $*" >&2
    exit 1
}

missing() {
    debian+=("$1") fedora+=("$2") macos+=("$3")
}

has_header() {
    echo "#include <$1>" | "${CC:-cc}" -x c -fsyntax-only ${UTHASH_INCLUDE:+-I "$UTHASH_INCLUDE"} \
        -I/opt/homebrew/include -I/usr/local/include -I/opt/local/include - >/dev/null 2>&1
}

need_compiler() {
    command -v "${CC:-cc}" >/dev/null && has_header stdio.h && return
    [ -z "${CC:-}" ] || [ "$CC" = cc ] || fail "$CC compiles nothing here: name another by make CC=..."
    missing "gcc libc6-dev" "gcc glibc-devel" gcc
}

# Only Debian's own python comes in parts; what another one lacks, no package can add.
python_part() {
    local version
    version=$("$python" -c 'import sys; print("{}.{}".format(*sys.version_info))')
    [ "$("$python" -c 'import sys; print(sys.base_prefix)')" = /usr ] ||
        fail "$python ($version) lacks $2: install that Python whole, or name another by make PYTHON=..."
    missing "${1/VERSION/$version}" python3-devel "python@$version"
}

need_python() {
    command -v "$python" >/dev/null || fail "$python is missing: name another by make PYTHON=..."
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "$("$python" -V 2>&1) is older than 3.11: name another by make PYTHON=..."
    "$python" -c 'import ensurepip, venv' 2>/dev/null || python_part pythonVERSION-venv "module venv"
    "$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
        python_part pythonVERSION-dev Python.h
}

# Another apt-get may be at work: on a fresh machine, the updates of the system are.
apt_install() {
    apt-get install -y -qq -o DPkg::Lock::Timeout=120 --no-install-recommends "$@" </dev/null >/dev/null 9<&-
}

install_missing() {
    [ ${#debian[@]} -gt 0 ] || return 0
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "something is missing: type 'sudo apt-get install ${debian[*]}' (Debian)," \
            "'sudo dnf install ${fedora[*]}' (Fedora) or 'brew install ${macos[*]}' (macOS)."
    fi
    export DEBIAN_FRONTEND=noninteractive
    echo "apt-get install ${debian[*]}"
    # Another job may need something at the same time, and apt-get update waits for nobody.
    exec 9</var/lib/apt && flock 9
    # The lists of a fresh machine are empty or old, so the first try may fail without a fault.
    apt_install "${debian[@]}" 2>/dev/null || { apt-get update -qq 9<&- && apt_install "${debian[@]}"; }
}

# The names that tests/browser/serving.py looks for.
has_chromium() {
    command -v chromium || command -v chromium-browser || command -v google-chrome
} >/dev/null

if [ "$*" = has-chromium ]; then
    has_chromium
    exit
fi

for thing in "$@"; do
    case $thing in
        compiler) need_compiler ;;
        python) need_python ;;
        uthash) has_header uthash.h || missing uthash-dev uthash-devel uthash ;;
        check) has_header check.h || missing "check pkgconf" "check-devel pkgconf" "check pkgconf" ;;
        clang)
            command -v clang >/dev/null ||
                missing "clang libclang-rt-dev" "clang compiler-rt" llvm
            ;;
        libdw) has_header elfutils/libdwfl.h || missing libdw-dev elfutils-devel elfutils ;;
        chromium) has_chromium || missing "chromium fonts-dejavu-core" chromium chromium ;;
        package:*:*)
            IFS=: read -r _ command name <<<"$thing"
            command -v "$command" >/dev/null || missing "$name" "$name" "$name"
            ;;
        cppcheck | debootstrap | valgrind) command -v "$thing" >/dev/null || missing "$thing" "$thing" "$thing" ;;
        testsuite) ;;
        *) fail "need.sh: $thing is unknown" ;;
    esac
done
# Word splitting is meant: an entry may name two packages.
read -ra debian <<<"${debian[*]:-}"
install_missing

case " $* " in *" testsuite "*)
    if ! "$python" -c 'import test.test_pstats' 2>/dev/null; then
        debian=() fedora=() macos=()
        if ! (python_part libpythonVERSION-testsuite "its tests" && install_missing); then
            echo "tracer: without them CPython's own tests will be SKIPPED" >&2
        fi
    fi
    ;;
esac
