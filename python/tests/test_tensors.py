"""Tensors: sharing memory with other libraries, ownership, views, element types."""

import ctypes
import gc
import hashlib
import pickle
import weakref

import ml_dtypes
import numpy as np
import pytest

import lathe
from lathe import te


def test_copies_and_views():
    a = np.arange(12, dtype="float32").reshape(3, 4)
    t = lathe.nd.array(a)
    assert t.shape == (3, 4) and t.dtype == "float32" and t.ndim == 2 and len(t) == 3
    assert t.device == lathe.cpu(0) and t.nbytes == 48 and not t.read_only
    a[0, 0] = 99
    assert t.numpy()[0, 0] == 0  # a copy
    shared = lathe.from_dlpack(a)
    a[0, 0] = 7
    assert shared.numpy()[0, 0] == 7  # no copy
    np.testing.assert_array_equal(shared[1].numpy(), a[1])
    np.testing.assert_array_equal(shared[1:, ::2].numpy(), a[1:, ::2])
    np.testing.assert_array_equal(shared.transpose().numpy(), a.T)
    np.testing.assert_array_equal(shared.reshape((4, -1)).numpy(), a.reshape(4, 3))
    assert shared[2, 3].item() == 11 and float(shared[-1, -1]) == 11
    with pytest.raises(IndexError):
        shared[3]
    with pytest.raises(IndexError):
        shared[0, 0, 0]


def test_numpy_sees_the_memory_itself():
    t = lathe.nd.empty((4,), "int32")
    t.copyfrom(np.array([1, 2, 3, 4], "int32"))
    view = np.asarray(t)
    view[0] = 50
    assert t.numpy()[0] == 50
    by_dlpack = np.from_dlpack(t)
    by_dlpack[1] = 60
    assert t[1].item() == 60
    assert memoryview(t).format == "i" and memoryview(t).tolist() == [50, 60, 3, 4]


class _Buffer(ctypes.Structure):
    """Py_buffer of CPython's C interface."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
                ("strides", ctypes.POINTER(ctypes.c_ssize_t)), ("suboffsets", ctypes.c_void_p),
                ("internal", ctypes.c_void_p)]


def _gets_buffer(t, flags):
    view = _Buffer()
    get, release = ctypes.pythonapi.PyObject_GetBuffer, ctypes.pythonapi.PyBuffer_Release
    get.argtypes = [ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int]
    release.argtypes = [ctypes.POINTER(_Buffer)]
    try:
        get(t, ctypes.byref(view), flags)
    except BufferError as error:
        assert "do not lie" in str(error) and "copy" in str(error)
        return False
    release(ctypes.byref(view))
    return True


def test_buffers_have_the_order_that_is_asked_for():
    simple, nd, strides = 0, 0x8, 0x10 | 0x8
    rows, columns, either = 0x20 | strides, 0x40 | strides, 0x80 | strides
    a = np.arange(120, dtype="float32").reshape(4, 5, 6)
    views = [a, a.T, a[::2], a[:, 1:3], a[:, :, ::-1], a[0], a[:, 0], a[0].T, a[:1, :, :1], a[:, :1],
             a[:0], a[:, :0, ::2], a[1, 2], a[1, 2, ::2], a[1, 2, 3], a.transpose(1, 0, 2)]
    for array in views:
        if any(stride < 0 for stride in array.strides):
            continue  # DLPack has no negative strides
        t = lathe.from_dlpack(array)
        c, f = array.flags.c_contiguous, array.flags.f_contiguous
        what = (array.shape, array.strides)
        assert _gets_buffer(t, rows) == c, what
        assert _gets_buffer(t, columns) == f, what
        assert _gets_buffer(t, either) == (c or f), what
        assert _gets_buffer(t, strides), what
        assert _gets_buffer(t, nd) == c and _gets_buffer(t, simple) == c, what
        np.testing.assert_array_equal(np.asarray(t), array)
    with pytest.raises(BufferError, match="row by row"):
        hashlib.sha256(lathe.from_dlpack(a)[:, 1:3])


def test_memory_lives_as_long_as_anybody_looks():
    a = np.arange(1000, dtype="float64")
    alive = weakref.ref(a)
    t = lathe.from_dlpack(a)
    part = t[10:20]
    del a, t
    gc.collect()
    assert alive() is not None and part.numpy()[0] == 10
    back = np.from_dlpack(part)
    del part
    gc.collect()
    assert back[3] == 13
    del back
    gc.collect()
    assert alive() is None


def test_read_only_stays_read_only():
    a = np.arange(4, dtype="float32")
    a.flags.writeable = False
    t = lathe.from_dlpack(a)
    assert t.read_only
    with pytest.raises(lathe.LatheError):
        t.copyfrom(np.zeros(4, "float32"))
    assert not np.asarray(t).flags.writeable


def test_compiled_code_does_not_write_what_is_read_only():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    a, b = np.ones(4, "float32"), np.zeros(4, "float32")
    a.flags.writeable = False
    f(a, b)  # a is only read
    assert (b == 2).all()
    b.flags.writeable = False
    for call in (f, f.entry_func, f["main"]):
        for out in (b, lathe.from_dlpack(b)):
            with pytest.raises(ValueError, match="call-argument-read-only"):
                call(b, out)
    assert (b == 2).all()


def read_only(shape=(4,), dtype="float32"):
    a = np.zeros(shape, dtype)
    a.flags.writeable = False
    return a


def add_one():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    return lathe.build(te.create_schedule(B.op), [A, B], "llvm")


class _OtherLibrary:
    """An array of a library that supports only DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_no_way_of_calling_writes_what_is_read_only():
    f, a = add_one(), np.ones(4, "float32")
    locked = read_only()
    outputs = [locked, lathe.from_dlpack(locked), _OtherLibrary(locked), memoryview(locked),
               lathe.from_dlpack(locked)[:]]
    lathe.register_func("test.add_one", f.entry_func, override=True)
    ways = {
        "module": f, "entry": f.entry_func, "by name": f["main"],
        "time_evaluator": f.time_evaluator("main", lathe.cpu(), number=1),
        "registered": lathe.get_global_func("test.add_one"),
        "from another function": lambda x, y: lathe._core.Function(lambda g: g(x, y))(f.entry_func),
    }
    for way, call in ways.items():
        for out in outputs:
            with pytest.raises(ValueError, match="call-argument-read-only"):
                call(a, out)
                raise AssertionError(way)
        out = np.zeros(4, "float32")
        call(read_only(), out)  # inputs may be
        assert (out == 1).all(), way
    assert (locked == 0).all()


def test_imported_functions_do_not_write_what_is_read_only():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] * 2.0, name="B")
    outer = lathe.build(te.create_schedule(B.op), [A, B], "llvm", name="twice")
    outer.import_module(add_one())
    imported = outer["main"]
    assert imported.written == 2 and outer["twice"].written == 2
    with pytest.raises(ValueError, match="call-argument-read-only"):
        imported(np.ones(4, "float32"), read_only())


def test_outputs_of_packed_functions_are_written():
    @lathe.register_func("test.fill", override=True)
    def fill(source, out):
        out.copyfrom(source.numpy() + 3)

    A = te.placeholder((4,), name="A")
    B = te.extern((4,), [A], lambda ins, outs: lathe.tir.call_packed("test.fill", ins[0], outs[0]),
                  name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    out = np.zeros(4, "float32")
    f(read_only(), out)
    assert (out == 3).all() and f.entry_func.written == 2
    with pytest.raises(ValueError, match="call-argument-read-only"):
        f(out, read_only())


def test_what_a_function_says_of_itself_may_be_anything():
    A, B = (lathe.tir.decl_buffer((4,), name=n) for n in "AB")
    for says, refused in (("1", True), ("0,1", True), ("", False), ("7,x,y,99999999999999999999999,", False)):
        func = lathe.tir.Func("f", [A, B], lathe.tir.Store(A, 1.0, [0])).with_attr("writes", says)
        f = lathe.build(func, target="llvm")
        if refused:
            with pytest.raises(ValueError, match="call-argument-read-only"):
                f(np.zeros(4, "float32"), read_only())
        else:
            f(np.zeros(4, "float32"), read_only())


def test_what_is_written_goes_by_number_not_by_name():
    # Buffers with the same name, and more parameters than a word has bits.
    ins = [lathe.tir.decl_buffer((4,), name="X") for _ in range(70)]
    ib = lathe.tir.ir_builder.create()
    first, last = ib.buffer_ptr(ins[0]), ib.buffer_ptr(ins[69])
    with ib.for_range(0, 4) as i:
        last[i] = first[i] + 1.0
    f = lathe.build(lathe.tir.Func("many", ins, ib.get()), target="llvm")
    out = np.zeros(4, "float32")
    f(*[read_only()] * 69, out)
    assert (out == 1).all()
    with pytest.raises(ValueError, match="call-argument-read-only"):
        f(*[read_only()] * 70)


def test_strides():
    a = np.arange(24, dtype="int64").reshape(4, 6)
    t = lathe.from_dlpack(a[::2, 1::2])
    assert t.strides == (12, 2)
    np.testing.assert_array_equal(t.numpy(), a[::2, 1::2])
    negative = lathe.nd.array(a[::-1])
    np.testing.assert_array_equal(negative.numpy(), a[::-1])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                   "uint64", "float16", "float32", "float64", "bool"])
def test_element_types(dtype):
    a = np.array([0, 1, 1, 0, 1]).astype(dtype)
    t = lathe.nd.array(a)
    assert t.dtype == dtype
    np.testing.assert_array_equal(t.numpy(), a)
    np.testing.assert_array_equal(np.asarray(t), a)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_small_floats(dtype):
    a = np.array([0.5, 1, -2, 3], dtype=getattr(ml_dtypes, dtype))
    t = lathe.nd.array(a)
    assert t.dtype == dtype and t.numpy().dtype == a.dtype
    np.testing.assert_array_equal(t.numpy().astype("float32"), a.astype("float32"))


def test_bfloat16_arrays_go_into_compiled_code():
    A = te.placeholder((8,), name="A", dtype="bfloat16")
    B = te.compute((8,), lambda i: A[i].astype("float32") * 2.0, name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    a = np.arange(8).astype(ml_dtypes.bfloat16)
    b = np.zeros(8, "float32")
    f(a, b)
    np.testing.assert_array_equal(b, np.arange(8) * 2)


def test_compiled_code_takes_arrays_of_any_kind():
    A = te.placeholder((3, 4), name="A")
    B = te.compute((3, 4), lambda i, j: A[i, j] + 1.0, name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    a = np.random.rand(3, 4).astype("float32")
    for b in (np.zeros((3, 4), "float32"), lathe.nd.empty((3, 4))):
        f(a, b)
        np.testing.assert_array_equal(np.asarray(b), a + 1)
    with pytest.raises(lathe.LatheError, match="dtype"):
        f(a.astype("float64"), b)
    with pytest.raises(lathe.LatheError, match="shape"):
        f(a[:2], b)
    with pytest.raises(lathe.LatheError):
        f(a)
    with pytest.raises(lathe.LatheError):
        f(a, "text")


def test_lists_and_numbers():
    assert lathe.nd.array([1.0, 2.0]).dtype == "float64"
    assert lathe.nd.array([[1, 2], [3, 4]]).shape == (2, 2)
    assert lathe.nd.array(3.5).shape == ()
    t = lathe.nd.array(np.zeros((2, 3), "float32"))
    t[0] = 5
    t[1, 1:] = np.array([1, 2], "float32")
    assert t.numpy().tolist() == [[5, 5, 5], [0, 1, 2]]


def test_pickle():
    t = lathe.nd.array(np.random.rand(3, 2).astype("float32"))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(t)).numpy(), t.numpy())


def test_dlpack_of_our_own():
    t = lathe.nd.array(np.arange(4, dtype="float32"))
    assert t.__dlpack_device__() == (1, 0)
    capsule = t.__dlpack__()
    again = lathe.runtime.Tensor._from_dlpack(capsule)
    with pytest.raises(TypeError):
        lathe.runtime.Tensor._from_dlpack(capsule)  # already used
    again[0] = 9
    assert t[0].item() == 9
    del capsule
    gc.collect()
    with pytest.raises(BufferError):
        t.__dlpack__(dl_device=(2, 0))
    copied = np.from_dlpack(_Wrapped(t.__dlpack__(copy=True, max_version=(1, 1))))
    copied[0] = 1
    assert t[0].item() == 9


class _Wrapped:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


def test_gradients_and_conjugation_are_refused():
    class NeedsGradient(_Wrapped):
        requires_grad = True

    with pytest.raises(ValueError, match="array-requires-grad(.|\n)*detach"):
        lathe.from_dlpack(NeedsGradient(lathe.nd.empty((2,)).__dlpack__()))


def test_not_arrays():
    for bad in (object(), 5, "text", None, [1, 2]):
        with pytest.raises((TypeError, ValueError)):
            lathe.from_dlpack(bad)
    with pytest.raises((TypeError, BufferError)):
        lathe.from_dlpack(np.array(["a", "b"]))
    with pytest.raises((TypeError, ValueError, BufferError, RuntimeError)):
        lathe.from_dlpack(np.zeros(3, dtype=[("x", "f4")]))


def test_empty_extents_and_rank_0():
    for shape in ((), (0,), (3, 0, 2)):
        t = lathe.nd.array(np.ones(shape, "float32"))
        assert t.shape == shape and t.numpy().shape == shape
    with pytest.raises(lathe.LatheError):
        lathe.nd.empty((-1,))
    with pytest.raises((lathe.LatheError, OverflowError)):
        lathe.nd.empty((2**62, 2**62))


def test_all_of_a_tensor_is_set():
    for shape in ((2, 3), ()):
        tensor, values = lathe.nd.empty(shape), np.full(shape, 3.0, "float32")
        tensor[...] = values
        np.testing.assert_array_equal(tensor.numpy(), values)
        tensor[...] = 4
        np.testing.assert_array_equal(tensor[...].numpy(), values + 1)
