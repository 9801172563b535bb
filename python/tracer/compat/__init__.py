"""Other profilers' names for what tracer does, for programs and habits that were made for them.

    from tracer.compat import line_profiler         # for `import line_profiler`
    python -m tracer.compat.kernprof -lv main.py    # for `kernprof -lv main.py`

Nothing is measured here, and nothing in tracer needs this package.
"""
