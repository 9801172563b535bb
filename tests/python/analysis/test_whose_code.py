"""analysis/tree/folding.py: whose a function is: of an installed program, or compiled."""

from textwrap import dedent

from foldings import expected, folded
from tracer.analysis.tree.folding import Folding, own_rows, program_of
from treetexts import SITE, paths_of_text, text_of_tree


def test_an_installed_program_is_taken_for_the_users_own():
    text = f"""
    _run_module@runpy 1 1
      <module>@{SITE}/black/__main__.py 1 2
        format@{SITE}/black/__init__.py 1 4
          parse@numpy 1 8
      loads@json 1 1000
    """
    assert program_of(paths_of_text(dedent(text))) == ("json",)
    text = text.replace("1000", "3")
    assert program_of(paths_of_text(dedent(text))) == ("black",)
    assert folded(text) == expected(
        f"""
        runpy 1 4
          <module>@{SITE}/black/__main__.py 1 2
            format@{SITE}/black/__init__.py 1 4
              numpy 1 8
        """
    )
    assert program_of(paths_of_text("walk@main 1 1", dedent(text))) == ()


def test_what_was_only_imported_is_no_program_where_anything_else_ran():
    text = f"""
    _run_module@runpy 1 1
      _find_and_load@boot 1 2
        <module>@{SITE}/click/__init__.py 1 1000
      <module>@{SITE}/black/__main__.py 1 3
    """
    assert program_of(paths_of_text(dedent(text))) == ("black",)
    assert program_of(paths_of_text(dedent(text).replace("black/__main__.py", "x.py"))) == ("x",)
    alone = dedent(text).rpartition("  <module>")[0]
    assert program_of(paths_of_text(alone)) == ("click",)


def test_the_script_of_an_installed_command_only_starts_it():
    text = f"""
    <module>@/env/bin/csvjson 1 1
      main@{SITE}/csvkit/csvjson.py 1 2
        read@{SITE}/agate/table.py 1 8
    """
    assert program_of(paths_of_text(dedent(text))) == ("csvkit",)
    alone = dedent(text).replace("main@", "convert@/env/bin/csvjson 1 1\n    main@")
    assert program_of(paths_of_text(alone)) == ("csvjson",)  # it has functions of its own


SUFFIX = ".cpython-311-x86_64-linux-gnu.so"
BLACK = {"black": f"{SITE}/black/__init__{SUFFIX}"}
FASTMATH = {"fastmath": f"/home/me/shop/fastmath{SUFFIX}"}


def test_a_compiled_module_of_the_program_is_its_own():
    text = """
    <module>@main 1 1
      loads@json 1 2
        fastmath.compute 3 4
          Shape.area 5 8
          len 6 16
    """
    paths = paths_of_text(dedent(text), extensions=FASTMATH)
    found = Folding(paths).fold(paths.trees[0])
    assert text_of_tree(found.tree, found.rows) == expected(
        """
        <module>@main 1 1
          json 1 2
            fastmath.compute 3 4
              Shape.area 5 8
              len 6 16
        """
    )
    assert own_rows(paths) == [True, False, True, True, False]
    assert program_of(paths) == ()
    assert [module.kind for module in paths.modules][2:] == ["builtin"] * 3
    assert {module.name for module in paths.modules[2:]} == {""}


def test_a_program_that_is_compiled_as_a_whole_is_no_library():
    text = """
    _run_module@runpy 1 1
      fastmath.compute 3 4
        loads@json 1 2
    """
    paths = paths_of_text(dedent(text), extensions=FASTMATH)
    assert program_of(paths) == ()
    assert own_rows(paths) == [False, True, False]


def test_a_compiled_library_is_none_of_the_programs():
    text = """
    <module>@main 1 1
      black.main 3 4
    """
    paths = paths_of_text(dedent(text), extensions=BLACK)
    assert own_rows(paths) == [True, False]


def test_compiled_functions_of_an_installed_program_count_as_its_own():
    text = f"""
    _run_module@runpy 1 1
      <module>@{SITE}/black/__main__.py 1 2
        Command.main@{SITE}/click/core.py 1 4
          black.main 1 8
            loads@json 1 16
            LineGenerator.visit 1 32
    """
    paths = paths_of_text(dedent(text), extensions=BLACK)
    assert program_of(paths) == ("black",)
    assert own_rows(paths) == [False, True, False, True, False, True]
    found = Folding(paths).fold(paths.trees[0])
    assert text_of_tree(found.tree, found.rows) == expected(
        f"""
        runpy 1 1
          <module>@{SITE}/black/__main__.py 1 2
            click 1 4
              black.main 1 8
                json 1 16
                LineGenerator.visit 1 32
        """
    )


def test_an_installed_program_may_begin_in_compiled_code():
    text = f"""
    _run_module@runpy 1 1
      black.main 1 8
        Command.main@{SITE}/click/core.py 1 4
    """
    assert program_of(paths_of_text(dedent(text), extensions=BLACK)) == ("black",)
    assert program_of(paths_of_text(dedent(text))) == ("click",)


def test_what_python_runs_of_a_library_by_m_is_folded_where_it_loads_own_code():
    text = f"""
    _run_module@runpy 1 1
      <module>@{SITE}/pytest/__main__.py 1 2
        main@{SITE}/_pytest/main.py 1 4
          test_walk@main 1 8
            raises@{SITE}/_pytest/raises.py 1 16
    """
    assert program_of(paths_of_text(dedent(text))) == ()
    assert folded(text) == expected(
        """
        runpy 1 7
          test_walk@main 1 8
            _pytest 1 16
        """
    )
