"""Insides of line_profiler that its tests import beside other things; those of it are set aside."""

add_argument = None
