#!/usr/bin/env bash
# Runs a command that runs an interpreter whose extension was built with ASan and UBSan. A report
# from any process of the command is an error, even from a child whose status nobody looks at.
#
#   sanitized.sh PYTHON COMMAND ARGUMENT...
set -euo pipefail

# An extension left over from another build would make this run say nothing.
extension=$("$1" -c 'import importlib.util as u; print(u.find_spec("tracer._core").origin)')
grep -q __asan_init "$extension" || { echo "san: $extension is not sanitized" >&2; exit 1; }
shift

reports=$PWD/build/san/reports
rm -rf "$reports"
mkdir -p "$reports"

# The interpreter itself is not sanitized, so the run time must be there before it starts, and
# what the interpreter never frees is no leak of ours. malloc lets ASan see each object's bounds.
# The C++ library must be there too, or ASan does not find it when a package of the tests throws.
status=0
library() { "${CC:-cc}" -print-file-name="$1"; }
env LD_PRELOAD="$(library libasan.so) $(library libstdc++.so.6)" PYTHONMALLOC=malloc \
    ASAN_OPTIONS="detect_leaks=0:log_path='$reports/asan'" \
    UBSAN_OPTIONS="print_stacktrace=1:log_path='$reports/ubsan'" \
    "$@" || status=$?

if [ -n "$(ls "$reports")" ]; then
    head -n 60 "$reports"/* >&2
    echo "san: $(ls "$reports" | wc -l) report(s) in build/san/reports" >&2
    exit 1
fi
echo "san: no report of ASan or UBSan"
exit "$status"
