#!/usr/bin/env bash
# Runs a command once with each back end of an interpreter, which TRACER_BACKEND names. Goes on
# after a failure; fails if one of them failed.
#
#   each_backend.sh PYTHON COMMAND ARGUMENT...    with BACKENDS=best: once, with the best one
set -euo pipefail

backends=$("$1" -c 'from tracer._core import BACKENDS; print(*BACKENDS)')
[ "${BACKENDS:-all}" = all ] || backends=${backends%% *}
shift
status=0
for backend in $backends; do
    printf '\n--- back end %s ---\n' "$backend"
    env TRACER_BACKEND="$backend" "$@" || status=$?
done
exit "$status"
