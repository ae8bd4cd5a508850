"""Processes that are forked after lathe was used must build and run like their parent."""

import os
import subprocess
import sys

BEGINNING = f"""
import multiprocessing, os, sys
sys.path[:0] = {[p for p in sys.path if p]!r}
import numpy as np
import lathe
from lathe import te

def build_and_run(addend):
    A = te.placeholder((1000,), name="A")
    B = te.compute((1000,), lambda i: A[i] * 3.0 + float(addend), name="B")
    s = te.create_schedule(B.op)
    s[B].parallel(B.op.axis[0])
    f = lathe.build(s, [A, B], "llvm")
    out = np.zeros(1000, "float32")
    f(np.arange(1000, dtype="float32"), out)
    return float(out.sum())

def wanted(addend):
    return 3.0 * 499500 + addend * 1000
"""

POOL = BEGINNING + """
# LLVM and the pool of threads are in use before the fork.
assert build_and_run(1) == wanted(1)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(build_and_run, range(2, 8)) == [wanted(k) for k in range(2, 8)])
assert build_and_run(9) == wanted(9)
"""

# Children of children.
NESTED = BEGINNING + """
assert build_and_run(1) == wanted(1)
if os.fork() == 0:
    assert build_and_run(2) == wanted(2)
    if os.fork() == 0:
        assert build_and_run(3) == wanted(3)
        os._exit(0)
    _, status = os.wait()
    os._exit(os.waitstatus_to_exitcode(status))
_, status = os.wait()
print(os.waitstatus_to_exitcode(status) == 0)
"""

def run(code):
    done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", code], text=True, timeout=250,
                          capture_output=True, check=False,
                          env=dict(os.environ, LATHE_CACHE="0", LATHE_NUM_THREADS="2"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_a_pool_of_forked_processes_builds_and_runs():
    run(POOL)


def test_children_of_children_build_and_run():
    run(NESTED)
