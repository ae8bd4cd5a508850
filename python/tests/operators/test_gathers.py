"""Elements at places that tensors say; running sums; sorting."""

import itertools

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()


def add(op, reference, args, **attrs):
    """What moves elements is exact."""
    table.add(op, reference, args, exact=True, **attrs)


# -- Reading.


def take(x, indices, axis=0, batch_dims=0, mode="clip"):
    if batch_dims:
        return np.stack([take(a, i, axis - 1 if axis > 0 else axis, batch_dims - 1, mode)
                         for a, i in zip(x, indices)])
    return np.take(x, indices, axis, mode="wrap" if mode == "wrap" else "clip")


X = random(4, 6, 5)
for axis, dtype in itertools.product((0, 1, -1), ("int32", "int64")):
    add("take", take, [X, integers(2, 3, dtype=dtype, low=0, high=4)], axis=axis)
# Beyond both ends.
WIDE = np.array([-20, -7, -1, 0, 3, 5, 6, 19], "int64")
add("take", take, [X, WIDE], axis=1, mode="wrap")
add("take", take, [X, WIDE], axis=1, mode="clip")
add("take", take, [X, np.array(2, "int32")], axis=1, mode="fast")
add("take", take, [X, integers(4, 2, low=0, high=6)], axis=1, batch_dims=1)
add("take", take, [X, integers(4, 6, 2, low=0, high=5)], axis=2, batch_dims=2)
add("take", take, [X, integers(4, low=0, high=5)], axis=-1, batch_dims=1)


def gather(x, indices, axis):
    extent = x.shape[axis]
    places = np.clip(np.where(indices < 0, indices + extent, indices), 0, extent - 1)
    x = x[tuple(slice(None) if d == axis % x.ndim else slice(n)
                for d, n in enumerate(indices.shape))]
    return np.take_along_axis(x, places, axis)


for axis, shape in ((0, (3, 6, 5)), (1, (4, 9, 2)), (-1, (2, 3, 7))):
    for low in (0, -X.shape[axis]):
        add("gather", gather, [X, integers(*shape, dtype="int64", low=low, high=X.shape[axis])],
            axis=axis, torch=(lambda x, i, axis: T.gather(x, axis, i)) if low == 0 else None)
add("gather", gather, [X, integers(4, 6, 5, low=-12, high=12)], axis=2)


def gather_nd(x, indices, batch_dims=0):
    m, shape = indices.shape[0], indices.shape[1:]
    result = np.zeros(shape + x.shape[batch_dims + m:], x.dtype)
    for at in itertools.product(*map(range, shape)):
        place = at[:batch_dims] + tuple(int(i) for i in indices[(slice(None),) + at])
        result[at] = x[place]
    return result


add("gather_nd", gather_nd, [X, integers(2, 7, dtype="int64", low=-4, high=4)])
add("gather_nd", gather_nd, [X, integers(3, 2, 4, low=0, high=4)])
add("gather_nd", gather_nd, [X, integers(1, 3, low=-4, high=4)])
add("gather_nd", gather_nd, [X, integers(1, 4, 3, low=0, high=6)], batch_dims=1)
add("gather_nd", gather_nd, [X, integers(1, 4, 6, 2, low=-5, high=5)], batch_dims=2)


def reverse_sequence(x, lengths, seq_axis=1, batch_axis=0):
    x = x.copy()
    moved = np.moveaxis(x, (batch_axis, seq_axis), (0, 1))
    for row, length in zip(moved, lengths):
        row[:length] = row[:length][::-1].copy()
    return x


add("reverse_sequence", reverse_sequence, [X, np.array([0, 1, 4, 6], "int64")])
add("reverse_sequence", reverse_sequence, [X, np.array([3, 0, 4, 2, 1], "int32")], seq_axis=0,
    batch_axis=2)
add("reverse_sequence", reverse_sequence, [X, np.array([5, 2, 3, 4, 1, 0])], seq_axis=-1,
    batch_axis=1)


def sequence_mask(x, lengths, mask_value=0.0, axis=0):
    x = x.copy()
    for b, length in enumerate(lengths):
        if axis == 0:
            x[length:, b] = mask_value
        else:
            x[b, length:] = mask_value
    return x


add("sequence_mask", sequence_mask, [random(5, 4, 2), np.array([0, 2, 5, 1], "int64")])
add("sequence_mask", sequence_mask, [random(4, 5), np.array([0, 2, 5, 1], "int32")],
    mask_value=-1.5, axis=1)


def embedding_bag(weight, indices, offsets, factors=None, mode="mean", include_last_offset=False):
    ends = offsets[1:] if include_last_offset else np.append(offsets[1:], len(indices))
    result = np.zeros((len(ends), weight.shape[1]))
    for j, (first, last) in enumerate(zip(offsets, ends)):
        rows = weight[indices[first:last]]
        if factors is not None:
            rows = rows * factors[first:last, None]
        if len(rows):
            result[j] = {"mean": np.mean, "sum": np.sum, "max": np.max}[mode](rows, axis=0)
    return result


def torch_bag(weight, indices, offsets, factors=None, mode="mean", include_last_offset=False):
    return T.nn.functional.embedding_bag(indices, weight, offsets, mode=mode,
                                         per_sample_weights=factors,
                                         include_last_offset=include_last_offset)


for mode, last in itertools.product(("mean", "sum", "max"), (False, True)):
    table.add("embedding_bag", embedding_bag,
              [random(7, 3), integers(9, dtype="int64", low=0, high=7),
               np.array([0, 2, 2, 5] + [9] * last, "int64")], mode=mode,
              include_last_offset=last, torch=torch_bag)
table.add("embedding_bag", embedding_bag, [random(7, 3), integers(9, low=0, high=7),
                                           np.array([0, 4], "int32"), random(9)], mode="sum",
          torch=torch_bag)

# -- Writing.

COMBINED = {"update": lambda old, new: new, "add": np.add, "mul": np.multiply, "min": np.minimum,
            "max": np.maximum}


def scatter(mode=None):
    def call(x, indices, updates, axis=0, reduction=mode):
        x = x.copy()
        for at in itertools.product(*map(range, indices.shape)):
            place = list(at)
            place[axis] = int(indices[at])
            if -x.shape[axis] <= place[axis] < x.shape[axis]:
                x[tuple(place)] = COMBINED[reduction](x[tuple(place)], updates[at])
        return x
    return call


def torch_scatter(x, indices, updates, axis=0, reduction="update"):
    if reduction == "update":
        return T.scatter(x, axis, indices, updates)
    return T.scatter_reduce(x, axis, indices, updates, {"add": "sum", "mul": "prod", "min": "amin",
                                                        "max": "amax"}[reduction])


for axis, shape in ((0, (3, 6, 5)), (1, (4, 9, 2)), (-1, (2, 3, 7))):
    for low in (0, -X.shape[axis], -9):
        args = [X, integers(*shape, dtype="int64", low=low, high=9 if low == -9 else X.shape[axis]),
                random(*shape, seed=1)]
        for op, mode in (("scatter", "update"), ("scatter_add", "add"),
                         ("scatter_elements", "update")):
            other = (lambda x, i, u, axis=0, m=mode: torch_scatter(x, i, u, axis, m)) \
                if low == 0 and mode == "add" else None
            table.add(op, scatter(mode), args, axis=axis, torch=other)
for mode in ("add", "mul", "min", "max"):
    table.add("scatter_elements", scatter(), [X, integers(4, 9, 5, dtype="int64", low=0, high=6),
                                              random(4, 9, 5, seed=1)], axis=1, reduction=mode,
              torch=torch_scatter)
    table.add("scatter_elements", scatter(), [integers(5, dtype="int8"), integers(9, low=-5, high=5),
                                              integers(9, dtype="int8", seed=1)], reduction=mode)


def scatter_nd(x, indices, updates, mode="update"):
    x = x.copy()
    for at in itertools.product(*map(range, indices.shape[1:])):
        place = tuple(int(i) for i in indices[(slice(None),) + at])
        if all(-e <= p < e for p, e in zip(place, x.shape)):
            x[place] = COMBINED[mode](x[place], updates[at])
    return x


for mode in COMBINED:
    table.add("scatter_nd", scatter_nd, [X, integers(2, 9, dtype="int64", low=-4, high=4),
                                         random(9, 5, seed=1)], mode=mode)
    table.add("scatter_nd", scatter_nd, [X, integers(3, 2, 7, low=-7, high=7),
                                         random(2, 7, seed=1)], mode=mode)
table.add("scatter_nd", scatter_nd, [X, integers(1, 3, low=0, high=4), random(3, 6, 5, seed=1)])


def index_put(x, values, indices, accumulate=False):
    x = x.copy()
    indices = np.broadcast_arrays(*indices)
    values = np.broadcast_to(values, indices[0].shape + x.shape[len(indices):])
    for at in itertools.product(*map(range, indices[0].shape)):
        place = tuple(int(i[at]) for i in indices)
        x[place] = values[at] + (x[place] if accumulate else 0)
    return x


for accumulate in (False, True):
    for indices, values in (((integers(7, dtype="int64", low=-4, high=4),), random(7, 6, 5)),
                            ((integers(3, 1, low=0, high=4), integers(2, low=-6, high=6)),
                             random(3, 2, 5)),
                            ((integers(3, low=0, high=4), integers(3, low=0, high=6),
                              integers(3, low=0, high=5)), random()),
                            ((integers(3, low=0, high=4),), random(1, 5))):
        table.add("index_put", index_put, [X, values, list(indices)], accumulate=accumulate,
                  torch=(lambda x, v, i, accumulate: T.index_put(
                      x, tuple(k.long() for k in i), v, accumulate)) if accumulate else None)

# -- Running sums.


def running(function, least):
    def call(x, axis=None, dtype=None, exclusive=False, reverse=False):
        x = x.ravel() if axis in (None, ()) else np.moveaxis(x, axis, 0)
        x = (x[::-1] if reverse else x).astype(dtype or x.dtype)
        y = function.accumulate(x, axis=0, dtype=x.dtype)
        if exclusive:
            y = np.concatenate([np.full_like(y[:1], least), y[:-1]])
        y = y[::-1] if reverse else y
        return y if axis in (None, ()) else np.moveaxis(y, 0, axis)
    return call


for op, function, least in (("cumsum", np.add, 0), ("cumprod", np.multiply, 1),
                            ("cummax", np.maximum, -np.finfo("float32").max),
                            ("cummin", np.minimum, np.finfo("float32").max)):
    reference = running(function, least)
    other = {"cumsum": lambda x, axis: T.cumsum(x, axis), "cumprod": lambda x, axis:
             T.cumprod(x, axis), "cummax": lambda x, axis: T.cummax(x, axis)[0],
             "cummin": lambda x, axis: T.cummin(x, axis)[0]}[op]
    for axis in (0, 1, -1):
        table.add(op, reference, [X], axis=axis, torch=other)
    table.add(op, reference, [random(3, 4)])
    table.add(op, reference, [X], axis=1, reverse=True)
    table.add(op, reference, [integers(9, dtype="int8")], axis=0)
    table.add(op, reference, [integers(9, dtype="int16", low=1)], axis=0, dtype="int64")
    table.add(op, reference, [random(6, dtype="float16")], axis=0)
for op, function, least in (("cumsum", np.add, 0), ("cumprod", np.multiply, 1)):
    for reverse in (False, True):
        table.add(op, running(function, least), [X], axis=1, exclusive=True, reverse=reverse)

# -- Sorting. Equal elements stay in order, and NaN is the greatest.

TIES = integers(4, 9, 3, dtype="float32", low=-3, high=3)
WITH_NAN = np.array([[3, np.nan, -1, np.inf, -np.inf, 0, np.nan, 2, -0.0]], "float32")


def order(x, axis, is_ascend):
    """A stable order. Backwards it is that of the ranks, negated."""
    if is_ascend:
        return np.argsort(x, axis, kind="stable")
    ranks = np.unique(x, return_inverse=True, equal_nan=True)[1].reshape(x.shape)
    return np.argsort(-ranks, axis, kind="stable")


def sort(x, axis=-1, is_ascend=True):
    return np.take_along_axis(x, order(x, axis, is_ascend), axis)


def argsort(x, axis=-1, is_ascend=True, dtype="int32"):
    return order(x, axis, is_ascend).astype(dtype)


def topk(x, k=1, axis=-1, ret_type="both", is_ascend=False, dtype="int32"):
    k = k if k >= 1 else x.shape[axis]
    places = np.take(order(x, axis, is_ascend), range(k), axis)
    values = np.take_along_axis(x, places, axis)
    return {"both": [values, places.astype(dtype)], "values": values,
            "indices": places.astype(dtype)}[ret_type]


def torch_sort(x, axis, is_ascend):
    return T.sort(x, dim=axis, descending=not is_ascend, stable=True)


for axis, up in itertools.product((0, 1, -1), (True, False)):
    add("sort", sort, [TIES], axis=axis, is_ascend=up,
        torch=lambda x, **a: torch_sort(x, **a)[0])
    add("argsort", argsort, [TIES], axis=axis, is_ascend=up,
        torch=lambda x, **a: torch_sort(x, **a)[1])
    add("topk", topk, [TIES], axis=axis, is_ascend=up, k=2)
for x in (WITH_NAN, integers(40, dtype="int8"), integers(40, dtype="uint8", low=0),
          random(30, dtype="float64"), random(30, dtype="float16"), random(9, dtype=bool),
          random(300)):
    for up in (True, False):
        add("sort", sort, [x], is_ascend=up)
        add("argsort", argsort, [x], is_ascend=up, dtype="int64")
        add("topk", topk, [x], k=3, is_ascend=up)
for kind in ("both", "values", "indices"):
    add("topk", topk, [random(3, 9)], k=-1, ret_type=kind, dtype="int64")
add("topk", topk, [random(3, 9)])


def searchsorted(rows, values, right=False, dtype="int32"):
    side = "right" if right else "left"
    if rows.ndim == 1:
        return np.searchsorted(rows, values, side).astype(dtype)
    return np.stack([searchsorted(r, v, right, dtype) for r, v in zip(rows, values)])


def torch_searchsorted(rows, values, right=False, dtype="int32"):
    return T.searchsorted(rows, values, right=right, out_int32=dtype == "int32")


for right, dtype in itertools.product((False, True), ("int32", "int64")):
    for rows, values in ((np.sort(integers(9)), integers(4, 3, seed=1)),
                         (np.sort(TIES[:, :, 0]), TIES[:, :5, 1]),
                         (np.sort(random(2, 3, 7), -1), random(2, 3, 4, low=-3, high=3))):
        add("searchsorted", searchsorted, [rows, np.ascontiguousarray(values)], right=right,
            dtype=dtype, torch=torch_searchsorted)

for dtype in ("bool", "int8", "uint16", "float16", bfloat16, "float64"):
    x = random(4, 3, dtype=dtype, low=0, high=9)
    add("take", take, [x, integers(2, low=0, high=3)], axis=1)
    add("gather", gather, [x, integers(4, 2, low=0, high=3)], axis=1)
    add("scatter", scatter("update"), [x, integers(4, 2, low=0, high=3), x[:, :2].copy()], axis=1)

test_numpy, test_torch = table.tests()


def test_take_without_an_axis_takes_from_all_elements():
    from lathe import relay
    x, i = relay.var("x", shape=(2, 3)), relay.var("i", shape=(4,), dtype="int32")
    run = relay.create_executor("debug", relay.Function([x, i], relay.take(x, i))).evaluate()
    data, places = np.arange(6, dtype="float32").reshape(2, 3), np.array([5, 0, -2, 9], "int32")
    np.testing.assert_array_equal(run(data, places).numpy(), np.take(data, places, mode="clip"))
