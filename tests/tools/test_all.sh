#!/usr/bin/env bash
# Runs the tests on every interpreter found here and, in a Debian forky root, on the newest ones.
# The root's tests run beside those of the others. Goes on after a failure and ends with one line an
# interpreter; fails if one of them failed.
#
#   test_all.sh              all of the tests, and those of the page in Chromium, of exports by other
#                            programs, and of a framework
#   test_all.sh some         on the newest, with its best back end, what an interpreter can change; of
#                            the others, on the one that the sanitizers have (the newest found here)
#                            those of the command and of others' programs; and on the rest those that
#                            enter the extension (see unless_passed.sh)
#
# The version that TRACER_TESTED names is left out, and so is the page, and what reads exports: all
# were tested just now.
set -euo pipefail
cd "$(dirname "$0")/../.."

# A VENV= or PYTHON= given to the outer make must not reach the inner ones.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS VENV PYTHON BACKENDS
tools=tests/tools
logs=build/test-all
inside=src/tracer
newest=(3.14 3.15)
how=${1:-all}
rm -rf "$logs"
mkdir -p "$logs"

# on NAME COMMAND...: runs the tests of one interpreter; its closing lines are kept in NAME.end.
on() {
    local name=$1 status=0 closing
    shift
    printf '\n=== %s ===\n' "$name"
    "$@" 2>&1 </dev/null | tee "$logs/$name.log" || status=$?
    closing=$(sed -nE 's/^=+ (back end .*) =+$/\1/p; /^[0-9]+%: Checks/p' "$logs/$name.log" | paste -sd ';')
    closing=${closing:-$(tail -n 1 "$logs/$name.log")}
    if [ "$status" != 0 ]; then
        closing="FAILED (status $status, $logs/$name.log) $closing"
    fi
    echo "$name: $closing" >"$logs/$name.end"
}

sanitized=$("$tools/interpreters.sh" | tail -n 1 | cut -d' ' -f1)

# tests VERSION: prints the words that make is to run that version's tests by.
tests() {
    case "$how $1" in
        all*) echo test-python ;;
        *" ${newest[-1]}") echo test-python ONLY=interpreter BACKENDS=best ;;
        *" $sanitized") echo test-python ONLY=programs BACKENDS=best ;;
        *) echo test-python ONLY=extension BACKENDS=best ;;
    esac
}

# unless_passed VERSION COMMAND...: where an earlier run of this version's tests may stand for one.
unless_passed() {
    local version=$1
    shift
    case "$(tests "$version")" in
        *ONLY=extension*) "$tools/unless_passed.sh" extension "$version" "$@" ;;
        *ONLY=programs*) "$tools/unless_passed.sh" programs "$version" "$@" ;;
        *) "$@" ;;
    esac
}

here() {
    local version python
    while read -r version python; do
        if [ "$version" = "${TRACER_TESTED:-}" ]; then
            echo "$version: tested before this" >"$logs/$version.end"
        else
            on "$version" unless_passed "$version" make --no-print-directory $(tests "$version") \
                PYTHON="$python" VENV=".venvs/$version"
        fi
    done < <("$tools/interpreters.sh")
    if [ -z "${TRACER_TESTED:-}" ]; then # these are the same whichever interpreter runs them
        local target
        for target in browser readers frameworks; do
            on "$target" make --no-print-directory "test-$target"
        done
    fi
}

has_forky() {
    "$tools/forky.sh" make && "$tools/forky.sh" copy "$inside" && return
    echo "forky: NOT TESTED: ${newest[*]} were left out, for the reason given above" >"$logs/forky.end"
    return 1
}

in_forky() {
    local version
    on forky-core "$tools/forky.sh" run make --no-print-directory -C "/$inside" \
        test-core PYTHON="python${newest[0]}" VENV="/src/venvs/${newest[0]}"
    for version in "${newest[@]}"; do
        on "forky-$version" unless_passed "$version" "$tools/forky.sh" run make --no-print-directory -C "/$inside" \
            $(tests "$version") PYTHON="python$version" VENV="/src/venvs/$version"
    done
}

# Building, installing and collecting the tests leave a core idle: the root has a tree and
# interpreters of its own, so its tests run beside those of the others. Together they have as many
# processes as make test has alone: examples of the documentation measure shares of time, which more
# processes would change.
if has_forky; then
    cores=$(getconf _NPROCESSORS_ONLN)
    WORKERS=${WORKERS:-$(((cores + 2) / 2))} in_forky >"$logs/forky.out" 2>&1 &
    beside=$!
    WORKERS=${WORKERS:-$(((cores + 1) / 2))} here
    wait "$beside" || echo "forky: FAILED: it ended early, see $logs/forky.out" >"$logs/forky.end"
    cat "$logs/forky.out"
else
    here
fi

printf '\n=== all interpreters ===\n'
cat "$logs"/*.end
grep -h '^FLAKY ' "$logs"/*.log || true
! grep -q ': FAILED' "$logs"/*.end
