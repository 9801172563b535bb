"""Internals that line_profiler's tests import beside other names; tests of them are left out."""
