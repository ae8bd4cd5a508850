"""Operators that a program adds."""

import numpy as np
import pytest

import lathe
from lathe import relay, te, topi

count = iter(range(1000))


def new_name():
    return f"test.op{next(count)}"


def scaled(**more):
    options = dict(type=lambda types, attrs: types[0], kind="elementwise",
                   compute=lambda xs, attrs: te.compute(xs[0].shape, lambda *i: xs[0][i] * attrs.by))
    return relay.op.register_op(new_name(), {"x": "numbers"}, {"by": 2.0, "how": "up"}, **{**options, **more})


def everywhere(expr, *data):
    """The results of the interpreter and of levels 0 and 3, which must agree."""
    results = [relay.create_executor("debug", expr).evaluate()(*data).numpy()]
    for level in (0, 3):
        with lathe.transform.PassContext(opt_level=level):
            results.append(relay.create_executor("graph", expr).evaluate()(*data).numpy())
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-5, atol=1e-6)
    return results[0]


def test_a_new_operator():
    op = scaled(doc="x * by.")
    x = relay.var("x", shape=(relay.Any("n"), 3))
    data = np.arange(6, dtype="float32").reshape(2, 3)
    np.testing.assert_allclose(everywhere(op(x), data), data * 2)
    np.testing.assert_allclose(everywhere(relay.exp(op(x, by=-1.0) + 1.0), data), np.exp(1 - data), rtol=1e-5)
    assert op(x).attrs == {"by": 2.0, "how": "up"} and op(x, by=3).attrs.by == 3
    assert "x * by." in op.__doc__ and op(x).op.name in relay.op.list_op_names()


def test_it_is_fused():
    op = scaled()
    fused = relay.transform.FuseOps()(relay.exp(op(relay.exp(relay.var("x", shape=(4,))))))
    assert str(fused).count("primitive") == 1
    alone = scaled(kind="opaque")
    fused = relay.transform.FuseOps()(relay.exp(alone(relay.exp(relay.var("x", shape=(4,))))))
    assert str(fused).count("primitive") != 1 or "exp" in str(fused).split("primitive")[0]


def test_several_results_and_shapes():
    def type_of(types, attrs):
        x = types[0]
        return [relay.TensorType(x.shape[:1], x.dtype), relay.TensorType(x.shape[:1], "int32")]

    op = relay.op.register_op(new_name(), ["x"], type=type_of, compute=lambda xs, attrs: [
        topi.max(xs[0], axis=1), topi.argmax(xs[0], axis=1)])
    data = np.random.default_rng(0).random((4, 9), "float32")
    both = op(relay.var("x", shape=(4, 9)))
    largest, place = relay.create_executor("graph", both).evaluate()(data)
    np.testing.assert_array_equal(largest.numpy(), data.max(1))
    np.testing.assert_array_equal(place.numpy(), data.argmax(1))


def test_in_a_network_with_constants():
    op, x = scaled(), relay.var("x", shape=(2, 4))
    weight = relay.const(np.ones((3, 4), "float32"))
    np.testing.assert_allclose(everywhere(relay.nn.dense(x, op(weight)), np.ones((2, 4), "float32")),
                               np.full((2, 3), 8.0))


def test_what_is_refused():
    op, x = scaled(), relay.var("x", shape=(2,))
    with pytest.raises(lathe.LatheError, match="graph-operator-twice"):
        relay.op.register_op("add", ["x"], type=None, compute=None)
    with pytest.raises(lathe.LatheError, match="graph-operator-kind"):
        scaled(kind="quick")
    with pytest.raises(lathe.LatheError, match="relay-attribute-kind"):
        relay.op.register_op(new_name(), ["x"], {"y": {}}, type=None, compute=None)
    with pytest.raises(lathe.LatheError, match="graph-attribute"):
        op(x, by="much")
    with pytest.raises(TypeError):
        op(x, x, x, x)
    with pytest.raises(lathe.LatheError, match="relay-operator-type"):
        scaled(type=lambda types, attrs: "float32")(x).checked_type
    with pytest.raises(ZeroDivisionError):
        scaled(type=lambda types, attrs: 1 // 0)(x).checked_type
    with pytest.raises(lathe.LatheError, match="graph-operator-results"):
        relay.build(relay.Function([x], scaled(compute=lambda xs, attrs: [xs[0], xs[0]])(x)), "llvm")
    needed = relay.op.register_op(new_name(), ["x"], {"width": int}, type=lambda types, attrs: types[0],
                                  compute=lambda xs, attrs: xs[0])
    with pytest.raises(TypeError, match="width"):
        needed(x)
    with pytest.raises(lathe.LatheError, match="graph-attribute"):
        relay.Call(relay.op.get(needed(x, width=1).op.name), [x])
