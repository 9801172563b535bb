#!/usr/bin/env bash
# Runs jobs two at a time, the next as soon as one has ended: of what a job does, much is fetched,
# built, or ends by one long test, and leaves a core idle. What a job prints is shown when it has
# ended. Goes on after a failure; ends with one line a job; fails if one of them failed.
#
#   lanes.sh LOGS    on stdin a line for each job: its name, a blank, a command of the shell;
#                    keeps what it prints in LOGS/NAME.log, its closing line in LOGS/NAME.end
#
# LIMIT ends a job that hangs: 45m, unless it is set.
set -euo pipefail

logs=$1
if [ $# = 1 ]; then
    rm -rf "$logs"
    mkdir -p "$logs"
    # Together they have as many processes as are busy on all cores: a test often waits for another.
    export WORKERS=${WORKERS:-$((($(getconf _NPROCESSORS_ONLN) + 2) / 2))}
    tr '\n' '\0' | xargs -0 -r -n 1 -P 2 "$0" "$logs" || true
    printf '\n=== all jobs ===\n'
    cat "$logs"/*.end
    grep -h '^FLAKY ' "$logs"/*.log || true
    ! grep -q ': FAILED' "$logs"/*.end
    exit
fi

name=${2%% *} command=${2#* } status=0
log=$logs/$name.log
echo "=== $name begins: $command"
timeout "${LIMIT:-45m}" bash -c "$command" >"$log" 2>&1 </dev/null || status=$?
printf '\n=== %s ===\n' "$name"
cat "$log"
closing=$(sed -nE 's/^=+ (back end .*) =+$/\1/p; /^[0-9]+%: Checks/p' "$log" | paste -sd ';' -)
closing=${closing:-$(tail -n 1 "$log")}
[ "$status" = 0 ] || closing="FAILED (status $status, $log) $closing"
echo "$name: $closing, in $SECONDS s" >"$logs/$name.end"
