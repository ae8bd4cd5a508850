"""The cost of calls from Python, in ns more than an empty statement: `bazel run //bench/python`.

References are measured in the same run: an empty Python function, a bare function of C, nanobind's plain call, tvm-ffi,
and reading one array through Python's own buffer protocol (`memoryview`). Goals are for an idle machine. PyTorch's
rows: `tools/try_pytorch --bench`.
"""

import gc
import importlib.util
import sys
import timeit

import numpy as np

import lathe
from lathe import te

# The minimum of many short measurements: on machines in use, all long ones are disturbed.
REPEAT, NUMBER = 1500, 1000


def cost(statement, names, number=NUMBER):
    """Minimum time of one execution, in ns."""
    gc.disable()
    repeat = max(15, REPEAT * NUMBER // number // 100) if number < NUMBER else REPEAT
    best = min(timeit.repeat(statement, globals=names, number=number, repeat=repeat))
    gc.enable()
    return best / number * 1e9


def kernel():
    A, B, C = (te.placeholder((4,), name=n) for n in "ABC")
    D = te.compute((4,), lambda i: A[i] + B[i], name="D")
    return lathe.build(te.create_schedule(D.op), [A, B, D], "llvm")


def stages(n):
    t = te.placeholder((64, 64), name="A")
    for i in range(n):
        t = te.compute((64, 64), lambda y, x: t[y, x] + 1.0, name=f"t{i}")
    s = te.create_schedule(t.op)
    for stage in s.stages[1:]:
        yo, yi = stage.split(stage.op.axis[0], factor=8)
        xo, xi = stage.split(stage.op.axis[1], factor=8)
        stage.reorder(yo, xo, yi, xi)
        stage.vectorize(xi)
    return s


def main():
    a = lathe.nd.empty((4,))
    m = kernel()
    k, kept = m.entry_func, kernel().entry_func
    kept.release_gil = False
    A, B = te.placeholder((64, 64), name="A"), te.placeholder((64, 64), name="B")
    r = te.reduce_axis((0, 64), name="r")
    names = {
        "nop": lathe._core.get("testing.nop"), "nop_gil": lathe._core.get("testing.nop", True),
        "a": a, "x": np.zeros(4, "float32"), "m": m, "k": k, "kept": kept, "empty": lambda: None, "te": te, "A": A,
        "B": B, "r": r, "stages": stages,
    }
    references = [
        ("reference: an empty Python function", "empty()", None, 1),
        ("reference: len of a list", "len([])", None, 1),
        ("reference: memoryview of a NumPy array", "memoryview(x)", None, 1),
    ]
    # Extensions of the pinned CPython; nanobind's works with no other.
    if sys.version_info[:2] == (3, 11):
        import bare_call
        import nanobind_call

        thing = nanobind_call.Thing()
        names.update(bare=bare_call.nop, nb=nanobind_call.nop, thing=thing)
        references += [("reference: a bare function of C, three objects", "bare(thing, thing, thing)", None, 1),
                       ("reference: nanobind, three objects", "nb(thing, thing, thing)", None, 1)]
    else:
        print("without nanobind: its reference is made for CPython 3.11")
    if importlib.util.find_spec("tvm_ffi") is not None:
        import tvm_ffi

        names.update(ffi=tvm_ffi.get_global_func("testing.nop"), ft=tvm_ffi.from_dlpack(names["x"]))
        references += [("reference: tvm-ffi, three of its tensors", "ffi(ft, ft, ft)", None, 1),
                       ("reference: tvm-ffi, three NumPy arrays", "ffi(x, x, x)", None, 1)]
    base = cost("pass", names)
    rows = references + [
        ("packed function, no arguments", "nop()", None, 1),
        ("... two ints", "nop(1, 2)", None, 1),
        ("... three Tensors", "nop(a, a, a)", 60, 1),
        ("... three Tensors, GIL released", "nop_gil(a, a, a)", None, 1),
        ("... three NumPy arrays", "nop(x, x, x)", 250, 1),
        ("compiled function, three Tensors", "k(a, a, a)", None, 1),
        ("... by its module: at most 20 more", "m(a, a, a)", None, 1),
        ("... GIL kept", "kept(a, a, a)", None, 1),
        ("... three NumPy arrays", "k(x, x, x)", None, 1),
    ]
    if importlib.util.find_spec("torch") is not None:
        import torch

        names["t"] = torch.zeros(4)
        rows.append(("... three PyTorch tensors", "nop(t, t, t)", 200, 1))
        if "ffi" in names:
            rows.append(("reference: tvm-ffi, three PyTorch tensors", "ffi(t, t, t)", None, 1))
    for what, statement, goal, _ in rows:
        spent = cost(statement, names) - base
        print(f"{what:<50}{spent:9.1f} ns" + (f"   goal {goal}" if goal else ""))
    compute = "te.compute((64, 64), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name='C')"
    print(f"{'te.compute of a matrix product':<50}{cost(compute, names, 1000) / 1e3:9.1f} us   goal 30")
    print(f"{'a schedule of 30 stages, 120 primitives':<50}{cost('stages(30)', names, 10) / 1e6:9.2f} ms   goal 3")


if __name__ == "__main__":
    main()
