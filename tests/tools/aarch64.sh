#!/usr/bin/env bash
# Builds the core and its Check suites for AArch64, and runs the suites of the unwinder in qemu.
# Check's library for AArch64 comes from Debian's package, which is unpacked below build/. Apt is told
# of that architecture, and keeps it.
#
#   aarch64.sh [SUITE...]   default: unwind cfi_program expression damaged
set -euo pipefail

build=build/aarch64
flags=(-static -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -g -O1 -UNDEBUG)

fetch() {
    "$(dirname "$0")/need.sh" uthash package:qemu-aarch64-static:qemu-user-static \
        package:aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu
    # What apt only recommends beside that compiler: headers and library, which no command stands for.
    [ -e /usr/aarch64-linux-gnu/include/string.h ] || "$(dirname "$0")/need.sh" package:-:libc6-dev-arm64-cross
    mkdir -p "$build/packages"
    dpkg --print-foreign-architectures | grep -qx arm64 || dpkg --add-architecture arm64
    apt-get update -qq
    (cd "$build/packages" && apt-get -qq download check:arm64 libsubunit-dev:arm64 2>/dev/null)
    for package in "$build"/packages/*.deb; do
        dpkg --extract "$package" "$build/root"
    done
    # Headers that are the same on each processor, apart from those that are not.
    mkdir -p "$build/include"
    cp "$build"/root/usr/include/check*.h "$(find /usr/include -name uthash.h -print -quit)" "$build/include/"
}

[ -e "$build/include/uthash.h" ] || fetch
libraries=$build/root/usr/lib/aarch64-linux-gnu
mapfile -t files < <(find ext/core tests/core -name '*.c')
aarch64-linux-gnu-gcc "${flags[@]}" -Iext -isystem "$build/include" "${files[@]}" \
    "$libraries/libcheck.a" "$libraries/libsubunit.a" -lm -lrt -pthread -o "$build/check"
[ $# -gt 0 ] || set -- unwind cfi_program expression damaged
for suite in "$@"; do
    TRC_FUZZ_STACKS=${TRC_FUZZ_STACKS:-2000} CK_TIMEOUT_MULTIPLIER=60 CK_RUN_SUITE=$suite \
        qemu-aarch64-static "$build/check"
done
