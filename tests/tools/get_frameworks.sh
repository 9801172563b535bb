#!/usr/bin/env bash
# Fetches the frameworks whose profilers tracer.compat has the names of, unless they are in
# build/frameworks already: Paddle takes .8 GB there, PyTorch 5 GB. The lines NEEDS in
# tests/frameworks/test_*.py name the packages.
#
#   get_frameworks.sh NAME...    paddle, torch
#
# Environment: PYTHON, the interpreter whose packages are fetched.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
packages=build/frameworks/$("$python" -c 'import sys; print("python-{}.{}".format(*sys.version_info))')
mkdir -p "$packages"
for name in "$@"; do
    need=$(sed -n 's/^NEEDS = "pip:\(.*\)"$/\1/p' "tests/frameworks/test_$name.py")
    [ -n "$need" ] || { echo "tests/frameworks/test_$name.py names no package: NEEDS = \"pip:...\"" >&2; exit 1; }
    [ "$(cat "$packages/.$name" 2>/dev/null)" = "$need" ] && continue
    "$python" -m pip install -q --upgrade --target "$packages" $need
    echo "$need" >"$packages/.$name"
done
