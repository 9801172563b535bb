#!/usr/bin/env bash
# Lists the interpreters that tracer can be tested on here, "VERSION PATH" a line, oldest first:
# pyenv's, and python3.N on PATH; of each minor version the newest. Free-threaded builds are not among
# them.
set -euo pipefail

candidates() {
    if command -v pyenv >/dev/null; then
        printf '%s\n' "$(pyenv root)"/versions/3.*/bin/python
    fi
    local minor
    for minor in 11 12 13 14 15; do
        type -ap "python3.$minor" || true
    done
}

candidates | while IFS= read -r python; do
    # A shim of a version manager stands on PATH also where it leads nowhere; then it fails here.
    "$python" -c '
import os, platform, sys, sysconfig
wanted = sys.version_info[:2] >= (3, 11) and sys.implementation.name == "cpython"
if wanted and not sysconfig.get_config_var("Py_GIL_DISABLED") and sys.prefix == sys.base_prefix:
    print(platform.python_version(), os.path.realpath(sys.executable))
' 2>/dev/null || true
done | sort -s -V -k1,1 | awk '
    { split($1, part, "."); minor = part[2]; if (!(minor in line)) order[++count] = minor; line[minor] = $0 }
    END { for (i = 1; i <= count; i++) print line[order[i]] }'
