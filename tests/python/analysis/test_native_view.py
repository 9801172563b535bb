"""A profile seen by its native samples: exact figures of made-up captures (natives.py)."""

import pytest

import tracer
from natives import FIT, LOAD, MAIN, STEP, Natives, recorded, trained
from tracer.analysis.native.native import native_of, whole_of
from tracer.analysis.tree.call_tree import paths_of
from tracer.report.native import native_name, told_callers

KERNEL, DGEMM, MATMUL = ("/lib/blas.so", 0, "kernel"), ("/lib/blas.so", 0, "dgemm"), (
    "/lib/numpy.so", 0, "matmul"
)  # fmt: skip


def stats_of(natives):
    return tracer.Stats(natives.made())


def figures(stats, label):
    calls, _, tottime, cumtime, _ = stats.stats[label]
    return calls, round(tottime, 6), round(cumtime, 6)


def test_times_are_cpu_and_calls_are_samples():
    seen = stats_of(trained()).by_native()
    assert figures(seen, KERNEL) == (175, 1.75, 1.75)
    assert figures(seen, DGEMM) == (20, 0.2, 1.7)
    assert figures(seen, MATMUL) == (10, 0.1, 1.8)
    assert figures(seen, STEP) == (13, 0.13, 1.93)
    assert figures(seen, FIT) == (4, 0.04, 2.02)  # with the overhead of its calls
    assert figures(seen, LOAD) == (14, 0.14, 0.2)
    assert figures(seen, MAIN) == (8, 0.08, 2.3)
    assert seen.stats[("~", 0, "<profiling overhead>")][2] == pytest.approx(0.05)
    assert seen.total_tt == pytest.approx(2.55)


def test_callers_are_python_and_native_functions():
    seen = stats_of(trained()).by_native()
    assert list(seen.stats[MATMUL][4]) == [STEP]
    assert set(seen.stats[KERNEL][4]) == {DGEMM, ("/lib/blas.so", 0, "start")}


def test_native_functions_are_below_the_functions_that_they_ran_for():
    paths = paths_of(stats_of(trained()).by_native(), "label")
    assert {paths.rows[row].name for row in paths.natives} == {
        "matmul", "dgemm", "kernel", "loads", "scan", "start",
    }  # fmt: skip
    (main, worker) = paths.trees
    names = [paths.rows[row].name for row in main.row[1:]]
    at = names.index("matmul") + 1
    assert [names[at - 2], *names[at - 1 : at + 2]] == ["step", "matmul", "dgemm", "kernel"]
    assert worker.name == "native thread worker"
    assert [paths.rows[row].name for row in worker.row[1:]] == ["start", "kernel"]


def test_by_address_each_address_is_a_function():
    view = stats_of(trained()).seen_by_native(by_address=True)
    kernels = [label for label in view.stats if label[2] == "kernel"]
    assert len(kernels) == 1
    (file, line, _) = kernels[0]
    (capture,) = tracer.Stats(trained().made()).captures
    (module,) = (it for it in capture.native.modules if it.path == file)
    assert module.start <= line < module.limit


def test_the_functions_by_cpu_and_for_whom_they_ran():
    found = native_of(stats_of(trained()))
    kernel = found.functions[KERNEL]
    assert kernel.own.seconds == pytest.approx(1.75)
    assert kernel.callers == ((STEP, pytest.approx(150 / 175)),)
    assert found.functions[MATMUL].cumulative.seconds == pytest.approx(1.8)
    step = found.by_caller[STEP]
    assert (step.cpu.seconds, step.native) == (pytest.approx(1.93), pytest.approx(1.8))
    assert (step.exact, step.waiting) == (pytest.approx(2.0), 0.0)  # within the error
    load = found.by_caller[LOAD]
    assert load.waiting == pytest.approx(0.9 - 0.2)
    assert found.by_caller[FIT].overhead == pytest.approx(0.05)


def test_of_libraries_the_own_function_is_told_that_called_them():
    capture = trained().made()
    library = "/env/lib/python3.13/site-packages/nets/layers.py"
    capture.functions = tuple(
        it._replace(filename=library) if it.name == "step" else it for it in capture.functions
    )
    found = native_of(tracer.Stats(capture)).functions
    assert found[KERNEL].callers == ((FIT, pytest.approx(150 / 175)),)
    assert found[MATMUL].cumulative_callers == ((FIT, pytest.approx(1.0)),)
    capture.functions = tuple(it._replace(filename=library) for it in capture.functions)
    found = native_of(tracer.Stats(capture)).functions  # an installed program is one's own
    assert [label[2] for label, _ in found[KERNEL].callers] == ["step"]


def test_recursion_counts_once():
    natives = Natives().at("main", "walk@a.so walk@a.so walk@a.so", 10)
    walk = native_of(stats_of(natives)).functions[("/lib/a.so", 0, "walk")]
    assert (walk.own.seconds, walk.cumulative.seconds) == (pytest.approx(0.1), pytest.approx(0.1))


def test_the_error_is_that_of_a_sum_of_samples():
    natives = Natives(hz=100, period=0.01).at("main", "f@a.so", 100)
    found = native_of(stats_of(natives)).functions[("/lib/a.so", 0, "f")]
    assert found.own == (pytest.approx(1.0), pytest.approx(0.2))
    heavy = Natives(hz=400, period=0.0025, signals=100).at("main", "f@a.so", 400)
    found = native_of(stats_of(heavy)).functions[("/lib/a.so", 0, "f")]  # each stands for four
    assert found.own == (pytest.approx(1.0), pytest.approx(0.2))


def test_the_whole():
    whole = whole_of(stats_of(trained()))
    assert whole.cpu == pytest.approx(2.55)
    assert whole.native == pytest.approx(1.8 + 0.06 + 0.25)
    assert whole.interpreter == pytest.approx(0.08 + 0.14 + 0.04 + 0.13)
    assert whole.overhead == pytest.approx(0.05)
    assert (whole.samples, whole.hz) == (230, 100)
    assert whole.rate == pytest.approx(230 / 2.55)


def test_several_profiles_add_up():
    both = tracer.Stats(trained().made(), trained().made())
    assert figures(both.by_native(), KERNEL) == (350, 3.5, 3.5)
    assert whole_of(both).samples == 460


def test_what_was_recorded_without_samples_is_left_out():
    mixed = tracer.Stats(trained().made(), recorded())
    assert figures(mixed.by_native(), KERNEL) == (175, 1.75, 1.75)


def test_without_samples_there_is_none():
    stats = tracer.Stats(recorded())
    for ask in (stats.by_native, stats.print_native, lambda: native_of(stats)):
        with pytest.raises(ValueError, match="no native code was sampled: give --native"):
            ask()


def test_code_without_names():
    natives = Natives().at("main", "@libz.so.1 jit", 3)
    names = {label[2] for label in stats_of(natives).by_native().stats}
    assert "jit" in names
    assert any(name.startswith("libz.so.1+0x") for name in names)


def test_a_call_whose_path_was_not_kept():
    seen = stats_of(Natives().at("main", weight=1)).by_native()
    assert figures(seen, MAIN) == (1, 0.01, 0.01)


def test_a_place_in_a_library_names_it_once():
    assert native_name(("/lib/libz.so.1", 0, "libz.so.1+0x5d80")) == "libz.so.1+0x5d80"
    assert native_name(("/lib/libz.so.1", 0, "deflate")) == "deflate (libz.so.1)"
    assert native_name(("", 0, "<code in no file>")) == "<code in no file>"


def test_a_caller_of_less_than_a_percent_is_not_told():
    told = told_callers(((MAIN, 0.98), (FIT, 0.01), (STEP, 0.005)))
    assert told == f" <- {MAIN[2]} 98%, {FIT[2]} 1%"
    assert told_callers(((MAIN, 0.995), (STEP, 0.005))) == f" <- {MAIN[2]}"
