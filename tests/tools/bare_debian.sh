#!/usr/bin/env bash
# Does what somebody does who has just cloned this repository on a bare Debian 12, as root: types
# `make demo`, then `make test`. The root has Python, make and git, but no compiler, no header and
# no module venv. The clone, of HEAD, is in a folder called tracer, below one with a blank and a
# letter beyond ASCII in its name.
#
#   bare_debian.sh demo                    unpacks the root anew, clones, and makes the demo
#   bare_debian.sh test [WORDS OF PYTEST]  then makes the tests there; WORDS: of the Python tests only
#                                          these: files, -k, -x, ...
#
# Exit status 75: it cannot be done here; one line on stderr says why.
set -euo pipefail
cd "$(dirname "$0")/../.."

# A VENV= or PYTHON= given to an outer make must not reach the inner ones.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL VENV PYTHON BACKENDS
debian=(tests/tools/debian.sh bookworm)
clone='home/ein Ordner é/tracer'
verb=${1:-}
shift || true

case $verb in
    demo)
        "${debian[@]}" anew
        "${debian[@]}" clone "$clone"
        "${debian[@]}" run make -C "/$clone" demo
        ;;
    test)
        if [ "$(git -C "$("${debian[@]}" path)/$clone" rev-parse HEAD)" != "$(git rev-parse HEAD)" ]; then
            echo "bare Debian: the clone there is of another commit; bare_debian.sh demo makes it anew" >&2
            exit 1
        fi
        # make hands TESTS to a shell.
        words=
        [ $# = 0 ] || words=$(printf '%q ' "$@")
        "${debian[@]}" run make -C "/$clone" test TESTS="${words//\$/\$\$}" ${WORKERS:+"WORKERS=$WORKERS"}
        ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
