#!/usr/bin/env python3
"""Takes a backend out of the tree, as Bazel sees it: only its own tests may break.

usage: tests/laws/without_backend.py [--only-analysis | --all-tests] [NAME...]
example: tests/laws/without_backend.py opencl

For each folder of backends/ (or those named): removes the packages backends/NAME, tests/NAME and
bench/NAME (--deleted_packages), and the backend's line in the list of default plugins. Bazel must
load and analyse all that is left. The tests of SHORT must pass, except for NAME's own
(docs/design/backends.md). With --all-tests, all tests must pass; with --only-analysis, none is run.
Prints `PASSED without NAME: ...` or `FAILED without NAME: ...` for each. Nothing in the tree
changes. BAZEL names the Bazel to ask.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BAZEL = shlex.split(os.environ.get("BAZEL", "bazel"))
LIST = pathlib.Path("plugins", "BUILD.bazel")

# All packages from schedules to calls, and those that know about plugins.
SHORT = ["//driver/...", "//plugins/...", "//runtime/plugin_loader/...", "//tests/device/...", "//tools/lathe/...",
         "//tools/plugin_test/..."]
# Tests outside of tests/NAME that ask for NAME's target. A call of compiled code on a CPU asks for
# llvm: those are all tests that find the default plugins.
OWN = {
    "cuda": "//examples/python:lesson_08_gpu",
    "llvm": "rdeps(//..., //plugins:default_plugins)",
    "opencl": "//python/tests:opencl_test",
}


def bazel(verb, view, *args):
    """Returns Bazel's exit code and standard output in this workspace, seen through `view`."""
    done = subprocess.run([*BAZEL, verb, *view, "--noshow_progress", *args], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    return done.returncode, done.stdout


def packages_of(name):
    """Returns the folders with BUILD files that belong to the backend."""
    return sorted(str(path.parent.relative_to(ROOT)) for room in ("backends", "bench", "tests")
                  for path in (ROOT / room / name).rglob("BUILD.bazel"))


def write_list_without(name, to):
    """Writes the list of default plugins without `name` to `to`. Returns what is wrong, or None."""
    lines = (ROOT / LIST).read_text().splitlines(keepends=True)
    left = [line for line in lines if f'"//backends/{name}:' not in line]
    (to / LIST).parent.mkdir()
    (to / LIST).write_text("".join(left))
    return None if len(left) == len(lines) - 1 else f"{LIST} names it {len(lines) - len(left)} times"


def check(name, only_analysis, all_tests):
    """Returns (what holds, or what is wrong; whether it holds)."""
    with tempfile.TemporaryDirectory(prefix="lathe-without-") as folder:
        problem = write_list_without(name, pathlib.Path(folder))
        if problem:
            return problem, False
        view = [f"--package_path={folder}:%workspace%", "--deleted_packages=" + ",".join(packages_of(name))]
        if bazel("build", view, "--config=ci", "--nobuild", "//...")[0] != 0:
            return "analysis of //... fails", False
        if only_analysis:
            return "//... is analysed", True
        tests = "//..." if all_tests else " + ".join(SHORT)
        # Googletest refers to a repository that this workspace lacks, so Bazel exits with 3,
        # "partial".
        code, labels = bazel("query", view, "--keep_going", f"tests({tests}) except ({OWN.get(name, 'set()')})")
        labels = labels.split()
        if code not in (0, 3) or not labels:
            return "no tests are left", False
        wanted = pathlib.Path(folder) / "tests.txt"
        wanted.write_text("\n".join(labels) + "\n")
        code, out = bazel("test", view, "--config=ci", f"--target_pattern_file={wanted}")
        if code != 0:
            return f"of {len(labels)} tests\n{out}", False
        return f"//... is analysed, {len(labels)} tests pass", True


def main():
    names = [arg for arg in sys.argv[1:] if not arg.startswith("-")]
    options = [arg for arg in sys.argv[1:] if arg.startswith("-")]
    known = sorted(path.name for path in (ROOT / "backends").iterdir() if path.is_dir())
    if set(options) - {"--all-tests", "--only-analysis"} or set(names) - set(known):
        print(__doc__.strip())
        return 0 if options in (["--help"], ["-h"]) else 2
    failed = False
    for name in names or known:
        what, holds = check(name, "--only-analysis" in options, "--all-tests" in options)
        print(f"{'PASSED' if holds else 'FAILED'} without {name}: {what}", flush=True)
        failed |= not holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
