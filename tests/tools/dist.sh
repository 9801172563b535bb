#!/usr/bin/env bash
# Makes dist/: the sdist, and from it a wheel for each interpreter found, fit for the package
# index; then tries each wheel in an empty environment, without a compiler within reach.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$PWD/build/dist
rm -rf dist "$work"
mkdir -p "$work"

python -m build --sdist --outdir dist .
sdist=$(echo dist/*.tar.gz)

minors=()
while read -r version python; do
    minor=${version%.*}
    # A wheel serves all patch releases of a minor version; one build of each is enough.
    case " ${minors[*]:-} " in *" $minor "*) continue ;; esac
    minors+=("$minor")

    printf '\n=== wheel for %s ===\n' "$minor"
    PYTHON=$python tests/tools/need.sh python uthash
    "$python" -m venv "$work/$minor"
    "$work/$minor/bin/python" -m pip wheel -q --no-deps --no-cache-dir --wheel-dir "$work/$minor/raw" "$sdist"
    if [ "$(uname -s)" = Linux ]; then
        auditwheel repair --wheel-dir "$work/$minor/wheel" "$work/$minor"/raw/*.whl
        auditwheel show "$work/$minor"/wheel/*.whl
    else
        mv "$work/$minor/raw" "$work/$minor/wheel"
    fi
    cp "$work/$minor"/wheel/*.whl dist/
    python tests/tools/check_wheel.py "$work/$minor"/wheel/*.whl

    env -i PATH="$work/$minor/bin" HOME="$HOME" LC_ALL=C.UTF-8 "$BASH" -euc '
        cd "$1"
        "$2/bin/python" -m pip install -q --no-index --no-deps wheel/*.whl
        echo "print(sum(map(int, str(2 ** 64))))" >program.py
        bin/tracer --version
        bin/python -m tracer -o profile.out program.py
        bin/tracer show profile.out --limit 3
        bin/python -c "import pstats; pstats.Stats(\"profile.out\")"
    ' try "$work/$minor" "$work/$minor"
done < <(tests/tools/interpreters.sh)

printf '\n=== the package index ===\n'
twine check --strict dist/*
ls -l dist
