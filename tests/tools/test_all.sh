#!/usr/bin/env bash
# Runs the tests on every interpreter found here and, in a Debian forky root, on the newest ones.
# Goes on after a failure and ends with one line an interpreter; fails if one of them failed.
set -euo pipefail
cd "$(dirname "$0")/../.."

# A VENV= or PYTHON= given to the outer make must not reach the inner ones.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS VENV PYTHON
tools=tests/tools
logs=build/test-all
inside=src/tracer
newest=(3.14 3.15)
rm -rf "$logs"
mkdir -p "$logs"
summary=()
failed=0

# on NAME COMMAND...: runs the tests of one interpreter and keeps the closing line of each run.
on() {
    local name=$1 status=0
    shift
    printf '\n=== %s ===\n' "$name"
    "$@" 2>&1 </dev/null | tee "$logs/$name.log" || status=$?
    local closing
    closing=$(sed -nE 's/^=+ (back end .*) =+$/\1/p; /^[0-9]+%: Checks/p' "$logs/$name.log" | paste -sd ';')
    if [ "$status" = 0 ]; then
        summary+=("$name: $closing")
    else
        summary+=("$name: FAILED (status $status, $logs/$name.log) $closing")
        failed=1
    fi
}

while read -r version python; do
    on "$version" make --no-print-directory test-python PYTHON="$python" VENV=".venvs/$version"
done < <("$tools/interpreters.sh")

if "$tools/forky.sh" make && "$tools/forky.sh" copy "$inside"; then
    on forky-core "$tools/forky.sh" run make --no-print-directory -C "/$inside" \
        test-core PYTHON="python${newest[0]}" VENV="/src/venvs/${newest[0]}"
    for version in "${newest[@]}"; do
        on "forky-$version" "$tools/forky.sh" run make --no-print-directory -C "/$inside" \
            test-python PYTHON="python$version" VENV="/src/venvs/$version"
    done
else
    summary+=("forky: NOT TESTED: ${newest[*]} were left out, for the reason given above")
fi

printf '\n=== all interpreters ===\n'
printf '%s\n' "${summary[@]}"
exit "$failed"
