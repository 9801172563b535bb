#!/usr/bin/env bash
# Runs jobs two at a time, the next as soon as one has ended: a job often fetches, builds, or waits
# for one long test, and leaves a core idle. Shows what a job printed when the job has ended. Goes on
# after a failure; ends with one line a job; fails unless every job has passed.
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
    jobs=$(cat)
    while read -r name _; do
        echo "$name: FAILED: it did not end" >"$logs/$name.end"
    done <<<"$jobs"
    # What stands in the Debian roots stays there until the last job has ended (see debian.sh).
    for lock in "${XDG_CACHE_HOME:-$HOME/.cache}"/tracer/*.lock; do
        [ ! -e "$lock" ] || { exec {held}>"$lock" && flock --shared "$held"; }
    done
    # Together they have as many processes as keep all cores busy: a test often waits for another.
    export WORKERS=${WORKERS:-$((($(getconf _NPROCESSORS_ONLN) + 2) / 2))}
    # Whatever a job dies of, the next one begins.
    tr '\n' '\0' <<<"$jobs" | xargs -0 -n 1 -P 2 sh -c '"$0" "$1" "$2" || true' "$0" "$logs"
    printf '\n=== all jobs ===\n'
    cat "$logs"/*.end
    grep -h '^FLAKY ' "$logs"/*.log || true
    ! grep -q ': FAILED' "$logs"/*.end
    exit
fi

name=${2%% *} command=${2#* } status=0
log=$logs/$name.log
echo "=== $name begins: $command"
timeout "${LIMIT:-45m}" bash -c "$command" >"$log" 2>&1 </dev/null &
job=$!
trap 'kill "$job"; exit 143' INT TERM HUP # it has a group of its own, which Ctrl-C does not reach
wait "$job" || status=$?
# What the other lane prints does not come in between.
exec 7<"$logs"
! command -v flock >/dev/null || flock 7
printf '\n=== %s ===\n' "$name"
cat "$log"
closing=$(sed -nE 's/^=+ (back end .*) =+$/\1/p; /^[0-9]+%: Checks/p' "$log" | paste -sd ';' -)
closing=${closing:-$(tail -n 1 "$log")}
[ "$status" = 0 ] || closing="FAILED (status $status, $log) $closing"
echo "$name: $closing, in $SECONDS s" >"$logs/$name.end"
