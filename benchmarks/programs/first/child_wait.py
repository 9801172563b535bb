# function: run
# share: 99
# caller: version
"""The versions of eight programs, each asked of a child process, one after the other."""

import subprocess
import sys


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def version(name):
    return run(sys.executable, "-c", f"import time; time.sleep(0.1); print({name!r})")


print(len([version(f"program {number}") for number in range(8)]))
