#!/usr/bin/env bash
# Runs the tests of the core that have threads, which are those with the tag `threads`, under ThreadSanitizer. A report
# from any process of theirs is an error, and so is a run without a test. What cannot be asked there says NOT RUN.
# Those with the tag `places` ask where samples fell: a signal is delayed there to the end of a call, and the stack that
# the handler copies is another one by then.
#
#   tsan.sh CHECK    the Check suites, built with -fsanitize=thread
set -euo pipefail

grep -q __tsan_init "$1" || { echo "tsan: $1 is not built with -fsanitize=thread" >&2; exit 1; }

reports=$PWD/build/tsan/reports
rm -rf "$reports"
mkdir -p "$reports"

# Where addresses are spread over more bits than it knows of (vm.mmap_rnd_bits), ThreadSanitizer of gcc 12 does not
# start: then they must not be. A container may forbid to ask for that, and may not need to.
run=(setarch "$(uname -m)" -R)
"${run[@]}" true 2>/dev/null || run=()

# die_after_fork: a child of a process with threads may begin some. It is not watched.
status=0
CK_INCLUDE_TAGS=threads TSAN_OPTIONS="die_after_fork=0:log_path='$reports/tsan'" "${run[@]}" "$1" | tee "$reports.said" || status=$?

echo 'tsan: NOT RUN: where samples fall (tests with the tag places): ThreadSanitizer delays signals'
if [ -n "$(ls "$reports")" ]; then
    head -n 60 "$reports"/* >&2
    echo "tsan: $(ls "$reports" | wc -l) report(s) in build/tsan/reports" >&2
    exit 1
fi
grep -q 'Checks: [1-9]' "$reports.said" || { echo "tsan: no test ran" >&2; exit 1; }
[ "$status" != 0 ] || echo "tsan: no report of ThreadSanitizer"
exit "$status"
