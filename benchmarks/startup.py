"""The instructions of `import tracer`, and of the command around a program that does nothing.

    startup.py [--record] [--path FOLDER]

Each count is what a run takes beyond `python -c pass`. For the command, it is the whole run: from
`-m tracer` to the program, and the profile that is written after the program. The script fails when
a count has grown by more than 3% over startup.json, for an interpreter that is recorded there.
--record writes the counts. --path counts the package in FOLDER instead, such as another version
that is built there. `make bench-start` calls this script.
"""

import argparse
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.instructions import Record, bare_environment, instructions
from harness.report import need_tracer

COMMAND = ["-m", "tracer", "-o", "profile.out"]
WORDS = {
    "import": ["-c", "import tracer"],
    "functions": [*COMMAND, "program.py"],
    "include": [*COMMAND, "--include", "program.py", "program.py"],
    "l": [*COMMAND, "-l", "program.py"],
    "lines": [*COMMAND, "--lines", "program.py"],
}
RECORD = Record(
    Path(__file__).with_name("startup.json"),
    "beyond `python -c pass`",
    "millions of instructions",
    {
        "import": "import tracer",
        "functions": "tracer -o FILE",
        "include": "tracer -o FILE --include NAME",
        "l": "tracer -o FILE -l",
        "lines": "tracer -o FILE --lines",
    },
)


def count_starts(path: Path | None) -> dict[str, float]:
    """Millions of instructions, for each scenario."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "program.py").write_text("pass\n")
        options = {"cwd": folder, "env": bare_environment(path)}

        def count(words: list[str]) -> int:
            command = [sys.executable, *words]
            # Compiled code is kept, as for users: the first start is not counted.
            subprocess.run(command, check=True, capture_output=True, **options)
            return instructions(command, **options)

        plain = count(["-c", "pass"])
        return {name: round((count(words) - plain) / 1e6, 2) for name, words in WORDS.items()}


def main() -> int:
    parser = argparse.ArgumentParser(prog="startup.py", description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the counts to startup.json")
    parser.add_argument(
        "--path", type=Path, metavar="FOLDER", help="a folder that holds the package"
    )
    options = parser.parse_args()
    if options.path is None:
        need_tracer()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    kind = f"{platform.machine()} {python} {platform.python_compiler()}"
    return RECORD.tell(kind, count_starts(options.path), options.record)


if __name__ == "__main__":
    sys.exit(main())
