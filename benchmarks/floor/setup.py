"""Builds bench_floor, the floor with which profilers are compared, with the flags of the package's
own extension. The Makefile says into which folder."""

from pathlib import Path

from setuptools import Extension, setup

FLAGS = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]

setup(
    name="bench_floor",
    ext_modules=[
        Extension(
            "bench_floor",
            [str(Path(__file__).with_name("floor.c"))],
            extra_compile_args=[*FLAGS, "-fvisibility=hidden", "-O2"],
        )
    ],
)
