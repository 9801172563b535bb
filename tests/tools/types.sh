#!/usr/bin/env bash
# Checks that the package tells all its types: for whoever calls it, with whatever type checker, no
# type may be unknown, and each must be the same for every checker. mypy checks that they are right.
# Takes the folder of the virtual environment. Without node it checks nothing, and says so.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v node >/dev/null; then
    echo 'lint: pyright was SKIPPED: there is no node here (apt-get install nodejs)' >&2
    exit 0
fi
mkdir -p build/lint
export PYTHONPATH=python PYRIGHT_PYTHON_IGNORE_WARNINGS=1
if ! "$1/bin/pyright" --pythonpath "$1/bin/python" --verifytypes tracer --ignoreexternal >build/lint/types.txt; then
    cat build/lint/types.txt
    exit 1
fi
grep 'Type completeness score' build/lint/types.txt
