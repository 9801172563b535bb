"""tracer.compat.torch: each kind of program of PyTorch's recipe, and its table to the letter, by a
clock that the test moves."""

import inspect
import subprocess
import sys
from textwrap import dedent

import pytest

from places import HELPERS
from torching import (
    CLOCK,
    Profile,
    backward,
    forward,
    load,
    loop,
    matmul,
    place,
    rows,
    steps_of,
    told,  # noqa: F401, a fixture
    train,
)
from tracer.compat import torch
from tracer.compat.torch import ProfilerAction, ProfilerActivity, schedule


@pytest.fixture(autouse=True)
def at_the_sources(monkeypatch):
    monkeypatch.chdir(HELPERS)


@pytest.fixture
def whole():
    """All of two steps, without a schedule."""
    with Profile() as profiler:
        train()
        train()
    return profiler


# -- The whole of a block --------------------------------------------------------------------------


def test_a_block_is_recorded_as_a_whole(whole):
    assert whole.key_averages().table(sort_by="cpu_time_total") == TABLE


def test_titles_limits_and_units(whole):
    table = whole.key_averages().table(
        sort_by="count", row_limit=1, header="Two steps", time_unit="ms", max_name_column_width=20
    )
    assert table.splitlines() == [
        "=" * 104,
        "Two steps",
        "-" * 20 + "  " + 6 * ("-" * 12 + "  "),
        "                Name    Self CPU %      Self CPU   CPU total %     CPU total  "
        "CPU time avg    # of Calls  ",
        "-" * 20 + "  " + 6 * ("-" * 12 + "  "),
        f"{place(matmul)[:17]}...         1.30%       0.080ms         1.30%       0.080ms  "
        "     0.020ms             4  ",
        "-" * 20 + "  " + 6 * ("-" * 12 + "  "),
        "Self CPU time total: 6.138ms",
    ]


def test_no_limit_and_no_row(whole):
    averages = whole.key_averages()
    assert len(averages.table(row_limit=-1).splitlines()) == 5 + len(averages)
    assert len(averages.table(row_limit=0).splitlines()) == 5
    assert averages.table() == str(averages)


def test_the_own_times_add_up_to_the_whole(whole):
    averages = whole.key_averages()
    assert round(averages.self_cpu_time_total) == 2 * 3069
    assert round(averages.total_average().self_cpu_time_total) == 2 * 3069
    assert averages.total_average().key == "Total"


def test_rows_have_pytorchs_attributes(whole):
    (row,) = (row for row in whole.key_averages() if row.key == "forward")
    assert (row.count, round(row.cpu_time), round(row.cpu_time_total)) == (2, 52, 104)
    assert (row.self_cpu_time_total_str, row.cpu_time_total_str) == ("4.000us", "104.000us")
    assert (row.cuda_time_total, row.device_time, row.cpu_memory_usage, row.flops) == (0, 0, 0, 0)
    assert (row.is_user_annotation, row.device_type) == (True, torch.DeviceType.CPU)
    assert repr(row) == "<FunctionEventAvg 'forward': 2 calls, 4.000us of 104.000us>"


def test_top_level_rows_have_nothing_around_them(whole):
    lines = whole.key_averages().table(top_level_events_only=True).splitlines()
    assert lines[0] == "=" * len(lines[0])
    assert lines[1] == "This report only display top-level ops statistics"
    assert [line.split()[1] for line in lines[5:-2]] == ["train"]


def test_only_ranges_and_functions_in_c(whole):
    assert rows(whole.key_averages(include_python_functions=False)) == {
        "forward": (2, 4, 104),
        "backward": (2, 8, 6008),
    }


def test_of_nothing_there_is_no_table():
    with Profile() as profiler:
        pass
    assert profiler.key_averages() == []
    assert profiler.key_averages().table() == ""
    assert profiler.events() == []


# -- A schedule ------------------------------------------------------------------------------------


def test_steps_are_rows_of_the_cycle():
    """Of the range and the function `forward`, rows() gives the function, which comes later."""
    profiler = loop(Profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=1)), 6)
    assert rows(profiler.key_averages()) == {
        "ProfilerStep*": (2, 0, 2 * 3069),
        "train": (2, 12, 2 * 3069),
        "load": (2, 14, 14),
        "forward": (2, 20, 100),
        "matmul": (4, 80, 80),
        "backward": (2, 6000, 6000),
    }
    assert steps_of(profiler.events()) == ["ProfilerStep#2", "ProfilerStep#3"]


def test_a_step_has_the_time_between_the_calls():
    profiler = Profile(schedule=schedule(wait=0, warmup=1, active=2, repeat=1))
    with profiler:
        for _ in range(4):
            CLOCK.now += 11
            load()
            CLOCK.now += 2
            profiler.step()
    assert rows(profiler.key_averages()) == {"ProfilerStep*": (2, 26, 40), "load": (2, 14, 14)}


def test_on_trace_ready_prints_each_cycle():
    printed = []

    def ready(profiler):
        table = profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=10)
        printed.append((profiler.step_num, profiler.current_action, table))

    options = {"schedule": schedule(wait=1, warmup=1, active=3, repeat=2)}
    loop(Profile(on_trace_ready=ready, **options), 12)
    assert [it[:2] for it in printed] == [(5, ProfilerAction.NONE), (10, ProfilerAction.NONE)]
    assert all("ProfilerStep*" in it[2] for it in printed)
    assert all(it[2].endswith("Self CPU time total: 9.207ms\n") for it in printed)


def test_a_schedule_of_the_programs_own():
    def two_and_five(step):
        return ProfilerAction.RECORD_AND_SAVE if step in (2, 5) else ProfilerAction.NONE

    seen = []
    loop(
        Profile(
            schedule=two_and_five, on_trace_ready=lambda it: seen.append(steps_of(it.events()))
        ),
        8,
    )
    assert seen == [["ProfilerStep#2"], ["ProfilerStep#5"]]


def test_cycles_add_up_where_they_are_kept():
    options = {"schedule": schedule(wait=0, warmup=1, active=1, repeat=3)}
    assert rows(loop(Profile(**options), 8).key_averages())["load"] == (1, 7, 7)
    profiler = loop(Profile(acc_events=True, **options), 8)
    assert rows(profiler.key_averages())["load"] == (3, 21, 21)
    assert steps_of(profiler.events()) == [f"ProfilerStep#{number}" for number in (1, 3, 5)]


def test_without_a_schedule_steps_are_counted_and_are_no_rows():
    profiler = loop(Profile(), 3)
    assert profiler.step_num == 3
    assert profiler.current_action is ProfilerAction.RECORD
    assert "ProfilerStep*" not in rows(profiler.key_averages())
    assert steps_of(profiler.events()) == []


# -- What is not here ------------------------------------------------------------------------------


def test_what_needs_a_gpu_or_operators_is_said_once(told):  # noqa: F811
    for _ in range(2):
        profiler = Profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA, ProfilerActivity.XPU],
            record_shapes=True,
            profile_memory=True,
            with_flops=True,
            experimental_config=object(),
        )
        with profiler:
            load()
        averages = profiler.key_averages(group_by_input_shape=True)
        averages.table(sort_by="self_cuda_time_total")
        averages.table(sort_by="cpu_memory_usage")
    assert told() == [
        "tracer: ProfilerActivity.XPU, ProfilerActivity.CUDA: tracer records no GPU; what runs on "
        "the CPU is recorded",
        "tracer: record_shapes, profile_memory, with_flops: tracer does not look into PyTorch's "
        "operators; calls and times are recorded without",
        "tracer: group_by_input_shape: tracer does not look into PyTorch's operators; rows are by "
        "name",
        "tracer: sort_by='self_cuda_time_total': tracer records no GPU; sorted by "
        "self_cpu_time_total",
        "tracer: sort_by='cpu_memory_usage': tracer records no memory here; sorted by "
        "cpu_time_total",
    ]
    assert rows(averages) == {"load": (1, 7, 7)}


def test_a_gpus_key_sorts_by_cpu_time(whole):
    averages = whole.key_averages()
    for key in ("cuda_time_total", "xpu_time_total", "device_time_total", "cpu_time_total"):
        assert averages.table(sort_by=key) == TABLE


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"activities": []}, ValueError, "none is named"),
        ({"activities": [ProfilerActivity.CPU] * 2}, ValueError, "CPU is named twice"),
        ({"activities": ["CPU"]}, TypeError, "'CPU' is no ProfilerActivity"),
    ],
)
def test_activities_that_are_none(options, error, text):
    with pytest.raises(error, match=text):
        torch.profile(**options)


def test_activities_by_a_dict_and_pytorchs_own():
    theirs = type("ProfilerActivity", (), {"name": "CPU"})()
    assert torch.profile(activities=[theirs]).activities == {ProfilerActivity.CPU}
    some = torch.profile(activities=[{ProfilerActivity.CPU: ["OP"]}])
    assert some.activities == torch.supported_activities()


def test_wrong_words_for_a_table(whole):
    averages = whole.key_averages()
    with pytest.raises(ValueError, match=r"sort_by must be one of cpu_time, .*, not 'nope'"):
        averages.table(sort_by="nope")
    with pytest.raises(ValueError, match=r"time_unit must be one of s, ms, us, not 'min'"):
        averages.table(time_unit="min")
    with pytest.raises(ValueError, match=r"metric must be one of self_cpu_time_total, "):
        averages.export_stacks("stacks.txt", "nope")


# -- The names -------------------------------------------------------------------------------------


def test_pytorch_is_not_imported():
    program = """
        import sys
        from tracer.compat.torch import ProfilerActivity, profile, record_function, schedule
        with profile(schedule=schedule(wait=0, warmup=1, active=1, repeat=1)) as profiler:
            for _ in range(2):
                with record_function("work"):
                    sum([1])
                profiler.step()
        print(profiler.key_averages().table())
        assert "torch" not in sys.modules and "numpy" not in sys.modules
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=True
    )
    assert "work" in done.stdout
    assert done.stderr == ""


def test_values_and_defaults_are_pytorchs():
    assert {action.name: action.value for action in ProfilerAction} == {
        "NONE": 0,
        "WARMUP": 1,
        "RECORD": 2,
        "RECORD_AND_SAVE": 3,
        "DEVICE_STOPPED": 4,
    }
    assert [activity.name for activity in ProfilerActivity] == [
        *("CPU", "XPU", "CUDA", "HPU", "MTIA", "PrivateUse1")
    ]
    given = inspect.signature(torch.profile).parameters
    assert all(it.kind is inspect.Parameter.KEYWORD_ONLY for it in given.values())
    assert list(inspect.signature(torch.EventList.table).parameters.items())[2][1].default == 100


TABLE = f"""\
-----------------------------  ------------  ------------  ------------  ------------  ------------  ------------  
                         Name    Self CPU %      Self CPU   CPU total %     CPU total  CPU time avg    # of Calls  
-----------------------------  ------------  ------------  ------------  ------------  ------------  ------------  
{place(train):>29}         0.20%      12.000us       100.00%       6.138ms       3.069ms             2  
                     backward         0.13%       8.000us        97.88%       6.008ms       3.004ms             2  
{place(backward):>29}        97.75%       6.000ms        97.75%       6.000ms       3.000ms             2  
                      forward         0.07%       4.000us         1.69%     104.000us      52.000us             2  
{place(forward):>29}         0.33%      20.000us         1.63%     100.000us      50.000us             2  
{place(matmul):>29}         1.30%      80.000us         1.30%      80.000us      20.000us             4  
{place(load):>29}         0.23%      14.000us         0.23%      14.000us       7.000us             2  
-----------------------------  ------------  ------------  ------------  ------------  ------------  ------------  
Self CPU time total: 6.138ms
"""  # noqa: E501, W291
