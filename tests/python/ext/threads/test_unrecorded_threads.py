"""A thread in which nothing is recorded for now, while another has the profile begin anew."""

import threading

import tracer
from tracer._core import unrecorded


def leaf():
    pass


def cleared_in_between(profile, reached, go_on, work, *arguments):
    """The rows by name of a thread that does `work`; once `reached`, the profile is cleared."""
    profile.enable()
    thread = threading.Thread(target=work, args=arguments, name="worker")
    thread.start()
    reached.wait(30)
    profile.clear()
    go_on.wait(30)
    thread.join()
    profile.disable()
    rows = tracer.Stats(profile).threads["worker"].stats.items()
    return {label[2]: row for label, row in rows}


def cleared_as_it_read_its_timer(work):
    """The same of a thread that does work(armed). The profile is cleared when the thread next reads
    its timer after putting its ident into `armed`."""

    def timer():
        if armed and threading.get_ident() == armed[0]:
            armed.clear()
            reached.wait(30)
            go_on.wait(30)
        return 0

    armed = []
    reached, go_on = threading.Barrier(2), threading.Barrier(2)
    profile = tracer.Profile(timer, builtins=False)
    return cleared_in_between(profile, reached, go_on, work, armed)


def callers_of(row):
    return {label[2]: figures[0] for label, figures in row[4].items()}


def test_what_ran_unrecorded_calls_nothing_afterwards():
    """It ends unseen, as a call may that was found running when the profile was cleared."""

    def inside():
        reached.wait(30)
        go_on.wait(30)

    def work():
        with unrecorded:
            inside()
        leaf()

    reached, go_on = threading.Barrier(2), threading.Barrier(2)
    rows = cleared_in_between(tracer.Profile(builtins=False), reached, go_on, work)
    assert callers_of(rows["leaf"]) == {"work": 1}
    assert "inside" not in rows


def test_a_thread_goes_on_though_the_profile_was_cleared_as_it_read_its_timer():
    """The thread read the timer because its unrecorded time was over."""

    def work(armed):
        with unrecorded:
            armed.append(threading.get_ident())
        leaf()

    rows = cleared_as_it_read_its_timer(work)
    assert callers_of(rows["leaf"]) == {"work": 1}


def test_a_thread_is_unrecorded_though_the_profile_was_cleared_as_it_read_its_timer():
    """The thread read the timer because its unrecorded time began."""

    def inside():
        pass

    def work(armed):
        armed.append(threading.get_ident())
        with unrecorded:
            inside()
        leaf()

    rows = cleared_as_it_read_its_timer(work)
    assert callers_of(rows["leaf"]) == {"work": 1}
    assert "inside" not in rows
