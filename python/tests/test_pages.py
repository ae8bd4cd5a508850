"""The Python examples of README.md and of the pages under docs/ run as they are written; every other example has a test that runs it.

A page's examples run in order and share their names. What a page assumes, such as a board or a file, is
given by a function here; text that must differ in a test is replaced, and must be found. An example that
cannot run has a comment before it: `<!-- not run: REASON -->`.
"""

import contextlib
import functools
import io
import os
import pathlib
import re
import shutil

import numpy as np
import pytest

import test_onnx as onnx
from lathe import auto_scheduler, autotvm, rpc

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md"] + sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+) *\n(?P<code>.*?)^ *```$", re.M | re.S)
NOT_RUN = re.compile(r"<!-- not run: [^>]+-->\s*\Z")
# Fewer trials, smaller tensors, this machine instead of a board.
REPLACED = {
    "docs/guides/remote.md": [("llvm -mtriple=aarch64-linux-gnu", "llvm"), ("127.0.0.1\", 9090", "127.0.0.1\", {server}"),
                              ("10.0.0.7\", 9190", "127.0.0.1\", {tracker}"), ("10.0.0.7\", 9090", "127.0.0.1\", {proxy}")],
    "docs/guides/tuning.md": [("512", "32"), ("n_trial=32", "n_trial=2"), ("num_measure_trials=64", "num_measure_trials=2"),
                              ("32 * len(tasks)", "len(tasks)"), ("number=5, repeat=3", "number=1, repeat=1")],
    "docs/tflite.md": [("input_1", "x"), ("49, 10, 1", "4, 4, 1")],
    "docs/tensorflow.md": [("224, 224, 3", "4, 4, 1"), ("Identity", "y")],
}


@contextlib.contextmanager
def boards():
    """A server, a tracker that lends one, and a proxy with a device."""
    with rpc.Server("127.0.0.1") as server, rpc.Tracker("127.0.0.1") as tracker, rpc.Proxy("127.0.0.1", 0) as proxy, \
            rpc.Server("127.0.0.1", key="rk3399", tracker_addr=("127.0.0.1", tracker.port)), \
            rpc.Server("127.0.0.1", proxy.port, is_proxy=True, key="android"):
        yield {"server": server.port, "tracker": tracker.port, "proxy": proxy.port}


@contextlib.contextmanager
def scaled_model():
    """A model with an operator that ONNX does not have."""
    nodes = [onnx.node("Scale", ["x"], ["y"], onnx.attribute("factor", 3.0), domain="com.example")]
    pathlib.Path("model.onnx").write_bytes(onnx.model(nodes, [onnx.value("x", [4])], ["y"]))
    yield {}


def small(kind, name):
    """A function that gives a model of the importers' tests, under the page's name."""
    @contextlib.contextmanager
    def given():
        model = ROOT / "examples" / "python" / f"small.{kind}"
        if not model.is_file():
            pytest.skip(f"there is no model: bazel build //examples/python:small.{kind} makes it")
        shutil.copy(model, name)
        yield {}
    return given


GIVEN = {"docs/guides/remote.md": boards, "docs/onnx.md": scaled_model, "docs/tflite.md": small("tflite", "keywords.tflite"),
         "docs/tensorflow.md": small("pb", "frozen_graph.pb")}


def examples(page):
    """Returns [(line, code)] of a page's Python that runs, and the lines of what does not run."""
    text = (ROOT / page).read_text()
    found, left_out = [], []
    for match in FENCE.finditer(text):
        if match["language"] != "python":
            continue
        line = text[:match.start()].count("\n") + 2
        code = re.sub(f"^{match['indent']}", "", match["code"], flags=re.M)
        (left_out if NOT_RUN.search(text[:match.start()]) else found).append((line, code))
    return found, left_out


def run(page, codes):
    """Runs the examples of a page. Returns their names, and what they print."""
    printed, names, replaced = io.StringIO(), {"__name__": "__main__"}, set()
    with GIVEN.get(page, contextlib.nullcontext)() as given, contextlib.redirect_stdout(printed):
        for line, code in codes:
            for old, new in REPLACED.get(page, []):
                if old in code:
                    replaced.add(old)
                    code = code.replace(old, new.format(**given) if given else new)
            # Lines of errors are those of the page.
            exec(compile("\n" * (line - 1) + code, str(ROOT / page), "exec"), names)
    assert replaced == {old for old, _ in REPLACED.get(page, [])}, "the page no longer has what is replaced"
    return names, printed.getvalue()


@pytest.mark.parametrize("page", [page for page in PAGES if examples(page)[0]])
def test_examples(page, tmp_path, monkeypatch):
    # As in test_docs.py: a sanitizer's runtime that is preloaded for Python must not be loaded into
    # the code generator's process.
    if "LD_PRELOAD" in os.environ:
        for builder in (autotvm.LocalBuilder, auto_scheduler.LocalBuilder):
            monkeypatch.setattr(builder, "__init__", functools.partialmethod(builder.__init__, isolate=False))
    monkeypatch.chdir(tmp_path)
    run(page, examples(page)[0])


def test_the_front_page_shows_what_it_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed = run("README.md", examples("README.md")[0])
    np.testing.assert_allclose(names["c"], names["a"] + names["b"])
    loops = re.search(r"^    func .*?^    }$", (ROOT / "README.md").read_text(), re.M | re.S)[0]
    assert re.sub("^    ", "", loops, flags=re.M) in printed
    assert (tmp_path / "vector_add.so").is_file()


def test_what_does_not_run_is_little():
    left_out = [f"{page}:{line}" for page in PAGES for line, _ in examples(page)[1]]
    assert len(left_out) <= 4, left_out


def test_examples_in_other_languages_have_a_test():
    # //tests/pages:examples_test runs what its source names.
    source = (ROOT / "tests" / "pages" / "examples.cc.in").read_text()
    named = {(page, int(number)) for page, number in re.findall(r"^@(\S+) (\d+)@$", source, re.M)}
    without, left_out = [], []
    for page in PAGES:
        # Declarations out of headers (//tools:primitive_pages_test), and the programs of //java/tests:guide_test.
        if page.startswith("docs/primitives/") or page == "docs/guides/java.md":
            continue
        text, count = (ROOT / page).read_text(), 0
        for match in FENCE.finditer(text):
            count += match["language"] == "cpp"
            place = f"{page}:{text[:match.start()].count(chr(10)) + 1}"
            if NOT_RUN.search(text[:match.start()]):
                left_out.append(place)
            elif match["language"] != "python" and (match["language"] != "cpp" or (page, count) not in named):
                without.append(place)
    assert not without
    assert len(left_out) <= 12, left_out
