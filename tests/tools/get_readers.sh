#!/usr/bin/env bash
# Fetches the programs that read our exports back, unless they are in build/readers already. The
# lines NEEDS in tests/readers/test_read_*.py name them (see tests/readers/reading.py). A program
# that cannot be had is told and left out: its tests skip, or fail where TRACER_NEEDS_READERS is set.
#
# Environment: PYTHON, the interpreter whose packages are fetched.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
readers=build/readers
packages=$readers/$("$python" -c 'import sys; print("python-{}.{}".format(*sys.version_info))')
modules=$readers/node
inferno=0.12.8
missing=0
mkdir -p "$readers"

# get WHAT COMMAND...: says so when the command fails.
get() {
    local what=$1
    shift
    "$@" || {
        echo "tracer: $what could not be fetched: exports are NOT read back by it" >&2
        missing=1
    }
}

get_pprof() {
    go tool pprof -help >/dev/null 2>&1
}

get_chromium() {
    tests/tools/need.sh chromium
}

get_packages() {
    [ "$(cat "$packages/.wanted" 2>/dev/null)" = "$*" ] && return
    rm -rf "$packages.part"
    "$python" -m pip install -q --target "$packages.part" "$@" &&
        echo "$*" >"$packages.part/.wanted" && rm -rf "$packages" && mv "$packages.part" "$packages"
}

get_modules() {
    [ "$(cat "$modules/.wanted" 2>/dev/null)" = "$*" ] && return
    rm -rf "$modules"
    npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$modules" "$@" >/dev/null &&
        echo "$*" >"$modules/.wanted"
}

get_inferno() {
    [ -x "$readers/inferno/bin/inferno-flamegraph" ] && return
    cargo install --quiet --locked --root "$readers/inferno" --version "$inferno" \
        --no-default-features --features cli --bin inferno-flamegraph inferno
}

wanted=() wanted_modules=()
for need in $(sed -n 's/^NEEDS = "\(.*\)"$/\1/p' tests/readers/test_read_*.py); do
    case $need in
        package:*) get "${need##*:}" tests/tools/need.sh "$need" ;;
        pip:*) [[ " ${wanted[*]} " == *" ${need#pip:} "* ]] || wanted+=("${need#pip:}") ;;
        npm:*) wanted_modules+=("${need#npm:}") ;;
        *) get "$need" "get_$need" ;;
    esac
done
get "${wanted[*]}" get_packages "${wanted[@]}"
get "${wanted_modules[*]}" get_modules "${wanted_modules[@]}"
[ "$missing" = 1 ] || touch "$readers/.fetched"
