#!/usr/bin/env bash
# Runs .ci/run on a clean clone of HEAD. When that passes, the hash of the tree is written to
# build/ci-passed: a tree with this hash has passed.
set -euo pipefail
cd "$(dirname "$0")/../.."

tree=$(git rev-parse 'HEAD^{tree}')
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone"
git -C "$clone" checkout -q "$(git rev-parse HEAD)"
# What the outer make exports would choose an interpreter for the inner ones; PYTHONPATH, another package.
env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS -u MAKELEVEL -u PYTHON -u PYTHONPATH -u VENV "$clone/.ci/run" </dev/null
mkdir -p build
echo "$tree" >build/ci-passed
