#!/usr/bin/env bash
# Runs a command; but where TRACER_UNLESS_PASSED is set, as .ci/run has it, not when it has passed on
# this machine before with the same contents of all that it reads of the repository. A mark in the
# user's cache keeps that. `make test-all` sets no such thing.
#
#   unless_passed.sh WHAT VERSION COMMAND ARGUMENT...    WHAT is page, readers, frameworks or extension;
#                                                        VERSION, of the interpreter
set -euo pipefail
cd "$(dirname "$0")/../.."

what=$1 version=${2// /-}
shift 2
[ -n "${TRACER_UNLESS_PASSED:-}" ] || exec "$@"

# As git takes paths: one too many costs a run, one too few hides a failure.
below=(ext setup.py pyproject.toml Makefile .ci tests/tools tests/python/conftest.py
    tests/python/helpers benchmarks/programs 'python/tracer/*.py' 'python/tracer/*.pyi'
    python/tracer/{analysis,api,data,exports,launch,recording,report,runtime,source})
case $what in
    page | readers)
        paths=("${below[@]}" python/tracer/{cli,page,server} tests/{page,browser,readers})
        ;;
    frameworks) # the interfaces alone: what lies below them has tests that need no framework
        paths=(python/tracer/compat/{paddle,paddle_parts,step_export,torch,torch_parts}*
            tests/frameworks tests/tools/get_frameworks.sh)
        ;;
    extension)
        paths=("${below[@]}" tests/python/{ext,analysis,api,data,recording,source} tests/{core,stress})
        ;;
    *) echo "unless_passed.sh: $what is unknown" >&2 && exit 2 ;;
esac

contents=$(git ls-files -z --cached --others --exclude-standard -- "${paths[@]}" |
    xargs -0 sha256sum 2>/dev/null | LC_ALL=C sort | sha256sum | cut -c1-32)
mark=${XDG_CACHE_HOME:-$HOME/.cache}/tracer/passed/$what-$version-$contents
if [ -e "$mark" ]; then
    echo "$what: NOT RUN: it passed on this machine with the same sources, on $(date -r "$mark" '+%F %R')"
    exit
fi
"$@"
mkdir -p "$(dirname "$mark")"
touch "$mark"
