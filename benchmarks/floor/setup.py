"""Builds bench_floor, the floor with which profilers are compared, and bench_counter, which counts
allocations, with the flags of the package's own extension. The Makefile says into which folder."""

from pathlib import Path

from setuptools import Extension, setup

FLAGS = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]
SOURCES = {"bench_floor": "floor.c", "bench_counter": "counter.c"}

setup(
    name="bench_floor",
    ext_modules=[
        Extension(
            module,
            [str(Path(__file__).with_name(source))],
            extra_compile_args=[*FLAGS, "-fvisibility=hidden", "-O2"],
        )
        for module, source in SOURCES.items()
    ],
)
