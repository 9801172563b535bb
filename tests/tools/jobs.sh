#!/usr/bin/env bash
# Prints the jobs that test every interpreter found here and, in a Debian forky root, the newest
# ones, for lanes.sh to run. Those of interpreters come first: they take long.
#
#   jobs.sh versions    on the newest, with its best back end, what an interpreter can change; of
#                       the others, on the one that the sanitizers have (the newest found here)
#                       those of the command and of others' programs; and on the rest those that
#                       enter the extension (see unless_passed.sh)
#   jobs.sh check       those, but for .venv's, which .ci/run tests; the page; exports by other
#                       programs; a framework; the sanitizers
#   jobs.sh all         all tests on each; the page, exports, a framework; under the sanitizers those
#                       that enter the extension, with each back end
#
# `make build` comes before: jobs that run side by side share .venv and what is built for it.
set -euo pipefail
cd "$(dirname "$0")/../.."

how=${1:-}
case $how in versions | check | all) ;; *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;; esac
tools=tests/tools
# A VENV= or PYTHON= given to an outer make must not reach the inner ones.
alone='env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS -u MAKELEVEL -u VENV -u PYTHON -u BACKENDS'
make="$alone make --no-print-directory"
tree=src/tracer # in the root
newest=(3.14 3.15)
ours=$(sed -n 's/^version = //p' .venv/pyvenv.cfg)
sanitized=$("$tools/interpreters.sh" | tail -n 1 | cut -d' ' -f1)

# part ONLY VERSION COMMAND...: a part of this version's tests, for which an earlier run may stand.
part() {
    echo "$tools/unless_passed.sh $1 $2 ${*:3} ONLY=$1 BACKENDS=best"
}

# of VERSION WORDS: the job of an interpreter that was found here; WORDS choose it.
of() {
    local make_tests="$make test-python $2"
    case "$how $1" in
        "check $ours") [ "$1" != "$sanitized" ] || echo "$1 $make san $2 ONLY=extension BACKENDS=best" ;;
        "all $sanitized") echo "$1 $make_tests && $make san $2 ONLY=extension" ;;
        all*) echo "$1 $make_tests" ;;
        "check $sanitized") echo "$1 $(part programs "$1" "$make_tests") && $make san $2 ONLY=extension BACKENDS=best" ;;
        *" $sanitized") echo "$1 $(part programs "$1" "$make_tests")" ;;
        *) echo "$1 $(part extension "$1" "$make_tests")" ;;
    esac
}

found_here() {
    local version python
    "$tools/interpreters.sh" | sort -rV | while read -r version python; do
        if [ "$version" = "$ours" ]; then
            of "$version" ''
        else
            of "$version" "PYTHON='$python' VENV=.venvs/$version"
        fi
    done
}

# inside VERSION TARGET...: make, in the root.
inside() {
    echo "$alone $tools/forky.sh run make --no-print-directory -C /$tree PYTHON=python$1 VENV=/src/venvs/$1 ${*:2}"
}

in_forky() {
    local old=${newest[0]} new=${newest[1]} status=0
    { "$tools/forky.sh" make && "$tools/forky.sh" copy "$tree"; } >&2 || status=$?
    if [ "$status" = 75 ]; then
        echo "forky echo NOT TESTED: ${newest[*]} were left out, for the reason given above"
    elif [ "$status" != 0 ]; then
        exit "$status"
    elif [ "$how" = all ]; then
        echo "forky-$new $(inside "$new" test-python)"
        echo "forky-$old $(inside "$old" test-core test-python)"
    else
        echo "forky-$new $(inside "$new" test-python ONLY=interpreter BACKENDS=best)"
        echo "forky-$old $(inside "$old" test-core) && $(part extension "$old" "$(inside "$old" test-python)")"
    fi
}

found_here
in_forky
if [ "$how" != versions ]; then # these are the same whichever interpreter runs them
    for target in browser readers frameworks; do
        echo "$target $make test-$target"
    done
fi
