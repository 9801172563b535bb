#!/usr/bin/env bash
# Runs a command; but where TRACER_UNLESS_PASSED is set, as .ci/run has it, not when it has passed on
# this machine before with the same contents of all that it reads of the repository. A mark in the
# user's cache keeps that. `make test-all` sets no such thing: it runs all.
#
#   unless_passed.sh WHAT VERSION COMMAND ARGUMENT...    WHAT is page, readers, frameworks, extension,
#                                                        programs or sanitized; VERSION, of the
#                                                        interpreter
set -euo pipefail
cd "$(dirname "$0")/../.."

what=$1 version=${2// /-}
shift 2
# A tree that git does not know, as of an sdist, has no marks.
git rev-parse --git-dir >/dev/null 2>&1 || exec "$@"

# The helpers of the Python tests that those of a folder import.
helpers() {
    git grep -hoE '^(from|import) [a-z_]+' -- "$1" | awk '{ print "tests/python/helpers/" $2 ".py" }'
}

# As git takes paths: one too many costs a run, one too few hides a failure until `make test-all`.
# Whatever has changed, the whole suite runs on one interpreter before, and on the newest what a
# version can change.
shown=(pyproject.toml python/tracer/{analysis,cli,data,exports,report,results,source} python/tracer/api/{stats,export}*)
# What asks an interpreter for what differs between versions, or hears of it. The rest of ext builds
# on the oldest and on the newest, and so on those between.
differs=(pyproject.toml setup.py ext/{interp,heapwalk,context,dispatch,sources})
case $what in
    page) paths=("${shown[@]}" python/tracer/{page,server} python/tracer/launch/live* tests/browser $(helpers tests/browser)) ;;
    readers) paths=("${shown[@]}" tests/readers tests/tools/get_readers.sh $(helpers tests/readers)) ;;
    frameworks) # the interfaces alone: what lies below them has tests that need no framework
        paths=(python/tracer/compat/{paddle,paddle_parts,step_export,torch,torch_parts}*
            tests/frameworks tests/tools/get_frameworks.sh)
        ;;
    extension) paths=("${differs[@]}" python/tracer/recording tests/python/{ext,api,recording}) ;;
    programs) paths=("${differs[@]}" python/tracer/{launch,compat,integrations} tests/python/{launch,compat,integrations}) ;;
    sanitized)
        paths=(Makefile pyproject.toml setup.py ext python/tracer/recording tests/core tests/python/{ext,api,recording}
            tests/tools/{sanitized,tsan,beside,each_backend}.sh)
        ;;
    *) echo "unless_passed.sh: $what is unknown" >&2 && exit 2 ;;
esac

contents=$(git ls-files -z --cached --others --exclude-standard -- "${paths[@]}" |
    { xargs -0 sha256sum 2>/dev/null || true; } | LC_ALL=C sort | sha256sum | cut -c1-32)
mark=${XDG_CACHE_HOME:-$HOME/.cache}/tracer/passed/$what-$version-$contents
if [ -n "${TRACER_UNLESS_PASSED:-}" ] && [ -e "$mark" ]; then
    echo "$what: NOT RUN: it passed on this machine with the same sources, on $(date -r "$mark" '+%F %R')"
    exit
fi
"$@"
{ mkdir -p "$(dirname "$mark")" && touch "$mark"; } || true # the next run will run it again
