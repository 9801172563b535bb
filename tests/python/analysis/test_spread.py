"""analysis/findings/spread.py: where the time went when no function of the program has much."""

from tracer.analysis.findings.spread import library_threads, spread_costs
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Paths
from tracer.analysis.tree.collected import Collected
from treetexts import PYTHON, in_ms, paths_of_text, said, with_figures


def told(rule, *texts, names=()):
    outline = Outline(with_figures(paths_of_text(*map(in_ms, texts), names=names)))
    found = sorted(rule(outline), key=lambda finding: -finding.saving)
    return [said(finding, lambda row: row.file.rpartition("/")[2]) for finding in found]


# -- Innermost functions ---------------------------------------------------------------------------

REPORT = """
<module>@main 1 0
  main@main 1 10
    read@main 1 10
      block@main 9 20
        lexed@helpers 9 180
          <re.split> 90 40
        node@helpers {0} 140
          <builtins.len> {0} 40
    write@main 1 50
      walk@main 1 100
        walk@main 7 100
          visit@main 8 {1}
      <str.join> 1 {2}
"""


def test_the_innermost_functions_with_much_below():
    """A recursion is told as one."""
    assert told(spread_costs, REPORT.format(999, 180, 130)) == [
        "42%: block, main.py, takes 0.42 s in 9 calls by read: "
        "0.22 s lexed, 0.18 s node (999 calls)",
        "38%: walk, main.py, takes 0.38 s: 1 call by write became 8, a recursion: "
        "0.20 s itself, 0.18 s visit (8 calls)",
    ]


def test_nothing_is_spread_where_a_function_has_much():
    assert told(spread_costs, REPORT.format(9, 270, 40)) == []


def test_collections_are_told_otherwise(monkeypatch):
    """The collector took 160 of the 200 ms that walk() took itself."""
    text = REPORT.format(999, 180, 130)
    row = paths_of_text(in_ms(text)).rows.index(("/home/me/shop/main.py", 1, "walk"))
    found = [Collected(row, row, 9, 160 * 10**6, 40 * 10**6)]
    monkeypatch.setattr(Paths, "collected", lambda self, is_wanted: found)
    assert [it[:10] for it in told(spread_costs, text)] == ["42%: block"]


def test_nothing_is_told_of_a_function_whose_parts_are_many():
    many = "\n".join(f"    part{number}@main 1 100" for number in range(10))
    assert told(spread_costs, f"<module>@main 1 0\n  main@main 1 0\n{many}") == []


def test_imports_and_waits_are_told_otherwise():
    loads = """
    <module>@main 1 0
      start@main 1 10
        _find_and_load@boot 1 0
          <module>@pandas 1 {0}
        one@main 1 {1}
        two@helpers 1 200
    rest@main 1 200
    more@main 1 200
    """
    assert told(spread_costs, loads.format(200, 190)) == [
        "40%: start, main.py, takes 0.40 s in 1 call by <module>: 0.20 s two, 0.19 s one"
    ]
    assert told(spread_costs, loads.format(390, 0)) == []


def test_a_tree_may_be_deeper_than_pythons_stack():
    chain = "\n".join(f"{'  ' * depth}f{depth}@main {depth + 1} 1" for depth in range(2000))
    end = f"{'  ' * 2000}one@main 1 900\n{'  ' * 2000}two@main 1 900\n"
    assert told(spread_costs, f"{chain}\n{end}other@main 1 200") == [
        "45%: f1999, main.py, takes 1.80 s in 2,000 calls by f1998: "
        "0.90 s one (1 call), 0.90 s two (1 call)"
    ]


# -- Threads of libraries --------------------------------------------------------------------------

POOL = f"""
_bootstrap@threading 1 0
  _handle_tasks@{PYTHON}/multiprocessing/pool.py 1 20
    send@{PYTHON}/multiprocessing/connection.py 9 30
      <Pickler.dump> 9 {{}}
"""
MAIN = f"""
<module>@main 1 10
  rank@main 1 0
    next@{PYTHON}/multiprocessing/pool.py 9 0
      <lock.acquire> 9 990~990
  other@main 1 {{}}
"""


def test_a_thread_that_works_for_a_library():
    names = ("MainThread", "Thread-2 (_handle_tasks)")
    assert told(library_threads, MAIN.format(0), POOL.format(700), names=names) == [
        "75%: Thread-2 (_handle_tasks), a thread of multiprocessing, works 0.75 s: "
        "0.70 s Pickler.dump; rank calls multiprocessing"
    ]
    assert told(library_threads, MAIN.format(0), POOL.format(190), names=names) == []


def test_a_thread_that_runs_the_program_is_told_by_its_functions():
    names = ("MainThread", "Thread-2 (_handle_tasks)")
    pool = POOL.replace("<Pickler.dump>", "key@main 1 0\n        <Pickler.dump>")
    assert told(library_threads, MAIN.format(0), pool.format(700), names=names) == []
