"""Makes the pictures of README.md: the page of the demo's profile, and a flame graph.

    screenshots.py FOLDER

They are for looking at: the tests of the page keep theirs in build/browser.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / "tests" / "browser"), str(ROOT / "tests" / "python")]

from playwright.sync_api import sync_playwright  # noqa: E402

from serving import chromium_in  # noqa: E402

SIZE = {"width": 1240, "height": 640}
# What is seen of which program. In the demo's own flame graph there is one tower.
PICTURES = {"page.png": ("julia", "view=overview"), "flame.png": ("pipeline", "view=flame")}


def main(folder):
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = chromium_in(playwright)
        for name, (program, state) in PICTURES.items():
            tab = browser.new_page(viewport=SIZE, color_scheme="light")
            tab.goto(f"{page_of(program, Path(scratch)).as_uri()}#{state}")
            tab.wait_for_selector("html[data-ready]")
            tab.wait_for_timeout(500)  # until all is drawn
            tab.screenshot(path=folder / name)
            print(f"{folder / name}: {(folder / name).stat().st_size:,} bytes")
        browser.close()


def page_of(program, folder):
    """The page of a program, as a file. The page shows the path as anybody would type it."""
    tracer = [sys.executable, "-m", "tracer"]
    out, page = folder / f"{program}.out", folder / f"{program}.html"
    path = f"benchmarks/programs/{program}.py"
    subprocess.run([*tracer, "-o", out, path], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*tracer, "html", "-o", page, out], cwd=ROOT, check=True)
    return page


if __name__ == "__main__":
    main(Path(sys.argv[1]))
