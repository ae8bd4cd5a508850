"""Fails allocations of the extension module (runner.h), in programs written in Python.

The interpreter runs with libpython_faults.so preloaded, on one thread.

usage: python_faults.py [--seconds=N] [--parts=N] [--only=PART OF A NAME] [--at=NUMBER]
    as those of heap_faults.cc
"""

import argparse
import ctypes
import os
import sys
import tempfile

import numpy as np

import lathe
from lathe import te, topi

ROWS, COLUMNS = 12, 16
WELL, LATHE_ERROR, MEMORY_ERROR = 1, 2, 3  # python_faults.cc: PythonEnding
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


def layer():
    n = te.size_var("n")
    A, B = te.placeholder((n, COLUMNS), name="A"), te.placeholder((COLUMNS, COLUMNS), name="B")
    k = te.reduce_axis((0, COLUMNS), name="k")
    P = te.compute((n, COLUMNS), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="P")
    C = te.compute((n, COLUMNS), lambda i, j: te.max(P[i, j], 0.0), name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=4)
    s[P].compute_at(s[C], inner)
    s[C].vectorize(s[C].split(C.op.axis[1], factor=8)[1])
    s[C].parallel(outer)
    return s, [A, B, C]


def softmax():
    X = te.placeholder((ROWS, COLUMNS), name="X")
    Y = topi.nn.softmax(X)
    return lathe.default_schedule(Y), [X, Y]


def best():
    X = te.placeholder((ROWS, COLUMNS), name="X")
    k = te.reduce_axis((0, COLUMNS), name="k")
    B = te.compute((ROWS,), lambda i: te.max(X[i, k], axis=k), name="B")
    return te.create_schedule(B.op), [X, B]


def arguments(args):
    """New arrays: the inputs filled, the output zero."""
    arrays = []
    for tensor in args:
        shape = [ROWS if isinstance(e, lathe.tir.Var) else int(e) for e in tensor.shape]
        arrays.append(np.zeros(shape, "float32"))
    for array in arrays[:-1]:
        array.flat = np.arange(array.size) ** 2 % 23 / 4 - 2
    return arrays


def programs_of(make, folder):
    """(name, function) of each program; the function returns what is wrong, or ""."""
    name = make.__name__
    s, args = make()
    module = lathe.build(s, args, "llvm", name="f")
    given = arguments(args)
    text = str(lathe.lower(s, args, name="f"))
    module(*given)
    answer = given[-1].tobytes()
    file = os.path.join(folder, name)
    for suffix in (".o", ".tar", ".so"):
        module.export_library(file + suffix)

    def wrong(function):
        given[-1][...] = 0
        function(*given)
        return "" if given[-1].tobytes() == answer else "another result than without failures"

    def lower():
        again = str(lathe.lower(*make(), name="f"))
        return "" if again == text else "another text than without failures"

    def build():
        return wrong(lathe.build(*make(), "llvm", name="f"))

    def run():
        problem = wrong(module["f"])
        try:
            module["f"](1)
        except TypeError:  # the error needs memory itself
            return problem
        except lathe.LatheError as error:
            if error.name == "out-of-memory":
                raise
            return problem if error.name == "call-argument-count" else "found " + error.name
        return "a call with too few arguments went well"

    def tensors():
        arrays = [lathe.array(array) for array in given]
        module(*arrays)
        if arrays[-1].numpy().tobytes() != answer:
            return "another result than without failures"
        first = arrays[0]
        views = [np.asarray(first), np.from_dlpack(first), np.asarray(memoryview(first)),
                 lathe.from_dlpack(given[0]).numpy(), first[1:].numpy()]
        if any(view.dtype != "float32" or view.shape[1:] != given[0].shape[1:] for view in views):
            return "another shape or type"
        return "" if "float32" in f"{first} {first.shape} {first.dtype} {first.device}" else "no text"

    def export():
        for suffix in (".o", ".tar", ".so"):
            module.export_library(file + "-again" + suffix)
        return ""

    def load():
        for suffix in (".o", ".tar", ".so"):
            problem = wrong(lathe.load_module(file + suffix))
            if problem:
                return f"{suffix}: {problem}"
        return ""

    def call_back():
        seen = []

        def body(tensor, number):
            seen.append(np.asarray(tensor).sum())
            if number == 0:
                raise ValueError("refused")
            return [number, "text", tensor]

        function = lathe.runtime.convert_to_function(body)
        if function(given[0], 5)[0] != 5:
            return "a callback returned something else"
        try:
            function(given[0], 0)
        except ValueError as error:
            return "" if len(seen) == 2 and str(error) == "refused" else "called otherwise"
        return "a callback did not raise"

    for program in (lower, build, run, tensors, export, load, call_back):
        yield f"{name}: {program.__name__}", program


def as_c(function):
    """The function as python_faults.cc calls it: never raises."""

    def call(text):
        try:
            said, ending = function(), WELL
        except MemoryError:
            return MEMORY_ERROR
        except lathe.LatheError as error:
            said, ending = error.name, LATHE_ERROR
        said = said.encode()[:400] + b"\0"
        ctypes.memmove(text, said, len(said))
        return ending

    return FUNCTION(call)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--parts", type=float, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--at", type=int, default=0)
    options = parser.parse_args()
    lathe.runtime.set_num_threads(1)
    preloaded = ctypes.PyDLL(None)
    preloaded.lathe_fail_allocations.argtypes = [
        ctypes.c_int, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(FUNCTION), ctypes.c_double,
        ctypes.c_double, ctypes.c_uint64]
    with tempfile.TemporaryDirectory(prefix="lathe-faults-") as folder:
        programs = [program for make in (layer, softmax, best)
                    for program in programs_of(make, folder) if options.only in program[0]]
        names = (ctypes.c_char_p * len(programs))(*[name.encode() for name, _ in programs])
        functions = (FUNCTION * len(programs))(*[as_c(program) for _, program in programs])
        well = preloaded.lathe_fail_allocations(len(programs), names, functions, options.seconds,
                                                options.parts, options.at)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
