#!/usr/bin/env bash
# Runs two commands of the shell side by side, the first of which leaves a core idle. What the first
# prints is shown when both have ended. Fails if one of them failed.
#
#   beside.sh 'COMMAND' 'COMMAND'
set -uo pipefail

said=$(mktemp)
trap 'rm -f "$said"' EXIT
sh -c "$1" >"$said" 2>&1 &
first=$!
status=0
sh -c "$2" || status=$?
wait "$first" || status=$?
cat "$said"
exit "$status"
