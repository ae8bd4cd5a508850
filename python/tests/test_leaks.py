"""10,000 calls must leave no memory and no references behind."""

import gc
import resource
import sys

import numpy as np

import lathe
import lathe.codegen
from lathe import te


def memory():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def grows_by(action, rounds=10000):
    for _ in range(rounds // 5):
        action()
    gc.collect()
    before = memory()
    for _ in range(rounds):
        action()
    gc.collect()
    return memory() - before


def build():
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    return lathe.build(te.create_schedule(B.op), [A, B], "llvm")


LIMIT = 600 << 10  # an allocator's slack, far below one small object for each call


def test_calls():
    f = build().entry_func
    a, b = np.zeros(16, "float32"), np.zeros(16, "float32")
    t = lathe.nd.array(a)
    counts = [sys.getrefcount(x) for x in (a, b, t)]
    assert grows_by(lambda: f(a, b)) < LIMIT
    assert grows_by(lambda: f(t, b)) < LIMIT
    assert [sys.getrefcount(x) for x in (a, b, t)] == counts


def test_tensors():
    a = np.zeros((16, 16), "float32")
    assert grows_by(lambda: lathe.from_dlpack(a)[3].numpy()) < LIMIT
    t = lathe.nd.array(a)
    assert grows_by(lambda: np.from_dlpack(t)) < LIMIT
    assert grows_by(lambda: np.asarray(t)) < LIMIT
    assert grows_by(lambda: lathe.nd.empty((8, 8)).copyfrom(np.zeros((8, 8), "float32"))) < LIMIT


def test_errors():
    def fail():
        raise ValueError("x")

    f = lathe.runtime.convert_to_function(fail)
    g = build().entry_func
    wrong = np.zeros(3, "float64")

    def both():
        try:
            f()
        except ValueError:
            pass
        try:
            g(wrong, wrong)
        except lathe.LatheError:
            pass

    assert grows_by(both) < LIMIT


def test_values():
    echo = lathe.get_global_func("testing.echo")
    item = [1, "text", b"bytes", 2.5, (None, True), {"a": np.zeros(3)}]
    assert grows_by(lambda: echo(item)) < LIMIT
    assert grows_by(lambda: lathe.runtime.convert_to_function(lambda x: x)(5)) < LIMIT


def test_programs():
    def make():
        A = te.placeholder((16,), name="A")
        B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
        s = te.create_schedule(B.op)
        s[B].split(B.op.axis[0], factor=4)
        return lathe.lower(s, [A, B])

    assert grows_by(make, 1000) < LIMIT


def test_read_only_arguments_are_given_back():
    f = build().entry_func
    a = np.zeros(16, "float32")
    a.flags.writeable = False
    locked, count = lathe.from_dlpack(a), sys.getrefcount(a)

    def refused():
        for out in (a, locked):
            try:
                f(a, out)
            except lathe.LatheError:
                pass

    assert grows_by(refused, 5000) < LIMIT
    assert sys.getrefcount(a) == count


class Texts(lathe.codegen.CodeGenerator):
    kind = "leaks"
    stage = "tile"

    def compile(self, module, target, output, constants, options):
        return str(module)

    def load(self, data):
        return {"main": lambda *args: len(data)}


def test_code_generators_in_python():
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    lathe.codegen.register(Texts)
    a = np.zeros(16, "float32")

    def compile_and_call():
        lathe.build(s, [A, B], "leaks")(a, a)

    assert grows_by(compile_and_call, 1000) < LIMIT
    assert grows_by(lambda: lathe.codegen.register(Texts), 1000) < LIMIT


def test_bisecting():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    values = [np.zeros(4, "float32"), np.zeros(4, "float32")]
    assert grows_by(lambda: lathe.bisect(s, [A, B], values, run_code=False), 250) < LIMIT


def test_compiled_modules_are_unloaded():
    # Code is mapped memory, a few kilobytes for each build if it were not released.
    assert grows_by(lambda: build()(np.zeros(16, "float32"), np.zeros(16, "float32")), 100) < LIMIT


def test_errors_with_places():
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)

    def fail():
        try:
            lathe.lower(s, [A])
        except lathe.LatheError:
            pass

    assert grows_by(fail, 1000) < LIMIT


def test_analysis():
    A = te.placeholder((16,), name="A")
    B = te.compute((16,), lambda i: A[i] + 1.0, name="B")
    func = lathe.lower(te.create_schedule(B.op), [A, B])["main"]
    ask = lathe.tir.analysis

    def all_of_them():
        ask.verify_ssa(func), ask.verify_memory(func), ask.calculate_workspace_bytes(func)
        ask.detect_buffer_access_lca(func), lathe.tir.stmt_functor.renew_defs(func)

    assert grows_by(all_of_them, 2000) < LIMIT
