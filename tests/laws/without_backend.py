#!/usr/bin/env python3
"""Takes a backend out of a copy of the tree: nothing may break but its own tests.

usage: tests/laws/without_backend.py [--all-tests] [NAME...]
example: tests/laws/without_backend.py opencl

For each folder of backends/ (or those named): copies the tree, removes backends/NAME, tests/NAME and bench/NAME, and edits one
file, the list of default plugins. Then Bazel must load and analyse all that is left, and the tests of SHORT must pass
(--all-tests: all of them), but for those that are NAME's own (docs/design/backends.md). Prints `PASSED without NAME: ...` or
`FAILED without NAME: ...` for each. Uses this tree's output base, where what did not change is not built again.
BAZEL names the Bazel to ask.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BAZEL = shlex.split(os.environ.get("BAZEL", "bazel"))
LIST = pathlib.Path("plugins", "BUILD.bazel")

# From schedules to calls, and what knows of plugins.
SHORT = ["//driver/...", "//plugins/...", "//runtime/plugin_loader/...", "//tests/device/...", "//tools/lathe/...",
         "//tools/plugin_test/..."]
# Beside tests/NAME: what asks for NAME's target. Whoever calls compiled code on a CPU asks for llvm: those are all tests that
# find the default plugins.
OWN = {
    "cuda": "//examples/python:lesson_08_gpu",
    "llvm": "rdeps(//..., //plugins:default_plugins)",
    "opencl": "//python/tests:opencl_test",
}


def bazel(verb, copy, *args):
    """Exit code and standard output of Bazel in this workspace, over the copy's packages."""
    done = subprocess.run([*BAZEL, verb, f"--package_path={copy}", "--noshow_progress", *args], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE)
    return done.returncode, done.stdout


def copy_without(name, to):
    """Writes the tree to `to`, without the backend. Returns what is wrong, or None."""
    files = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    gone = tuple(f"{room}/{name}/" for room in ("backends", "bench", "tests"))
    for file in filter(None, files.split("\0")):
        if os.path.lexists(ROOT / file) and not file.startswith(gone):
            (to / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, to / file, follow_symlinks=False)
    lines = (to / LIST).read_text().splitlines(keepends=True)
    left = [line for line in lines if f'"//backends/{name}:' not in line]
    (to / LIST).write_text("".join(left))
    return None if len(left) == len(lines) - 1 else f"{LIST} names it {len(lines) - len(left)} times"


def check(name, all_tests):
    """Returns (what holds, or what is wrong; whether it holds)."""
    with tempfile.TemporaryDirectory(prefix="lathe-without-") as folder:
        copy = pathlib.Path(folder)
        problem = copy_without(name, copy)
        if problem:
            return problem, False
        if bazel("build", copy, "--config=ci", "--nobuild", "//...")[0] != 0:
            return "analysis of //... fails", False
        tests = "//..." if all_tests else " + ".join(SHORT)
        code, labels = bazel("query", copy, f"tests({tests}) except ({OWN.get(name, 'set()')})")
        labels = labels.split()
        if code != 0 or not labels:
            return "no tests are left", False
        wanted = copy / "tests.txt"
        wanted.write_text("\n".join(labels) + "\n")
        code, out = bazel("test", copy, "--config=ci", f"--target_pattern_file={wanted}")
        if code != 0:
            return f"of {len(labels)} tests\n{out}", False
        return f"//... is analysed, {len(labels)} tests pass", True


def main():
    names = [arg for arg in sys.argv[1:] if not arg.startswith("-")]
    options = [arg for arg in sys.argv[1:] if arg.startswith("-")]
    known = sorted(path.name for path in (ROOT / "backends").iterdir() if path.is_dir())
    if set(options) - {"--all-tests"} or set(names) - set(known):
        print(__doc__.strip())
        return 0 if options in (["--help"], ["-h"]) else 2
    failed = False
    for name in names or known:
        what, holds = check(name, "--all-tests" in options)
        print(f"{'PASSED' if holds else 'FAILED'} without {name}: {what}", flush=True)
        failed |= not holds
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
