"""Results whose extents only a run knows."""

import numpy as np
import pytest

import lathe
from comparison import Table, bfloat16, integers, random
from comparison import torch as T
from lathe import relay

table = Table()

for dtype in ("bool", "int8", "uint16", "int64", "float16", bfloat16, "float32", "float64"):
    x = integers(3, 5, dtype=dtype, low=0, high=3)
    table.add("argwhere", lambda x: np.argwhere(x).astype("int32"), [x])
    table.add("nonzero", lambda x: np.stack(np.nonzero(x)), [x],
              torch=lambda x: T.nonzero(x).T if x.dtype != T.uint16 else T.nonzero(x.int()).T)
EDGES = np.array([0.0, -0.0, np.nan, np.inf, 1e-40, -1], "float32")
for x in (EDGES, np.zeros((2, 3), "float32"), np.ones((2, 3, 4), "float32"),
          np.zeros((0, 3), "float32"), integers(40, low=-1, high=2)):
    table.add("argwhere", lambda x, dtype: np.argwhere(x).astype(dtype), [x], dtype="int64")
    table.add("nonzero", lambda x, dtype: np.stack(np.nonzero(x)).astype(dtype), [x], dtype="int32")


def compress(condition, x, axis=()):
    axes = [axis] if isinstance(axis, int) else list(axis)
    return np.compress(condition, x, axes[0] if axes else None)


X = random(4, 3, 5)
for axis in (0, 1, 2, -1, (1,)):
    extent = X.shape[axis if isinstance(axis, int) else axis[0]]
    table.add("compress", compress, [random(extent, dtype=bool), X], axis=axis, exact=True)
table.add("compress", compress, [np.array([False, True]), X], axis=0, exact=True)
table.add("compress", compress, [random(60, dtype=bool), X], exact=True)
table.add("compress", compress, [random(7, dtype=bool), integers(4, 3)], exact=True)


def unique(x, is_sorted=True, return_counts=False, dtype="int32"):
    values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True,
                                               return_counts=True)
    if not is_sorted:
        order = np.argsort(first)
        values, first, counts = values[order], first[order], counts[order]
        inverse = np.argsort(order)[inverse]
    places = [first.astype(dtype), inverse.astype(dtype)]
    return [values, *places] + ([counts.astype(dtype)] if return_counts else [])


for kind in ("int32", "int8", "uint64", "float32", "float16", "bool"):
    x = integers(30, dtype=kind, low=0, high=9)
    for is_sorted in (True, False):
        for counts in (True, False):
            table.add("unique", unique, [x], is_sorted=is_sorted, return_counts=counts, exact=True)
table.add("unique", unique, [np.array([np.nan, 1, np.nan, -np.inf, 1, np.inf], "float32")],
          return_counts=True, exact=True, dtype="int64")
table.add("unique", unique, [np.zeros(0, "float32")], return_counts=True, exact=True)
table.add("unique", unique, [np.full(9, 7, "int32")], exact=True)

test_numpy, test_torch = table.tests()


def run(kind, function, *args):
    module = lathe.IRModule.from_expr(function)
    return relay.create_executor(kind, module).evaluate()(*args)


@pytest.mark.parametrize("kind", ["graph", "debug"])
@pytest.mark.parametrize("level", [0, 3])
def test_sizes_go_on_through_a_graph(kind, level):
    """What reads a result of a new size is compiled for any size."""
    n = relay.Any("n")
    x = relay.var("x", shape=(n, 4))
    flat = relay.reshape(x, newshape=(-1,))
    places = relay.squeeze(relay.argwhere(flat > relay.const(0.0)), axis=1)
    positive = relay.take(flat, places)
    function = relay.Function([x], relay.Tuple([relay.sum(positive), relay.exp(positive) * positive,
                                                relay.unique(places)[0]]))
    with lathe.transform.PassContext(opt_level=level):
        call = relay.create_executor(kind, lathe.IRModule.from_expr(function)).evaluate()
        for rows in (3, 1, 0, 8):
            X = random(rows, 4, seed=rows)
            found = [one.numpy() for one in call(X)]
            expected = X[X > 0]
            np.testing.assert_allclose(found[0], expected.sum(), rtol=1e-5)
            np.testing.assert_allclose(found[1], np.exp(expected) * expected, rtol=1e-5)
            np.testing.assert_array_equal(found[2], np.nonzero(X.ravel() > 0)[0])


def test_equal_calls_share_their_size():
    x = relay.var("x", shape=(9,))
    twice = relay.argwhere(x) + relay.argwhere(x)
    X = integers(9, dtype="float32", low=0, high=2)
    for kind in ("graph", "debug"):
        found = run(kind, relay.Function([x], twice), X).numpy()
        np.testing.assert_array_equal(found, 2 * np.argwhere(X))


@pytest.mark.parametrize("level", [0, 3])
def test_what_must_hold_of_sizes_of_a_run(level):
    x, y = relay.var("x", shape=(9,)), relay.var("y", shape=(9,))
    both = relay.argwhere(x) + relay.argwhere(y)
    with lathe.transform.PassContext(opt_level=level):
        call = relay.create_executor("graph", relay.Function([x, y], both)).evaluate()
    X, Y = np.eye(9, dtype="float32")[2:4]
    np.testing.assert_array_equal(call(X, Y).numpy(), [[5]])
    with pytest.raises(lathe.LatheError, match="a size that this run computed") as error:
        call(X + Y, Y)
    assert error.value.name == "graph-size-condition"


def test_modules_with_new_sizes_as_text():
    x = relay.var("x", shape=(3, 5))
    module = lathe.IRModule.from_expr(relay.Function([x], relay.argwhere(x)))
    again = lathe.ir.parse_graph(module.astext())
    assert "sizes [" in module.astext() and again.astext() == module.astext()
