#!/usr/bin/env bash
# The Debian forky root: debian.sh, which says what its verbs do, for this suite.
exec "$(dirname "$0")/debian.sh" forky "$@"
