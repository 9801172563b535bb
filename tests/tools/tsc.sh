#!/usr/bin/env bash
# Checks the types of the page's JavaScript, which its comments tell. The compiler that package.json
# there names is put into build/tsc. Without npm it checks nothing, and says so.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v npm >/dev/null; then
    echo 'lint: tsc was SKIPPED: there is no npm here (apt-get install npm)' >&2
    exit 0
fi
manifest=python/tracer/page/package.json
if ! cmp -s "$manifest" build/tsc/package.json; then
    rm -rf build/tsc
    mkdir -p build/tsc/new
    cp "$manifest" build/tsc/new
    npm install --prefix build/tsc/new --silent --no-audit --no-fund --no-package-lock </dev/null
    mv build/tsc/new/* build/tsc
fi
set -x
build/tsc/node_modules/.bin/tsc --project python/tracer/page/tsconfig.json
