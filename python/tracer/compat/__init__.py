"""Other profilers' names for what tracer does, for programs and users that know those profilers.

    from tracer.compat import line_profiler         # for `import line_profiler`
    python -m tracer.compat.kernprof -lv main.py    # for `kernprof -lv main.py`
    from tracer.compat.torch import profile         # for `from torch.profiler import profile`

This package measures nothing itself, and no other part of tracer needs it.
"""
