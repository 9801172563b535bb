"""Native samples on the page: a switch turns the flame graph, the table and the butterfly to CPU
time with native functions, which have a colour, fold at a key, and are narrowed to a library."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from launch import traced

SWITCH = 'button.seen:has-text("CPU samples")'
ROWS = ".grid .row .fn"
# Chromium's driver has a thread in this process, which would be recorded, too.
MADE = "import natives, pathlib, sys; natives.save(pathlib.Path(sys.argv[1]), natives.trained())"


@pytest.fixture(scope="session")
def page_url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    here = Path(__file__).parents[1] / "python" / "helpers"
    subprocess.run([sys.executable, "-c", MADE, folder / "out"], cwd=here, check=True)
    ended = traced("html", "-o", folder / "page.html", folder / "out")
    assert ended.returncode == 0, ended.stderr.decode()
    return (folder / "page.html").as_uri()


@pytest.fixture
def look(visit, page_url):
    def look(state=""):
        page = visit(page_url, state)
        page.rest()
        return page

    return look


def legend(page):
    return page.locator(".flame-legend").inner_text()


def test_the_overview_tells_of_native_code_and_leads_to_it(look):
    page = look()
    card = page.locator(".native-card")
    expect(card).to_contain_text(
        "2.55 s of CPU in 230 samples: 82.7% native, 15.3% Python, 2.0% overhead"
    )
    expect(card.locator("li").first).to_contain_text("kernelblas.so 1.75 s, 68.6%")
    card.get_by_role("button", name="kernel").click()
    expect(page.locator(".focus .fn")).to_have_text("kernel")
    expect(page.locator(".focus .where")).to_have_text("blas.so")
    assert page.state == {"view": "butterfly", "row": "kernel (blas.so)", "seen": "cpu"}


def test_the_switch_turns_to_samples_and_back(look):
    page = look("view=table")
    expect(page.locator(SWITCH)).to_have_attribute("aria-pressed", "false")
    expect(page.locator(ROWS).first).to_have_text("step")
    page.locator(SWITCH).click()
    expect(page.locator(SWITCH)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(ROWS).first).to_have_text("kernel")
    expect(page.locator(".head")).to_contain_text("own CPU")
    page.keyboard.press("C")
    expect(page.locator(ROWS).first).to_have_text("step")
    page.go_back()
    expect(page.locator(ROWS).first).to_have_text("kernel")


def test_the_switch_is_where_samples_can_be_seen(look):
    page = look("view=source")
    expect(page.locator(SWITCH)).to_be_hidden()
    page.keyboard.press("C")
    page.until(lambda: page.state == {"view": "flame", "seen": "cpu"})


def test_the_threads_of_libraries_are_offered(look):
    page = look("view=table&seen=cpu")
    names = page.locator('select[aria-label="Thread"] option').all_inner_texts()
    assert names == ["All 2 threads", "MainThread", "native thread worker"]
    page.get_by_label("Thread").select_option("native thread worker")
    expect(page.locator(".sum")).to_have_text("2 functions · 250 ms")


def test_native_code_has_a_colour_and_folds_at_a_key(look):
    page = look("view=flame&seen=cpu")
    assert "native code 82.7%" in legend(page).replace("\n", " ")
    before = page.picture()
    page.keyboard.press("H")
    page.until(lambda: page.state.get("fold") == "n")
    assert page.picture() != before
    assert "native code" not in legend(page)
    page.keyboard.press("H")
    assert page.picture() == before


def test_a_library_alone(look):
    page = look("view=flame&seen=cpu")
    options = page.locator('select[aria-label="Native library"] option').all_inner_texts()
    assert options[1].split() == ["blas.so", "(76.5%)"]
    page.get_by_label("Native library").select_option("json.so")
    page.until(lambda: page.state.get("lib") == "json.so")
    page.locator(".flame-chart canvas").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".flame-line")).to_contain_text("60 ms")


def test_the_butterfly_has_native_callees_of_python_functions(look):
    page = look("view=butterfly&seen=cpu&row=work.step")
    middle = page.locator(".focus")
    expect(middle).to_contain_text("cum CPU")
    expect(middle).to_contain_text("as it was traced")
    expect(page.locator(".butterfly .card").filter(has_text="matmul")).to_contain_text("1.80 s")


PROGRAM = """import os, time, zlib

def work(seconds):
    data = os.urandom(1 << 18)
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        zlib.compress(data)

work(0.5)
"""


def test_the_source_has_the_samples_of_each_line(visit, tmp_path):
    (tmp_path / "work.py").write_text(PROGRAM)
    for words in (
        ["--lines", "--native", "-o", tmp_path / "out", tmp_path / "work.py"],
        ["html", "-o", tmp_path / "lines.html", tmp_path / "out"],
    ):
        ended = traced(*words)
        assert ended.returncode == 0, ended.stderr.decode()
    page = visit((tmp_path / "lines.html").as_uri(), "view=source")
    page.wait_for_selector(".code.timed")
    heads = page.locator(".code-head .figure").all_text_contents()
    assert heads[-2:] == ["Python", "Native"]
    number = PROGRAM.splitlines().index("        zlib.compress(data)") + 1
    native = page.locator(f"[data-line='{number}'] .figure").nth(len(heads) - 1)
    assert native.get_attribute("data-tip").endswith("s, by samples")
    assert float(native.text_content().split()[0]) > 300


def test_a_native_function_leads_to_its_source(visit, tmp_path):
    compiler = os.environ.get("CC") or shutil.which("cc")
    if compiler is None or shutil.which("addr2line") is None:
        pytest.skip("there is no C compiler here, or no symbolizer")
    source = Path(__file__).parents[1] / "python" / "helpers" / "slow.c"
    library = tmp_path / "slow.so"
    subprocess.run([compiler, "-g", "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    (tmp_path / "work.py").write_text(
        "import ctypes, os\n"
        "slow = ctypes.CDLL(os.path.join(os.path.dirname(__file__), 'slow.so')).slow_outer\n"
        "values = (ctypes.c_double * 20000)()\n"
        "slow(values, ctypes.c_size_t(20000), 20000)\n"
    )
    for words in (
        ["--native", "-o", tmp_path / "out", tmp_path / "work.py"],
        ["html", "-o", tmp_path / "page.html", tmp_path / "out"],
    ):
        ended = traced(*words)
        assert ended.returncode == 0, ended.stderr.decode()
    page = visit(
        (tmp_path / "page.html").as_uri(), "view=butterfly&row=slow_sum+(slow.so)&seen=cpu"
    )
    page.get_by_role("button", name="Source", exact=True).click()
    expect(page.locator(".code-head .figure")).to_have_text(["Own CPU", "Cum CPU"])
    expect(page.locator(".native-file")).to_contain_text("slow.c")
    expect(page.locator(".sum")).to_contain_text("slow_sum (slow.so) · own CPU")
    number = source.read_text().split("\n").index("            total += scaled(values[i]);") + 1
    line = page.locator(f"[data-line='{number}']")
    expect(line.locator("code")).to_have_text("            total += scaled(values[i]);")
    page.keyboard.press("Backspace")
    page.keyboard.press("t")  # a view of times, and back
    page.go_back()
    expect(page.locator(".native-file")).to_be_visible()
    # A function that only calls has no own time: its lines are warm by what they called.
    page = visit((tmp_path / "page.html").as_uri(), "view=source&row=slow_outer+(slow.so)&seen=cpu")
    number = (
        source.read_text().split("\n").index("    double first = slow_sum(values, count, rounds);")
    )
    call = page.locator(f"[data-line='{number + 1}']")
    expect(call).to_be_in_viewport()
    assert call.get_attribute("style") == "--heat: 1.000;"
