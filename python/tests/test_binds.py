"""Arguments with strides: tensors bound to buffers when a schedule is lowered."""

import numpy as np
import pytest

import lathe
from lathe import te, tir


def product(n, m):
    A, B = te.placeholder((n, m), name="A"), te.placeholder((n, m), name="B")
    C = te.compute((n, m), lambda i, j: A[i, j] * B[i, j], name="C")
    return te.create_schedule(C.op), A, B, C


def test_slices_in_and_out():
    n, m = te.size_var("n"), te.size_var("m")
    s, A, B, C = product(n, m)
    binds = {A: tir.decl_buffer(A.shape, A.dtype, name="Ab", strides=[te.var("row"), te.var("column")]),
             B: te.decl_buffer(B, strides=[0, 1]),
             C: tir.decl_buffer(C.shape, C.dtype, strides=[58, 1])}
    f = lathe.build(s, [A, B, C], "llvm", binds=binds)
    whole = np.random.rand(40, 60).astype("float32")
    row = np.random.rand(56).astype("float32")
    for a in (whole[2:22, 1:57], whole.T[:20, :40], whole[::2, 5:50:3]):
        b = np.broadcast_to(row[:a.shape[1]], a.shape)
        frame = np.full((a.shape[0] + 2, 58), -1, "float32")
        expected = frame.copy()
        f(a, b, frame[1:-1, 1:a.shape[1] + 1])
        expected[1:-1, 1:a.shape[1] + 1] = a * b
        np.testing.assert_array_equal(frame, expected)


def test_misfits_are_said():
    s, A, B, C = product(4, 6)
    step = te.var("step")
    binds = {T: tir.decl_buffer(T.shape, T.dtype, strides=[step, 1]) for T in (A, C)}
    f = lathe.build(s, [A, B, C], "llvm", binds=binds)
    memory = np.zeros((4, 16), "float32")
    ones = np.ones((4, 6), "float32")
    f(np.ones((4, 16), "float32")[:, :6], ones, memory[:, 10:])
    assert memory[:, 10:].all() and not memory[:, :10].any()
    with pytest.raises(lathe.LatheError, match="call-argument-strides"):
        f(ones, ones, memory[:, 10:])
    with pytest.raises(lathe.LatheError, match="call-argument-strides"):
        f(ones, np.ones((4, 16), "float32")[:, :6], np.zeros_like(ones))
    with pytest.raises(lathe.LatheError, match="share memory"):
        shared = np.lib.stride_tricks.as_strided(np.zeros(16, "float32"), (4, 6), (4, 4))
        wide = np.lib.stride_tricks.as_strided(np.zeros(16, "float32"), (4, 6), (4, 4))
        f(wide, ones, shared)


def test_what_binds_may_be():
    s, A, B, C = product(4, 6)
    buffer = tir.decl_buffer((4, 6), strides=[8, 1])
    assert "strides=[8, 1]" in str(lathe.lower(s, [A, B, C], binds={A: buffer}))
    assert "strides=[8, 1]" in str(lathe.lower(s, [A, B, C], simple_mode=True, binds={C: buffer}))
    assert "strides=[8, 1]" in str(lathe.lower([A, B, C], binds={A: buffer}))
    assert str(lathe.lower(s, [A, B, C], binds={})) == str(lathe.lower(s, [A, B, C]))
    with pytest.raises(TypeError, match="lower-binds-type"):
        lathe.lower(s, [A, B, C], binds={"A": buffer})
    with pytest.raises(lathe.LatheError, match="lower-binds(.|\\n)*help: leave"):
        lathe.build(lathe.lower(s, [A, B, C]), target="llvm", binds={A: buffer})
    with pytest.raises(lathe.LatheError, match="schedule-binds"):
        lathe.lower(s, [A, B, C], binds={A: tir.decl_buffer((4, 7))})
    with pytest.raises(lathe.LatheError, match="schedule-binds"):
        lathe.lower(s, [A, B, C], binds={C: tir.decl_buffer((4, 6), strides=[1, 0])})


def in_place(schedule=lambda s, B: None, body=lambda A, *i: A[i] * 2.0 + 1.0, shape=(5, 37), strides=()):
    """A function of one argument, which it replaces."""
    A = te.placeholder(shape, name="A")
    B = te.compute(shape, lambda *i: body(A, *i), name="B")
    s = te.create_schedule(B.op)
    schedule(s, B)
    buffer = tir.decl_buffer(shape, strides=strides)
    return lathe.build(s, [A, B], "llvm", binds={A: buffer, B: buffer})


def vectorized(s, B):
    outer, inner = s[B].split(s[B].fuse(*s[B].op.axis), factor=8)
    s[B].vectorize(inner)
    s[B].parallel(outer)


def reordered(s, B):
    i, j = s[B].op.axis
    outer, inner = s[B].split(j, factor=4)
    s[B].reorder(inner, outer, i)
    s[B].unroll(inner)


@pytest.mark.parametrize("schedule", [lambda s, B: None, vectorized, reordered])
def test_a_result_takes_over_its_operand(schedule):
    f = in_place(schedule)
    values = np.random.rand(5, 37).astype("float32")
    expected = values * np.float32(2) + np.float32(1)
    f(values)
    np.testing.assert_array_equal(values, expected)
    values.flags.writeable = False
    with pytest.raises(lathe.LatheError, match="read-only"):
        f(values)


def test_a_slice_in_place():
    whole = np.random.rand(5, 74).astype("float32")
    expected = whole.copy()
    expected[:, ::2] = expected[:, ::2] * np.float32(2) + np.float32(1)
    in_place(strides=[74, 2])(whole[:, ::2])
    np.testing.assert_array_equal(whole, expected)


def test_what_cannot_be_in_place():
    for body, why in ((lambda A, i, j: A[4 - i, j], "other places"),
                      (lambda A, i, j: A[i, j] + A[i, 0], "other places")):
        with pytest.raises(lathe.LatheError, match=f"(?s){why}.*schedule-binds"):
            in_place(body=body)
    with pytest.raises(lathe.LatheError, match="(?s)predicate"):
        in_place(lambda s, B: s[B].set_store_predicate(s[B].op.axis[0] < 3))
    A, k = te.placeholder((4,), name="A"), te.reduce_axis((0, 4), name="k")
    B, C = te.compute((4,), lambda i: A[i] + 1.0, name="B"), te.compute((4,), lambda i: A[i] * 2.0, name="C")
    D = te.compute((4,), lambda i: te.sum(A[i], axis=k), name="D")
    buffer = tir.decl_buffer((4,))
    for tensors, bound, why in (([A, B, C], (A, B), "`C` reads `A`, too"), ([A, D], (A, D), "without a reduction"),
                                ([A, B, C], (B, C), "is the one of")):
        s = te.create_schedule([t.op for t in tensors[1:]])
        with pytest.raises(lathe.LatheError, match=f"(?s){why}.*schedule-binds"):
            lathe.lower(s, tensors, binds={t: buffer for t in bound})


def test_the_offset_of_a_slice():
    s, A, B, C = product(4, 6)
    aligned = tir.decl_buffer((4, 6), strides=[16, 1], offset_factor=4)
    text = str(lathe.lower(s, [A, B, C], binds={A: aligned}))
    assert "offset=A.offset" in text and "offset_factor=4" in text


@pytest.mark.parametrize("scheduled", [True, False])
def test_placeholders_that_no_stage_reads(scheduled):
    n, m = te.var("n"), te.var("m")
    A, unread, sized = te.placeholder((n,), name="A"), te.placeholder((n, 3), "int8"), te.placeholder((m,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    args = [unread, A, sized, B]
    s = te.create_schedule(B.op)
    f = lathe.build(s, args, "llvm") if scheduled else lathe.build(args, target="llvm")
    a, b = np.arange(5, dtype="float32"), np.zeros(5, "float32")
    f(np.zeros((5, 3), "int8"), a, np.zeros(9, "float32"), b)
    np.testing.assert_array_equal(b, a + 1)
    with pytest.raises(lathe.LatheError):
        f(np.zeros((4, 3), "int8"), a, np.zeros(9, "float32"), b)  # n is 4, and 5
    if scheduled:
        assert "B" in str(lathe.explain(s, args))
        strided = tir.decl_buffer(sized.shape, sized.dtype, strides=[2])
        f = lathe.build(s, args, "llvm", binds={sized: strided})
        f(np.zeros((5, 3), "int8"), a, np.zeros(18, "float32")[::2], b)
        with pytest.raises(lathe.LatheError, match="schedule-arguments"):
            lathe.lower(s, [unread, B])
