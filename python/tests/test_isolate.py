"""Builds survive if the code generator works in a separate process and ends that process."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import lathe
import lathe.codegen
from lathe import te

# Programs that a shell starts in the background ignore Ctrl-C, and so would their children.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A program with the child's name, in a folder that is searched before the package's. Its behaviour
# stands for failures of the real child.
BEGINNING = f"""
import os, sys
sys.path[:0] = {[p for p in sys.path if p]!r}
import numpy as np
import lathe
from lathe import te

def scaled():
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] * 3.0, name="B")
    return te.create_schedule(B.op), [A, B]

def works(**options):
    f = lathe.build(*scaled(), "llvm", **options)
    out = np.zeros(64, "float32")
    f(np.ones(64, "float32"), out)
    return bool((out == 3).all())
"""


def program():
    A = te.placeholder((64,), name="A")
    B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
    return te.create_schedule(B.op), [A, B]


def start(code, tmp_path, child):
    folder = tmp_path / "plugins"
    folder.mkdir()
    stands_in = folder / "lathe-compile-child"
    stands_in.write_text("#!/bin/sh\n" + child)
    stands_in.chmod(0o755)
    return subprocess.Popen([sys.executable, "-I", "-S", "-B", "-c", BEGINNING + code], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env=dict(os.environ, LATHE_CACHE="0", LATHE_PLUGIN_PATH=str(folder)))


def is_gone(pid):
    for _ in range(500):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_it_makes_the_same(monkeypatch):
    # The runtime of a sanitizer that is preloaded for Python must not be loaded into the child,
    # which has its own.
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    s, args = program()
    there = lathe.driver.compile_to(s, "object", args, isolate=True)
    assert there == lathe.driver.compile_to(s, "object", args)
    f = lathe.build(s, args, "llvm", isolate=True)
    out = np.zeros(64, "float32")
    f(np.ones(64, "float32"), out)
    assert (out == 2).all()
    with lathe.PassContext(isolate=True):
        assert lathe.driver.compile_to(s, "object", args) == there


@pytest.mark.parametrize("child, name, says", [
    ("kill -KILL $$", "out-of-memory", "signal 9"),
    ("echo 'LLVM ERROR: out of memory' >&2; exit 1", "out-of-memory", "LLVM ERROR: out of memory"),
    ("echo lost >&2; kill -SEGV $$", "compile-child-ended", "it wrote: lost"),
])
def test_what_ends_the_child_is_an_error(tmp_path, child, name, says):
    process = start("""
for options in ({"isolate": True}, {"isolate": None}):
    with lathe.PassContext(isolate=True):
        try:
            works(**options)
        except lathe.LatheError as error:
            print(error.name)
            print(error, file=sys.stderr)
print(works(), works(isolate=False))
""", tmp_path, child)
    out, err = process.communicate(timeout=250)
    assert out == f"{name}\n{name}\nTrue True\n", err
    assert says in err


def test_ctrl_c_and_a_time_limit_end_the_child(tmp_path):
    pids = tmp_path / "pids"
    process = start("""
try:
    works(isolate=True, time_limit=2)
except lathe.LatheError as error:
    print(error.name, flush=True)
try:
    works(isolate=True)
except KeyboardInterrupt:
    print("interrupted")
print(works())
""", tmp_path, f"echo $$ >> {pids}\nexec sleep 1000\n")
    assert process.stdout.readline() == "compile-time-limit\n"
    for _ in range(500):
        if len(pids.read_text().split()) == 2:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=250)
    assert out == "interrupted\nTrue\n", err
    first, second = pids.read_text().split()
    assert is_gone(first) and is_gone(second)


def test_a_generator_of_this_process_is_not_elsewhere():
    class Here(lathe.codegen.CodeGenerator):
        kind = "of_this_process"

        def compile(self, module, target, output, constants, options):
            raise AssertionError("is not called")

        def load(self, data):
            raise AssertionError("is not called")

    lathe.codegen.register(Here)

    with pytest.raises(lathe.LatheError) as caught:
        lathe.build(*program(), "of_this_process", isolate=True)
    assert caught.value.name == "compile-isolate-unsupported"
