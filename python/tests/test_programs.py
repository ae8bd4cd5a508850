"""Programs from definition to result, with NumPy as the oracle."""

import numpy as np
import pytest

import lathe
from lathe import te


def run(schedule, args, *arrays, target="llvm", name="main"):
    module = lathe.build(schedule, args, target, name=name)
    module(*arrays)
    return arrays[-1]


def test_vector_add():
    n = 1000
    A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
    C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=64)
    s[C].parallel(outer)
    s[C].vectorize(inner)
    a, b = np.random.rand(n).astype("float32"), np.random.rand(n).astype("float32")
    np.testing.assert_array_equal(run(s, [A, B, C], a, b, np.zeros(n, "float32")), a + b)


def test_matmul_tiled():
    n, m, depth = 37, 29, 53
    A, B = te.placeholder((n, depth), name="A"), te.placeholder((depth, m), name="B")
    k = te.reduce_axis((0, depth), name="k")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    io, jo, ii, ji = s[C].tile(C.op.axis[0], C.op.axis[1], 8, 8)
    ko, ki = s[C].split(s[C].op.reduce_axis[0], factor=4)
    s[C].reorder(io, jo, ko, ii, ki, ji)
    s[C].vectorize(ji)
    s[C].unroll(ki)
    a, b = np.random.rand(n, depth).astype("float32"), np.random.rand(depth, m).astype("float32")
    c = run(s, [A, B, C], a, b, np.zeros((n, m), "float32"))
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_symbolic_shape_binds_at_the_call():
    n = te.var("n")
    A = te.placeholder((n, 4), name="A")
    k = te.reduce_axis((0, 4), name="k")
    B = te.compute((n,), lambda i: te.max(A[i, k], axis=k), name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    for size in (1, 7, 100):
        a, b = np.random.rand(size, 4).astype("float32"), np.zeros(size, "float32")
        f(a, b)
        np.testing.assert_array_equal(b, a.max(axis=1))


def calls_extern(name, target="llvm", **options):
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: lathe.tir.call_pure_extern("float32", name, A[i]), name="Called")
    return lathe.build(te.create_schedule(B.op), [A, B], target, name="caller", **options)


def test_a_function_that_nobody_defines_is_named_with_its_callers():
    with pytest.raises(lathe.LatheError) as raised:
        calls_extern("nobody_has_this")
    text = str(raised.value)
    assert raised.value.name == "artifact-unresolved-symbol" and "nobody defines `nobody_has_this`" in text
    assert "stage `Called` of function `caller` calls `nobody_has_this`" in text
    assert "import_llvm" in text and "ctypes.CDLL(path, ctypes.RTLD_GLOBAL)" in text
    assert "`Called` made at" in text  # the user's line
    A = te.placeholder((4,), name="A")
    C = te.extern((4,), [A], lambda i, o: lathe.tir.call_extern(
        "int32", "nor_this", i[0].access_ptr("r"), o[0].access_ptr("w")), name="Written")
    with pytest.raises(lathe.LatheError, match="stage `Written` of function `main` calls `nor_this`"):
        lathe.build(te.create_schedule(C.op), [A, C], "llvm")


@pytest.mark.parametrize("intrinsic, dtype, args, feature", [
    ("tilezero", "void", [0], "+amx-tile"), ("tdpbusd", "void", [0, 1, 2], "+amx-int8,+amx-tile"),
    ("tdpbf16ps", "void", [0, 1, 2], "+amx-bf16,+amx-tile")])
def test_a_target_without_tiles_names_the_feature(intrinsic, dtype, args, feature):
    call = lathe.tir.Call(dtype, "llvm_intrinsic_with_effects",
                          [lathe.tir.StringImm(f"llvm.x86.{intrinsic}"), *(lathe.tir.const(n, "int8") for n in args)])
    func = lathe.tir.Func("f", [], lathe.tir.Evaluate(call))
    target = "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"
    assert lathe.driver.compile_to(func, "assembly", target=target)
    with pytest.raises(lathe.LatheError) as raised:
        lathe.driver.compile_to(func, "assembly", target=target + " -mattr=-amx-tile")
    assert raised.value.name == "llvm-missing-feature"
    assert f"expected: a processor with `{feature}`" in str(raised.value)
    assert "found: -mcpu=sapphirerapids -mattr=-amx-tile" in str(raised.value)


def test_without_a_schedule():
    n, m, depth = 37, 70, 53
    A, B = te.placeholder((n, depth), name="A"), te.placeholder((depth, m), name="B")
    k = te.reduce_axis((0, depth), name="k")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    D = te.compute((n, m), lambda i, j: C[i, j] * 2.0, name="D")
    a, b = np.random.rand(n, depth).astype("float32"), np.random.rand(depth, m).astype("float32")
    d = np.zeros((n, m), "float32")
    lathe.build([A, B, D])(a, b, d)
    np.testing.assert_allclose(d, a @ b * 2, rtol=1e-5)

    s = lathe.default_schedule(D)
    assert "vectorize" in str(s.trace)
    assert str(lathe.lower([A, B, D])) == str(lathe.lower(s, [A, B, D]))
    # For a processor without wide vectors, the schedule differs. More steps may follow.
    narrow = lathe.default_schedule(D.op, "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72")
    assert str(narrow.trace) != str(s.trace)
    s[D].pragma(s[D].leaf_iter_vars[0], "auto_unroll_max_step", 8)
    assert "auto_unroll_max_step" in str(s.trace)
    with pytest.raises(TypeError, match="lower takes a schedule"):
        lathe.lower([A, B])


def test_imported_sources_are_linked():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: lathe.tir.call_pure_extern("float32", "thrice", A[i]), name="B")
    s = te.create_schedule(B.op)
    s[B].pragma(B.op.axis[0], "import_llvm", """
define float @thrice(float %x) {
  %y = fmul float %x, 3.0
  ret float %y
}""")
    b = np.zeros(3, "float32")
    lathe.build(s, [A, B])(np.arange(3, dtype="float32"), b)
    assert b.tolist() == [0, 3, 6]
    with pytest.raises(lathe.LatheError, match="pragma-value"):
        s[B].pragma(B.op.axis[0], "import_llvm", 1)


def test_tensor_intrinsics_of_the_processor_by_name():
    A = te.placeholder((1, 4), "uint8", name="A")
    B = te.placeholder((16, 4), "int8", name="B")
    k = te.reduce_axis((0, 4), name="k")
    C = te.compute((1, 16), lambda i, j: te.sum(A[i, k].astype("int32") * B[j, k].astype("int32"), axis=k), name="C")
    s = te.create_schedule(C.op)
    s[C].tensorize(C.op.axis[0], "x86.vpdpbusd.512", "llvm")
    assert "vpdpbusd" in str(lathe.lower(s, [A, B, C]))


def test_tensor_intrinsics_of_a_plugin_by_name():
    A = te.placeholder((8, 16), "int8", name="A")
    B = te.placeholder((8, 16), "int8", name="B")
    k = te.reduce_axis((0, 16), name="k")
    C = te.compute((8, 8), lambda i, j: te.sum(A[i, k].astype("int32") * B[j, k].astype("int32"), axis=k), name="C")
    s = te.create_schedule(C.op)
    CL = s.cache_write(C, "local")
    s[C].bind(C.op.axis[0], te.thread_axis("blockIdx.x"))
    s[C].bind(C.op.axis[1], te.thread_axis("threadIdx.x"))
    s[CL].compute_at(s[C], C.op.axis[1])
    _, ki = s[CL].split(CL.op.reduce_axis[0], factor=4)
    s[CL].tensorize(ki, "cuda.dp4a", "cuda")
    assert "dp4a" in str(lathe.lower(s, [A, B, C]))


@pytest.mark.parametrize("reduce, oracle", [
    (te.sum, np.sum), (te.prod, np.prod), (te.min, np.min), (te.max, np.max)])
def test_reductions(reduce, oracle):
    A = te.placeholder((6, 9), name="A", dtype="float64")
    k = te.reduce_axis((0, 9), name="k")
    B = te.compute((6,), lambda i: reduce(A[i, k], axis=k), name="B")
    a = np.random.rand(6, 9)
    b = run(te.create_schedule(B.op), [A, B], a, np.zeros(6))
    np.testing.assert_allclose(b, oracle(a, axis=1), rtol=1e-14)


def test_reduction_where_and_two_axes():
    A = te.placeholder((5, 6), name="A", dtype="int32")
    i, j = te.reduce_axis((0, 5), name="i"), te.reduce_axis((0, 6), name="j")
    B = te.compute((1,), lambda _: te.sum(A[i, j], axis=[i, j], where=i < j), name="B")
    a = np.arange(30, dtype="int32").reshape(5, 6)
    b = run(te.create_schedule(B.op), [A, B], a, np.zeros(1, "int32"))
    assert b[0] == a[np.triu_indices(5, 1, 6)].sum()


def test_argmax_is_a_tuple():
    A = te.placeholder((4, 10), name="A")
    k = te.reduce_axis((0, 10), name="k")
    index, value = te.compute((4,), lambda i: te.argmax((k.var, A[i, k]), axis=k), name="am")
    s = te.create_schedule(index.op)
    f = lathe.build(s, [A, index, value], "llvm")
    a = np.random.rand(4, 10).astype("float32")
    at, most = np.zeros(4, "int32"), np.zeros(4, "float32")
    f(a, at, most)
    np.testing.assert_array_equal(at, a.argmax(axis=1))
    np.testing.assert_array_equal(most, a.max(axis=1))


def test_reducer_of_ones_own():
    longest = te.comm_reducer(lambda x, y: te.if_then_else(x * x > y * y, x, y),
                              lambda t: te.const(0, t), name="longest")
    A = te.placeholder((3, 8), name="A")
    k = te.reduce_axis((0, 8), name="k")
    B = te.compute((3,), lambda i: longest(A[i, k], axis=k), name="B")
    a = (np.random.rand(3, 8) - 0.5).astype("float32")
    b = run(te.create_schedule(B.op), [A, B], a, np.zeros(3, "float32"))
    np.testing.assert_array_equal(b, a[np.arange(3), np.abs(a).argmax(axis=1)])


def test_scan_is_cumsum():
    m, n = 10, 4
    X = te.placeholder((m, n), name="X")
    state = te.placeholder((m, n), name="state")
    init = te.compute((1, n), lambda _, i: X[0, i], name="init")
    update = te.compute((m, n), lambda t, i: state[t - 1, i] + X[t, i], name="update")
    S = te.scan(init, update, state, inputs=[X])
    x = np.random.rand(m, n).astype("float32")
    out = run(te.create_schedule(S.op), [X, S], x, np.zeros((m, n), "float32"))
    np.testing.assert_allclose(out, np.cumsum(x, axis=0), rtol=1e-5)


def test_cache_stages_and_compute_at():
    n = 64
    A = te.placeholder((n, n), name="A")
    B = te.compute((n, n), lambda i, j: A[i, j] * 2.0, name="B")
    C = te.compute((n, n), lambda i, j: B[i, j] + 1.0, name="C")
    s = te.create_schedule(C.op)
    io, jo, ii, ji = s[C].tile(C.op.axis[0], C.op.axis[1], 16, 16)
    s[B].compute_at(s[C], jo)
    AA = s.cache_read(A, "local", [B])
    s[AA].compute_at(s[C], jo)
    a = np.random.rand(n, n).astype("float32")
    np.testing.assert_array_equal(run(s, [A, C], a, np.zeros((n, n), "float32")), a * 2 + 1)
    assert [stage.name for stage in s.stages][0] == "A"
    assert s[B].attach_stage == s[C] and s[B].attach_ivar.same_as(jo)


def test_rfactor():
    A = te.placeholder((1024,), name="A")
    k = te.reduce_axis((0, 1024), name="k")
    B = te.compute((1,), lambda i: te.sum(A[k], axis=k), name="B")
    s = te.create_schedule(B.op)
    ko, ki = s[B].split(s[B].op.reduce_axis[0], factor=16)
    BF = s.rfactor(B, ki)
    assert len(s.stages) == 3 and s[BF].op.axis
    a = np.random.rand(1024).astype("float32")
    b = run(s, [A, B], a, np.zeros(1, "float32"))
    np.testing.assert_allclose(b[0], a.sum(), rtol=1e-5)


def test_extern_calls_python():
    seen = []

    @lathe.register_func("test.extern_double", override=True)
    def double(source, target):
        seen.append((source.shape, target.shape))
        target.copyfrom(source.numpy() * 2)

    A = te.placeholder((8,), name="A")
    B = te.extern((8,), [A], lambda ins, outs: lathe.tir.call_packed(
        "test.extern_double", ins[0], outs[0]), name="B")
    C = te.compute((8,), lambda i: B[i] + 1.0, name="C")
    a = np.random.rand(8).astype("float32")
    c = run(te.create_schedule(C.op), [A, C], a, np.zeros(8, "float32"))
    np.testing.assert_array_equal(c, a * 2 + 1)
    assert seen == [((8,), (8,))]


def test_intrinsics_and_choices():
    A = te.placeholder((33,), name="A")
    B = te.compute((33,), lambda i: te.if_then_else(i % 3 == 0, te.exp(A[i]), te.sqrt(A[i])),
                   name="B")
    a = np.random.rand(33).astype("float32")
    b = run(te.create_schedule(B.op), [A, B], a, np.zeros(33, "float32"))
    np.testing.assert_allclose(b, np.where(np.arange(33) % 3 == 0, np.exp(a), np.sqrt(a)), rtol=1e-6)


def test_tensor_slices():
    A = te.placeholder((4, 5), name="A")
    B = te.compute((4, 5), lambda i, j: A[i][j] * A(i, j), name="B")
    a = np.random.rand(4, 5).astype("float32")
    np.testing.assert_array_equal(run(te.create_schedule(B.op), [A, B], a, np.zeros_like(a)), a * a)


def test_constants_are_held_by_the_code():
    table = te.constant(np.array([3, 1, 2], "int32"))
    A = te.placeholder((6,), name="A", dtype="int32")
    B = te.compute((6,), lambda i: A[i] + table[i % 3], name="B")
    b = run(te.create_schedule(B.op), [A, B], np.zeros(6, "int32"), np.zeros(6, "int32"))
    assert b.tolist() == [3, 1, 2, 3, 1, 2]


def test_reductions_of_two_values_are_none():
    A = te.placeholder((9,), name="A")
    B = te.compute((9,), lambda i: te.sum(te.min(te.max(A[i], 0.0), 6), te.prod(A[i], 2.0)), name="B")
    a, b = np.linspace(-8, 8, 9, dtype="float32"), np.zeros(9, "float32")
    lathe.build([A, B])(a, b)
    np.testing.assert_array_equal(b, np.clip(a, 0, 6) + 2 * a)
