"""The page's modules as one script."""

import pytest

import pages
from tracer.page.bundle import JoiningError, join


def write(folder, **modules):
    main = modules.pop("main")
    for name, text in modules.items():
        path = folder / (name.replace("__", "/") + ".js")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return main, folder


def run(tmp_path, **modules):
    """What the joined script prints."""
    script = tmp_path / "joined.cjs"
    script.write_text(join(*write(tmp_path, **modules)))
    return pages.run_node(script)


def test_modules_run_once_each_after_those_that_they_import(tmp_path):
    printed = run(
        tmp_path,
        main='import { a } from "./a.js";\nimport {\n  b as other,\n  C,\n} from "./ui/b.js";\n'
        "console.log(a(), other, new C().two);\n",
        a='import { b } from "./ui/b.js";\nconsole.log("a");\nexport function a() { return b; }\n',
        ui__b='console.log("b");\nexport const b = 1;\nexport class C {\n  two = 2;\n}\n'
        "export async function unused() {}\n",
    )
    assert printed == "b\na\n1 1 2\n"


def test_names_of_one_module_are_not_those_of_another(tmp_path):
    printed = run(
        tmp_path,
        main='import { one } from "./a.js";\nconst hidden = "main";\nconsole.log(one, hidden);\n',
        a='const hidden = "a";\nexport const one = hidden;\n',
    )
    assert printed == "a main\n"


def test_comments_and_indents_are_left_out_and_casts_are_not(tmp_path):
    main = write(
        tmp_path,
        main="// A comment.\n\n/**\n * More.\n * @type {number}\n */\nconst n = 1; // stays\n"
        "  /** one line */\nconst text = `// no comment`;\n"
        "console.log(\n  /** @type {number} */ (n), text,\n);\n",
    )
    assert join(*main) == (
        '"use strict";\nconst m_entry = (() => {\n'
        "const n = 1; // stays\nconst text = `// no comment`;\n"
        "console.log(\n/** @type {number} */ (n), text,\n);\nreturn {  };\n})();\n"
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('import * as a from "./a.js";\n', "not known: import \\* as a"),
        ('import a from "./a.js";\n', "not known: import a"),
        ('import "./a.js";\n', 'not known: import "./a.js"'),
        ("export default 1;\n", "not known: export default"),
        ("export { a };\n", "not known: export { a }"),
        ("export let a = 1;\n", "not known: export let"),
        ('const a = import ("./a.js");\n', "not known"),
        ('import { a } from "./gone.js";\n', "gone.js, which is not there"),
        ('import { a } from "../a.js";\n', "which is not there"),
        ("const a = `b\nc`;\n", "goes on after the end of its line"),
        ('import { b } from "./b.js";\n', "imports itself"),
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path, text, told):
    circle = 'import { b } from "./b.js";\n'
    main = write(tmp_path, main=text, a="export const a = 1;\n", b=circle)
    with pytest.raises(JoiningError, match=told):
        join(*main)
