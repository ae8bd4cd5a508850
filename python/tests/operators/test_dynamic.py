"""Shapes that depend on elements of tensors."""

import numpy as np
import pytest

import lathe
from comparison import Table, integers, random
from lathe import relay

table = Table()
X = random(2, 3, 4)


def ints(*values, dtype="int64"):
    return np.array(values, dtype)


table.add("as_shape", lambda s: np.zeros((0, *s), bool), [ints(2, 0, 5)])
table.add("as_shape", lambda s: np.zeros((0, *s), bool), [ints(7, dtype="int32")])


def reshape(x, s, allow_zero=False):
    shape = [x.shape[d] if n == 0 and not allow_zero else n for d, n in enumerate(s)]
    return x.reshape(shape)


for shape in ((24,), (4, 6), (-1,), (0, -1), (2, 0, -1, 2), (1, 2, 3, 4), (0, 0, 0), (3, -1, 2)):
    for dtype in ("int32", "int64"):
        table.add("dyn.reshape", reshape, [X, ints(*shape, dtype=dtype)], exact=True)
table.add("dyn.reshape", reshape, [np.zeros((0, 3), "float32"), ints(3, 0)], allow_zero=True)
table.add("dyn.reshape", reshape, [np.float32(3), ints(1, -1)])
table.add("dyn.reshape", reshape, [np.ones((1, 1), "float32"), np.zeros(0, "int64")])

for x, shape in ((X, (2, 3, 4)), (X, (5, 2, 3, 4)), (random(1, 1), (3, 4)), (random(3, 1), (2, 3, 5)),
                 (np.float32(2), (2, 0))):
    table.add("dyn.broadcast_to", np.broadcast_to, [x, ints(*shape)], exact=True)
for dtype in ("float32", "int64", "bool"):
    table.add("dyn.full", lambda v, s: np.full(s, v), [np.array(1, dtype), ints(2, 3)])
table.add("dyn.full", lambda v, s, dtype: np.full(s, v, dtype),
          [np.float32(3.7), ints(4, dtype="int32")], dtype="int8")
table.add("dyn.tile", np.tile, [X, ints(2, 1, 3)], exact=True)
table.add("dyn.tile", np.tile, [X, ints(1, 0, 1)], exact=True)


def topk(x, k, axis=-1, is_ascend=False, dtype="int32"):
    order = np.argsort(x if is_ascend else -x, axis, kind="stable")
    places = np.take(order, range(int(np.ravel(k)[0])), axis)
    return [np.take_along_axis(x, places, axis), places.astype(dtype)]


table.add("dyn.topk", topk, [X, np.int64(2)], exact=True)
table.add("dyn.topk", topk, [X, ints(3, dtype="int32")], axis=1, is_ascend=True, dtype="int64",
          exact=True)
table.add("dyn.topk", topk, [X, np.int64(0)], exact=True)


def one_hot(indices, on, off, depth, axis=-1, dtype=None):
    hot = np.expand_dims(indices, axis) == np.arange(int(np.ravel(depth)[0])).reshape(
        [-1 if d == axis % (indices.ndim + 1) else 1 for d in range(indices.ndim + 1)])
    return np.where(hot, on, off).astype(dtype or on.dtype)


I = integers(2, 3, low=-1, high=5)
table.add("dyn.one_hot", one_hot, [I, np.float32(2), np.float32(-1), np.int64(4)])
table.add("dyn.one_hot", one_hot, [I, np.int8(2), np.int8(0), ints(6)], axis=0, dtype="float32")


def arange(start, stop, step):
    return np.arange(start, stop, step).astype(start.dtype)


for dtype in ("int32", "int64", "float32", "float64"):
    for start, stop, step in ((0, 7, 1), (1, 8, 3), (9, -2, -4), (3, 3, 1), (5, 2, 1)):
        table.add("dyn.arange", arange, [np.array(n, dtype) for n in (start, stop, step)],
                  exact=True)
table.add("dyn.arange", arange, [np.float32(n) for n in (0.5, 2.25, 0.25)], exact=True)


def strided_slice(x, begin, end, strides=None, axes=()):
    cut = [slice(None)] * x.ndim
    for i, axis in enumerate(axes or range(len(begin))):
        cut[axis] = slice(int(begin[i]), int(end[i]), 1 if strides is None else int(strides[i]))
    return x[tuple(cut)]


LONG = random(7, 9)
for begin, end in ((0, 7), (2, 5), (-3, 100), (5, 2), (-100, -1)):
    table.add("dyn.strided_slice", strided_slice, [LONG, ints(begin), ints(end)], exact=True)
    table.add("dyn.strided_slice", strided_slice, [LONG, ints(begin), ints(end)], axes=(1,),
              exact=True)
    for step in (1, 3, -1, -2):
        table.add("dyn.strided_slice", strided_slice, [LONG, ints(end), ints(begin), ints(step)],
                  axes=(-1,), exact=True)
table.add("dyn.strided_slice", strided_slice,
          [LONG, ints(1, 8), ints(6, 0), ints(2, -3, dtype="int64")], exact=True)
table.add("dyn.strided_slice", strided_slice, [LONG, np.zeros(0, "int64"), np.zeros(0, "int64")],
          exact=True)


def pad(x, width, value=0, pad_mode="constant"):
    cut = tuple(slice(max(0, -b), n - max(0, -e)) for n, (b, e) in zip(x.shape, width))
    more = {"constant_values": value} if pad_mode == "constant" else {}
    return np.pad(x[cut], np.maximum(width, 0), pad_mode, **more)


for width in ([[1, 2], [0, 3]], [[-1, 2], [3, -2]], [[0, 0], [0, 0]]):
    table.add("dyn.nn.pad", pad, [LONG, ints(*width)], exact=True)
    table.add("dyn.nn.pad", pad, [LONG, ints(*width), np.float32(7)], exact=True)
for mode in ("edge", "reflect", "wrap"):
    table.add("dyn.nn.pad", pad, [LONG, ints([1, 2], [2, 3])], pad_mode=mode, exact=True)

for axes in ((0,), (-1,), (1, 3), (0, 1, 2), (-1, 0)):
    table.add("dyn.expand_dims", lambda x, a: np.expand_dims(x, tuple(a)), [LONG, ints(*axes)],
              exact=True)
table.add("dyn.expand_dims", lambda x, a: x.reshape(1, 1), [np.float32(4), ints(0, 1)])
for axes in ((0,), (2,), (0, 2), (-1, 0)):
    table.add("dyn.squeeze", lambda x, a: np.squeeze(x, tuple(a)), [random(1, 5, 1), ints(*axes)],
              exact=True)
table.add("dyn.squeeze", lambda x, a: np.squeeze(x, tuple(a)), [random(1, 1), ints(0, 1)])

test_numpy, test_torch = table.tests()


def evaluate(expr, *data):
    return relay.create_executor("graph", relay.Function(relay.analysis.free_vars(expr), expr)
                                 ).evaluate()(*data)


def test_builders_take_expressions():
    """Where a builder takes extents it takes an expression, as Relay's."""
    x = relay.var("x", shape=(2, 3, 4))
    s = relay.var("s", shape=(2,), dtype="int64")
    k = relay.var("k", shape=(), dtype="int64")
    for expr, data, expected in [
            (relay.reshape(x, s), [X, ints(6, 4)], X.reshape(6, 4)),
            (relay.zeros(s, "float32"), [ints(2, 3)], np.zeros((2, 3))),
            (relay.ones(s, "int8"), [ints(2, 3)], np.ones((2, 3))),
            (relay.full(relay.const(2.5), s), [ints(1, 4)], np.full((1, 4), 2.5)),
            (relay.topk(x, k, ret_type="values"), [X, np.int64(2)], topk(X, 2)[0]),
            (relay.arange(relay.const(1), k, dtype="int64"), [np.int64(5)], np.arange(1, 5)),
            (relay.arange(k, dtype="int64"), [np.int64(5)], np.arange(5)),
            (relay.strided_slice(x, s, [2, 3]), [X, ints(1, 1)], X[1:2, 1:3]),
            (relay.tile(relay.reshape(x, (6, 4)), s), [X, ints(1, 2)], np.tile(X.reshape(6, 4), 2)),
            (relay.squeeze(relay.expand_dims(x, 0), relay.reshape(k, (1,))), [X, np.int64(0)], X)]:
        np.testing.assert_array_equal(evaluate(expr, *data).numpy(), expected)


@pytest.mark.parametrize("level", [0, 3])
def test_shapes_of_elements_go_on(level):
    """What reads a tensor of such a shape is compiled for any shape."""
    x, s = relay.var("x", shape=(relay.Any("n"),)), relay.var("s", shape=(2,), dtype="int64")
    rows = relay.reshape(x, s)
    function = relay.Function([x, s], relay.Tuple([relay.sum(rows, axis=[1]), rows + rows]))
    with lathe.transform.PassContext(opt_level=level):
        call = relay.create_executor("graph", lathe.IRModule.from_expr(function)).evaluate()
    for shape in ((2, 3), (6, -1), (-1, 4), (1, 1)):
        data = random(12 if min(shape) < 0 else shape[0] * shape[1], seed=shape[0] + 2)
        sums, twice = (one.numpy() for one in call(data, np.array(shape)))
        np.testing.assert_allclose(sums, data.reshape(shape).sum(axis=1), rtol=1e-5)
        np.testing.assert_array_equal(twice, data.reshape(shape) * 2)
    for shape in ((2, 4), (7, 1)):
        with pytest.raises(lathe.LatheError) as error:
            call(random(6), np.array(shape))
        assert error.value.name == "graph-size-condition"
        assert "the number of elements" in str(error.value)
