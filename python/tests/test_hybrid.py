"""Hybrid script and the statement builder."""

import numpy as np
import pytest

import lathe
from lathe import te, tir
from lathe.te import hybrid

SCALE = 3


def run(outputs, args, *arrays):
    f = lathe.build(te.create_schedule(outputs[0].op), args, "llvm")
    f(*arrays)
    return arrays[-1]


def test_outer_product():
    @hybrid.script
    def outer(a, b):
        c = output_tensor((a.shape[0], b.shape[0]), a.dtype)  # noqa: F821
        for i in range(a.shape[0]):
            for j in range(b.shape[0]):
                c[i, j] = a[i] * b[j] * SCALE
        return c

    A, B = te.placeholder((5,), name="A"), te.placeholder((7,), name="B")
    C = outer(A, B)
    a, b = np.random.rand(5).astype("float32"), np.random.rand(7).astype("float32")
    c = run([C], [A, B, C], a, b, np.zeros((5, 7), "float32"))
    np.testing.assert_allclose(c, np.outer(a, b) * 3, rtol=1e-6)


def test_control_flow_and_local_values():
    @hybrid.script
    def collatz(a):
        """How many steps a number takes to 1."""
        steps = output_tensor(a.shape, "int32")  # noqa: F821
        for i in range(a.shape[0]):
            x = a[i]
            n = 0
            while x != 1:
                if x % 2 == 0:
                    x = x // 2
                else:
                    x = 3 * x + 1
                n += 1
            steps[i] = n
        return steps

    A = te.placeholder((10,), name="A", dtype="int32")
    S = collatz(A)
    got = run([S], [A, S], np.arange(1, 11, dtype="int32"), np.zeros(10, "int32"))
    assert got.tolist() == [0, 1, 7, 2, 5, 8, 16, 3, 19, 6]


def test_memory_of_its_own_math_and_several_outputs():
    @hybrid.script
    def softmax(a):
        out = output_tensor(a.shape, a.dtype)  # noqa: F821
        total = output_tensor((a.shape[0],), a.dtype)  # noqa: F821
        for i in parallel(a.shape[0]):  # noqa: F821
            row = allocate((a.shape[1],), a.dtype)  # noqa: F821
            most = a[i, 0]
            for j in range(1, a.shape[1]):
                most = max(most, a[i, j])
            s = float32(0)  # noqa: F821
            for j in range(a.shape[1]):
                row[j] = exp(a[i, j] - most)  # noqa: F821
                s += row[j]
            for j in range(a.shape[1]):
                out[i, j] = row[j] / s if s > 0.0 and not s < 0.0 else 0.0
            total[i] = s
        return out, total

    A = te.placeholder((4, 6), name="A")
    out, total = softmax(A)
    a = np.random.rand(4, 6).astype("float32")
    f = lathe.build(te.create_schedule(out.op), [A, out, total], "llvm")
    o, t = np.zeros((4, 6), "float32"), np.zeros(4, "float32")
    f(a, o, t)
    e = np.exp(a - a.max(axis=1, keepdims=True))
    np.testing.assert_allclose(o, e / e.sum(axis=1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(t, e.sum(axis=1), rtol=1e-5)


def test_hybrid_with_other_stages():
    @hybrid.script
    def reverse(a):
        b = output_tensor(a.shape, a.dtype)  # noqa: F821
        for i in range(a.shape[0]):
            b[i] = a[a.shape[0] - 1 - i]
        return b

    A = te.placeholder((8,), name="A")
    B = reverse(te.compute((8,), lambda i: A[i] + 1.0, name="T"))
    C = te.compute((8,), lambda i: B[i] * 2.0, name="C")
    a = np.random.rand(8).astype("float32")
    np.testing.assert_allclose(run([C], [A, C], a, np.zeros(8, "float32")), (a[::-1] + 1) * 2)


def test_what_the_language_does_not_have():
    @hybrid.script
    def bad(a):
        b = output_tensor(a.shape, a.dtype)  # noqa: F821
        with open("x"):
            b[0] = a[0]
        return b

    @hybrid.script
    def writes_input(a):
        b = output_tensor(a.shape, a.dtype)  # noqa: F821
        a[0] = b[0]
        return b

    @hybrid.script
    def unknown(a):
        b = output_tensor(a.shape, a.dtype)  # noqa: F821
        b[0] = nowhere  # noqa: F821
        return b

    @hybrid.script
    def nothing(a):
        a[0] + 1

    A = te.placeholder((4,), name="A")
    for function, text in ((bad, "with open"), (writes_input, "a[0] = b[0]"),
                           (unknown, "b[0] = nowhere"), (nothing, "")):
        with pytest.raises(hybrid.HybridError) as caught:
            function(A)
        assert caught.value.name == "hybrid-script"
        assert text in str(caught.value) and "test_hybrid.py" in str(caught.value)
    with pytest.raises(hybrid.HybridError) as caught:
        bad(A, A)
    assert caught.value.name == "hybrid-arguments"


def test_ir_builder():
    n = te.size_var("n")
    A = tir.decl_buffer((n,), "float32", "A")
    B = tir.decl_buffer((n,), "float32", "B")
    ib = tir.ir_builder.create()
    a, b = ib.buffer_ptr(A), ib.buffer_ptr(B)
    with ib.for_range(0, n, name="i") as i:
        twice = ib.allocate("float32", 1, name="twice", scope="local")
        twice[0] = a[i] * 2.0
        with ib.if_scope(i % 2 == 0):
            b[i] = twice[0]
        with ib.else_scope():
            b[i] = twice[0] + 1.0
    func = tir.Func("alternate", [A, B], ib.get()).with_attr("is_entry", True)
    x, y = np.arange(6, dtype="float32"), np.zeros(6, "float32")
    lathe.build(lathe.ir.Module([func]), target="llvm")(x, y)
    assert y.tolist() == [0, 3, 4, 7, 8, 11]
    with pytest.raises(lathe.LatheError, match="builder-else"):
        tir.ir_builder.create().else_scope()
    with pytest.raises(lathe.LatheError, match="buffer-rank"):
        a[0, 0]


def test_ir_builder_takes_one_index_for_all_dimensions():
    def body(ins, outs):
        ib = tir.ir_builder.create()
        source, target = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, 48) as i:
            target[47 - i] = source[i] + 1.0
        return ib.get()

    A = te.placeholder((2, 3, 1, 2, 4), name="A")
    B = te.extern(A.shape, [A], body, name="B")
    x = np.arange(48, dtype="float32").reshape(2, 3, 1, 2, 4)
    out = run([B], [A, B], x, np.zeros_like(x))
    assert out.ravel().tolist() == [float(n) for n in range(48, 0, -1)]


def test_ir_builder_makes_threads_of_thread_axes():
    def body(ins, outs):
        ib = tir.ir_builder.create()
        block, thread = te.thread_axis("blockIdx.x"), te.thread_axis("threadIdx.x")
        ib.scope_attr(block, "thread_extent", 2)
        ib.scope_attr(thread, "thread_extent", 24)
        place = block.var * 24 + thread
        ib.buffer_ptr(outs[0])[place] = ib.buffer_ptr(ins[0])[place] * 2.0
        return ib.get()

    A = te.placeholder((48,), name="A")
    B = te.extern((48,), [A], body, name="B")
    func = lathe.lower(te.create_schedule(B.op), [A, B])["main"].with_attr("device_type", 2)
    functions = tir.transform.SplitHostDevice()(lathe.ir.Module([func])).functions
    kernels = [one.attrs["launch"].value for one in functions if "launch" in one.attrs]
    assert kernels == ["blockIdx.x threadIdx.x"]
    with pytest.raises(lathe.LatheError, match="builder-thread-axis"):
        tir.ir_builder.create().scope_attr(tir.Var("tx"), "thread_extent", 4)


def test_ir_builder_in_extern():
    def body(ins, outs):
        ib = tir.ir_builder.create()
        source, target = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, 8) as i:
            target[i] = source[7 - i]
        return ib.get()

    A = te.placeholder((8,), name="A")
    B = te.extern((8,), [A], body, name="B")
    out = run([B], [A, B], np.arange(8, dtype="float32"), np.zeros(8, "float32"))
    assert out.tolist() == list(range(8))[::-1]


def test_arrays_are_refused_with_what_to_do():
    @te.hybrid.script
    def double(a):
        out = output_tensor(a.shape, a.dtype)  # noqa: F821
        for i in range(a.shape[0]):
            out[i] = a[i] * 2.0
        return out

    with pytest.raises(te.hybrid.HybridError, match="hybrid-array(.|\\n)*te.placeholder"):
        double(np.zeros(4, "float32"))
