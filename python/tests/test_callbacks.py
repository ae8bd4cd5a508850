"""What a Python function may do with tensors that its caller lends it, and what it may keep."""

import gc
import mmap
import threading

import numpy as np
import pytest

import lathe
from lathe import te

# Every way to get another view of a tensor's memory.
VIEWS = {
    "buffer": np.asarray, "memoryview": lambda t: np.asarray(memoryview(t)),
    "dlpack": np.from_dlpack, "own dlpack": lambda t: lathe.from_dlpack(t),
    "slice": lambda t: t[:], "step": lambda t: t[::1], "reshape": lambda t: t.reshape((2, 8)),
    "transpose": lambda t: t.reshape((2, 8)).transpose(), "parts": lambda t: list(t)[0],
    "view of a view": lambda t: np.asarray(t[:][:]),
    "same bytes": lambda t: lathe._ffi.get("tensor.view_as")(t, "int32"),
    "a value": lambda t: lathe.get_global_func("testing.echo")([t])[0],
}


def calls(name, body):
    """Returns a compiled function of (A, B) that calls the Python function with both."""
    lathe.register_func(name, body, override=True)
    A = te.placeholder((16,), name="A")
    B = te.extern((16,), [A], lambda i, o: lathe.tir.call_packed(name, i[0], o[0]), name="B")
    return lathe.build(te.create_schedule(B.op), [A, B], "llvm")


def elements(view):
    return np.asarray(view).reshape(-1).view("float32")


@pytest.mark.parametrize("way", VIEWS)
def test_views_that_are_kept_have_an_owner(way):
    kept = []
    f = calls("test.keeps_a_view", lambda source, out: kept.append(VIEWS[way](source)))
    a = np.arange(16, dtype="float32")
    f(a, np.zeros(16, "float32"))
    assert not np.shares_memory(elements(kept[0]), a)
    a[:] = 99  # as the next user of the memory would
    gc.collect()
    n = elements(kept[0]).size
    np.testing.assert_array_equal(np.sort(elements(kept[0])), np.arange(n))


def test_a_kept_view_of_memory_between_stages_is_not_freed():
    kept = []
    name = "test.keeps_between"
    lathe.register_func(name, lambda x, y: kept.append(np.asarray(x)), override=True)
    n = 1 << 20
    A = te.placeholder((n,), name="A")
    S = te.compute((n,), lambda i: A[i] + 1.0, name="S")
    B = te.extern((n,), [S], lambda i, o: lathe.tir.call_packed(name, i[0], o[0]), name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    for value in range(4):
        f(np.full(n, value, "float32"), np.zeros(n, "float32"))
    for value, view in enumerate(kept):
        assert (view == value + 1).all()


WRITES = {
    "buffer": lambda t: np.asarray(t).__setitem__(slice(None), 7),
    "memoryview": lambda t: memoryview(t).cast("B").__setitem__(
        slice(None), np.full(16, 7, "float32").tobytes()),
    "dlpack": lambda t: np.from_dlpack(t).__setitem__(slice(None), 7),
    "part": lambda t: t.__setitem__(slice(None), 7),
    "whole": lambda t: t.copyfrom(np.full(16, 7, "float32")),
}


@pytest.mark.parametrize("way", WRITES)
def test_what_is_written_through_a_view_arrives(way):
    f = calls("test.writes", lambda source, out: WRITES[way](out))
    out = np.zeros(16, "float32")
    f(np.ones(16, "float32"), out)
    assert (out == 7).all()
    # Memory with gaps, which stay unchanged.
    wide = np.zeros((16, 3), "float32")
    if way != "memoryview":
        lathe.runtime.convert_to_function(WRITES[way])(wide[:, 1])
        assert (wide[:, 1] == 7).all() and wide.sum() == 7 * 16


def test_views_and_the_tensor_see_the_same():
    def body(source, out):
        view = np.asarray(out)
        out.copyfrom(source.numpy())
        assert view.tolist() == source.numpy().tolist()
        view += 1
        assert out.numpy().tolist() == view.tolist()

    out = np.zeros(16, "float32")
    calls("test.both", body)(np.arange(16, dtype="float32"), out)
    np.testing.assert_array_equal(out, np.arange(16) + 1)


def test_one_place_lent_twice():
    def body(first, second, third):
        seen = np.asarray(first), np.asarray(third)
        np.asarray(second)[3] = 5
        return [s.tolist() for s in seen]

    a = np.zeros(4, "float32")
    lathe.runtime.convert_to_function(body)(a, a, a)
    assert a.tolist() == [0, 0, 0, 5]


def test_inputs_in_memory_that_nobody_may_write():
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)
    a = np.frombuffer(memory, "float32", 16)
    f = calls("test.reads", lambda source, out: np.asarray(out).__iadd__(np.asarray(source) + 2))
    out = np.ones(16, "float32")
    f(a, out)
    assert (out == 3).all()


def test_each_worker_returns_what_it_wrote():
    @lathe.register_func("test.one_row", override=True)
    def one_row(out, i):
        np.asarray(out)[i] = i + 1
        return 0

    A = te.placeholder((64,), name="A")
    B = te.extern((64,), [A], lambda i, o: _rows(o[0]), name="B")
    b = np.zeros(64, "float32")
    lathe.build(te.create_schedule(B.op), [A, B], "llvm")(np.ones(64, "float32"), b)
    np.testing.assert_array_equal(b, np.arange(64) + 1)


def _rows(out):
    i = te.var("i")
    call = lathe.tir.Evaluate(lathe.tir.call_packed("test.one_row", out, i))
    return lathe.tir.For(i, 0, 64, "parallel", call)


def test_what_is_returned_keeps_its_elements():
    a = np.arange(4, dtype="float32")
    for returned in (lambda x: x, lambda x: x[:], lambda x: [x], lambda x: {"x": x}):
        out = lathe.runtime.convert_to_function(returned)(a)
        while isinstance(out, (tuple, dict)):
            out = out["x"] if isinstance(out, dict) else out[-1]
        a[:] = 9
        assert out.numpy().tolist() == [0, 1, 2, 3]
        a[:] = range(4)


def test_another_thread_may_finish_later():
    go, threads, seen = threading.Event(), [], []

    def body(source, out):
        view = source[:]

        def later():
            go.wait()
            seen.extend(view.numpy().tolist())

        threads.append(threading.Thread(target=later))
        threads[0].start()

    a = np.ones(16, "float32")
    calls("test.later", body)(a, np.zeros(16, "float32"))
    a[:] = 99
    go.set()
    threads[0].join()
    assert seen == [1] * 16


def test_a_failing_function_leaves_its_views_too():
    kept = []

    def body(source, out):
        kept.append(np.asarray(source))
        raise ValueError("after that")

    a = np.ones(16, "float32")
    with pytest.raises(ValueError, match="after that"):
        calls("test.fails_late", body)(a, np.zeros(16, "float32"))
    a[:] = 99
    assert (kept[0] == 1).all()


def test_a_borrowed_tensor_is_empty_after_the_call():
    kept = []

    @lathe.register_func("test.keeps", override=True)
    def keeps(source, target):
        kept.append(source)
        target.copyfrom(source.numpy())

    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda i, o: lathe.tir.call_packed("test.keeps", i[0], o[0]), name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    f(np.ones(4, "float32"), np.zeros(4, "float32"))
    assert kept[0].shape == (0,) and kept[0].numpy().size == 0
