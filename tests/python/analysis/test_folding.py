"""analysis/tree/folding.py: which calls become one row of a folded call tree, and what time it
has."""

from textwrap import dedent

from foldings import expected, folded
from tracer.analysis.tree.folding import FINDING, Folding
from treetexts import paths_of_text


def test_own_functions_and_what_they_call_in_c_stand_open():
    text = """
    <module>@main 1 1
      load@main 2 10
        open 2 100
      save@helpers 1+3 1000
    """
    assert folded(text) == expected(text)


def test_a_package_that_own_code_calls_is_one_row():
    assert folded(
        """
        <module>@main 1 1
          loads@json 5 2
            decode@decoder 5 4
              scan 5 8
          dumps@json 2 16
          DataFrame.sum@frame 3 32
            add@numpy 3 64
              loads@json 7 128
        """
    ) == expected(
        """
        <module>@main 1 1
          json 7 30
          pandas 3 224
        """
    )


def test_what_was_waited_is_that_of_the_row():
    assert folded(
        """
        <module>@main 1 1
          loads@json 5 20~10
            scan 5 8~4
          sleep 1 32~32
        """
    ) == expected(
        """
        <module>@main 1 1
          json 5 28~14
          sleep 1 32~32
        """
    )


def test_the_functions_that_were_called_in_a_package_are_known():
    paths = paths_of_text(
        dedent(
            """
            <module>@main 1 1
              loads@json 5 2
                decode@decoder 5 4
              dumps@json 2 16
                _find_and_load@boot 1 32
                  <module>@numpy 1 64
            """
        )
    )
    found = Folding(paths).fold(paths.trees[0])
    names = {
        found.rows[found.tree.row[node]].name: {
            paths.rows[row].name: tuple(member) for row, member in of.items()
        }
        for node, of in found.members.items()
    }
    assert names == {"json": {"loads": (6, 5), "dumps": (16, 2)}}


def test_own_code_that_a_package_calls_back_stands_below_it():
    assert folded(
        """
        <module>@main 1 1
          DataFrame.apply@frame 1 2
            add@numpy 1 4
              square@main 9 8
                loads@json 9 16
                  decode@decoder 9 32
            square@main 2 64
              loads@json 2 128
        """
    ) == expected(
        """
        <module>@main 1 1
          pandas 1 6
            square@main 11 72
              json 11 176
        """
    )


def test_an_import_is_one_row_below_the_code_that_asked():
    assert folded(
        """
        <module>@main 1 1
          _find_and_load@boot 2 2
            _load_unlocked@boot 2 4
              builtins.exec 2 8
                <module>@pandas 1 16
                  _find_and_load@boot 1 32
                    builtins.exec 1 64
                      <module>@numpy 1 128
                <module>@helpers 1 256
                  _find_and_load@boot 1 512
                    <module>@json 1 1024
          load@main 1 2048
            <builtins.__import__> 1 4096
              _find_and_load@boot 1 8192
                <module>@numpy 1 16384
        """
    ) == expected(
        f"""
        <module>@main 1 1
          {FINDING} 0 14
          import pandas 1 240
          <module>@helpers 1 256
            {FINDING} 0 512
            import json 1 1024
          load@main 1 2048
            {FINDING} 0 12288
            import numpy 1 16384
        """
    )


def test_a_package_that_imports_while_it_runs_has_the_import_below_it():
    assert folded(
        """
        plot@main 1 1
          DataFrame.plot@frame 1 2
            import_module@importlib 1 0
              _find_and_load@boot 1 0
                <module>@numpy 1 16
                  register@helpers 1 32
        """
    ) == expected(
        """
        plot@main 1 1
          pandas 1 2
            import numpy 1 16
              register@helpers 1 32
        """
    )


def test_what_is_done_with_the_tools_of_imports_is_no_import():
    assert folded(
        """
        <module>@main 1 1
          FileLoader.get_data@boot 2 2
          SourceLoader.source_to_code@boot 1 4
            _call_with_frames_removed@boot 1 8
              <builtins.compile> 1 16
          import_module@importlib 1 32
            _find_and_load@boot 1 64
              SourceLoader.source_to_code@boot 1 128
                <builtins.compile> 1 256
        """
    ) == expected(
        f"""
        <module>@main 1 1
          importlib 3 30
          {FINDING} 0 480
        """
    )


def test_code_made_from_text_belongs_to_the_code_that_calls_it():
    assert folded(
        """
        <module>@main 1 1
          __init__@<string> 4 2
          DataFrame.sum@frame 3 4
            __init__@<string> 3 8
            <module>@<string> 1 16
          <module>@<stdin> 1 32
        """
    ) == expected(
        """
        <module>@main 1 1
          __init__@<string> 4 2
          pandas 3 28
          <module>@<stdin> 1 32
        """
    )


def test_code_made_from_text_belongs_to_the_package_that_its_file_names():
    assert folded(
        """
        <module>@main 1 1
          argmap_sum_3@<class 'pandas.util.argmap'> compilation 6 9 2
            DataFrame.sum@frame 9 4
          DataFrame.sum@frame 3 8
          __init__@<attrs generated init main.Item> 5 16
        """
    ) == expected(
        """
        <module>@main 1 1
          pandas 12 14
          __init__@<attrs generated init main.Item> 5 16
        """
    )


def test_a_comprehension_is_its_functions_own():
    assert folded(
        """
        load@main 1 1
          load.<locals>.<listcomp>@main 1 2
            loads@json 5 4
          load.<locals>.<genexpr>@main 1+5 8
        """
    ) == expected(
        """
        load@main 1 3
          json 5 4
          load.<locals>.<genexpr>@main 1+5 8
        """
    )


RECURSIVE = """
walk@main 1 1
  visit@main 2 2
    walk@main 2 4
      visit@main 1 8
        loads@json 1 16
      walk@main 3 32
"""


def test_recursion_is_one_row_where_asked_for():
    assert folded(RECURSIVE, recursion=True) == expected(
        """
        walk@main 6 37
          visit@main 3 10
            json 1 16
        """
    )
    assert folded(RECURSIVE) == expected(RECURSIVE.replace("loads@json", "json"))


def test_deep_recursion_folds():
    deep = "".join(f"{'  ' * level}walk@main 1 1\n" for level in range(5000))
    assert folded(deep, recursion=True) == "walk@main 5000 5000\n"
    assert folded(deep) == deep


def test_packages_and_modules_can_be_folded_by_name():
    text = """
    <module>@main 1 1
      load@helpers 2 10
        open 2 100
      loads@json 5 2
    """
    assert folded(text, libraries=False, also=["helpers"]) == expected(
        """
        <module>@main 1 1
          helpers 2 110
          loads@json 5 2
        """
    )
    assert folded(text, libraries=False) == expected(text)


def test_packages_can_be_opened():
    text = """
    <module>@main 1 1
      _find_and_load@boot 1 0
        <module>@pandas 1 2
          setup@pandas 1 4
      DataFrame.sum@frame 3 32
        DataFrame.sum.<locals>.<listcomp>@frame 3 16
          add@numpy 3 64
            concat@pandas 3 128
    """
    assert folded(text, opened=["pandas"]) == expected(
        """
        <module>@main 1 1
          import pandas 1 6
          DataFrame.sum@frame 3 48
            numpy 3 64
              concat@pandas 3 128
        """
    )


def test_what_was_waited_goes_with_its_time():
    assert folded(
        """
        <module>@main 1 9~4
          loads@json 1 10~5
            decode@decoder 1 20~6
        """
    ) == expected(
        """
        <module>@main 1 9~4
          json 1 30~11
        """
    )
