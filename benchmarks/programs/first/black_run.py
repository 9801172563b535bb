# function: black
# share: 94
# command: -m black -q --diff {stdlib}/argparse.py
# clock: black:patched_main
"""Black formats a module of the standard library. Both of its parts, and click's, are compiled."""
