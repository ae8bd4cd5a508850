"""Models of MXNet: relay.frontend.from_mxnet. The texts are those of Symbol.tojson(); mxnet is not needed."""

import json

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.relay.frontend import _mxnet_elements, _mxnet_operators

RANDOM = np.random.default_rng(0)


def text_of(*nodes, heads=None):
    """(operator, name, {attribute: value}, names of inputs) for each node, whose names are unique."""
    numbers, made = {}, []
    for op, name, attrs, inputs in nodes:
        numbers[name] = len(made)
        parts = [one.partition(":") for one in inputs]
        made.append({"op": op, "name": name, "attrs": {key: str(value) for key, value in attrs.items()},
                     "inputs": [[numbers[source], int(result or 0), 0] for source, _, result in parts]})
    heads = [[numbers[one], 0, 0] for one in heads or [nodes[-1][1]]]
    return json.dumps({"nodes": made, "arg_nodes": [], "heads": heads})


def run(text, inputs, weights=None, aux=None):
    mod, params = relay.frontend.from_mxnet(text, {name: one.shape for name, one in inputs.items()},
                                            {name: str(one.dtype) for name, one in inputs.items()}, weights, aux)
    found = relay.create_executor("graph", mod, params=params).evaluate()(*inputs.values())
    return [one.numpy() for one in found] if isinstance(found, list) else found.numpy()


def of_one(op, x, **attrs):
    return run(text_of(("null", "x", {}, []), (op, "y", attrs, ["x"])), {"x": x})


def test_a_network():
    w = {"c_weight": RANDOM.normal(size=(4, 3, 3, 3)), "c_bias": RANDOM.normal(size=4), "b_gamma": np.ones(4) * 9,
         "b_beta": RANDOM.normal(size=4), "f_weight": RANDOM.normal(size=(5, 36)), "f_bias": RANDOM.normal(size=5)}
    w = {name: one.astype("float32") for name, one in w.items()}
    aux = {"b_mean": RANDOM.normal(size=4).astype("float32"), "b_var": RANDOM.uniform(1, 2, 4).astype("float32")}
    names = [("null", name, {}, []) for name in ("data", *w, *aux, "label")]
    text = text_of(
        *names,
        ("Convolution", "c", {"kernel": (3, 3), "num_filter": 4, "pad": (1, 1)}, ["data", "c_weight", "c_bias"]),
        ("BatchNorm", "b", {"eps": 0.001}, ["c", "b_gamma", "b_beta", "b_mean", "b_var"]),
        ("Activation", "r", {"act_type": "relu"}, ["b"]),
        ("Pooling", "p", {"kernel": (2, 2), "stride": (2, 2), "pool_type": "max"}, ["r"]),
        ("FullyConnected", "f", {"num_hidden": 5}, ["p", "f_weight", "f_bias"]),
        ("SoftmaxOutput", "s", {}, ["f", "label"]))
    x = RANDOM.normal(size=(2, 3, 6, 6)).astype("float32")
    conv = lathe.topi.testing.conv2d_nchw_python(x, w["c_weight"], 1, 1) + w["c_bias"].reshape(1, 4, 1, 1)
    shape = (1, 4, 1, 1)  # fix_gamma: the factors are 1
    norm = (conv - aux["b_mean"].reshape(shape)) / np.sqrt(aux["b_var"].reshape(shape) + 1e-3)
    norm += w["b_beta"].reshape(shape)
    pool = np.maximum(norm, 0).reshape(2, 4, 3, 2, 3, 2).max((3, 5)).reshape(2, 36)
    dense = pool @ w["f_weight"].T + w["f_bias"]
    want = np.exp(dense - dense.max(1, keepdims=True))
    np.testing.assert_allclose(run(text, {"data": x}, w, aux), want / want.sum(1, keepdims=True), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape, want", [
    ((0, -1), (2, 12)), ((-2,), (2, 3, 4)), ((0, -3), (2, 12)), ((-4, 1, 2, -2), (1, 2, 3, 4)),
    ((-4, -1, 2, 0, -1), (1, 2, 3, 4)), ((-3, 0), (6, 4)), ((8, -1), (8, 3))])
def test_reshape_has_codes(shape, want):
    x = np.arange(24, dtype="float32").reshape(2, 3, 4)
    np.testing.assert_array_equal(of_one("Reshape", x, shape=shape), x.reshape(want))


def test_slices():
    x = np.arange(20, dtype="float32").reshape(4, 5)
    np.testing.assert_array_equal(of_one("slice", x, begin=(None, 3), end=(None, None), step=(None, -1)), x[:, 3::-1])
    np.testing.assert_array_equal(of_one("slice", x, begin=(1, -3), end=(3, -1)), x[1:3, -3:-1])
    np.testing.assert_array_equal(of_one("slice_axis", x, axis=-1, begin=0, end=-2), x[:, :-2])
    first, second = run(text_of(("null", "x", {}, []), ("SliceChannel", "y", {"num_outputs": 2, "axis": 0}, ["x"]),
                                ("negative", "z", {}, ["y:1"]), ("exp", "u", {}, ["y:0"]), heads=["u", "z"]), {"x": x})
    np.testing.assert_allclose(first, np.exp(x[:2]), rtol=1e-5)
    np.testing.assert_array_equal(second, -x[2:])


@pytest.mark.parametrize("op, want", [
    ("rint", np.ceil(np.array([-2, -1, 1, 2]) * 0.75 - 0.5)),
    ("_rminus_scalar", 2 - np.array([-1.5, -0.75, 0.75, 1.5])),
    ("_greater_scalar", [0, 0, 0, 0]), ("square", np.array([-1.5, -0.75, 0.75, 1.5]) ** 2), ("fix", [-1, 0, 0, 1]),
    ("round", [-2, -1, 1, 2]), ("softsign", np.array([-1.5, -0.75, 0.75, 1.5]) / np.array([2.5, 1.75, 1.75, 2.5]))])
def test_elements(op, want):
    x = np.array([-1.5, -0.75, 0.75, 1.5], "float32")
    np.testing.assert_allclose(of_one(op, x, **({"scalar": 2} if "scalar" in op else {})), want, rtol=1e-5, atol=1e-6)


def test_products():
    a, b = RANDOM.normal(size=(2, 3, 4)).astype("float32"), RANDOM.normal(size=(4, 5)).astype("float32")
    two = [("null", "a", {}, []), ("null", "b", {}, [])]
    found = run(text_of(*two, ("dot", "y", {}, ["a", "b"])), {"a": a, "b": b})
    np.testing.assert_allclose(found, a @ b, rtol=1e-4, atol=1e-5)
    c = RANDOM.normal(size=(2, 5, 4)).astype("float32")
    text = text_of(*two, ("batch_dot", "y", {"transpose_b": True}, ["a", "b"]))
    np.testing.assert_allclose(run(text, {"a": a, "b": c}), a @ c.transpose(0, 2, 1), rtol=1e-4, atol=1e-5)


def test_a_vector_as_condition_chooses_rows():
    three = [("null", name, {}, []) for name in "cxy"]
    x = np.arange(12, dtype="float32").reshape(3, 2, 2)
    for c, x in ((np.array([1, 0, 2], "float32"), x), (np.array([1, 0], "float32"), x[:2])):
        found = run(text_of(*three, ("where", "o", {}, ["c", "x", "y"])), {"c": c, "x": x, "y": -x})
        np.testing.assert_array_equal(found, np.where(c.reshape(-1, 1, 1) != 0, x, -x))
    found = run(text_of(*three, ("where", "o", {}, ["c", "x", "y"])), {"c": c, "x": c, "y": -c - 1})
    np.testing.assert_array_equal(found, [1, -1])


@pytest.mark.parametrize("attrs, axes", [({}, (1, 2, 3)), ({"multi_output": True}, 1), ({"preserve_shape": True}, 3),
                                         ({"multi_output": True, "preserve_shape": True}, 1)])
def test_softmax_output_over_rows(attrs, axes):
    x = RANDOM.normal(size=(2, 3, 2, 4)).astype("float32")
    want = np.exp(x) / np.exp(x).sum(axes, keepdims=True)
    np.testing.assert_allclose(of_one("SoftmaxOutput", x, **attrs), want, rtol=1e-4)
    np.testing.assert_allclose(of_one("SoftmaxOutput", x[:, :, 0, 0], **attrs),
                               np.exp(x[:, :, 0, 0]) / np.exp(x[:, :, 0, 0]).sum(1, keepdims=True), rtol=1e-4)


@pytest.mark.parametrize("op, function", [("log1p", np.log1p), ("expm1", np.expm1)])
def test_small_numbers_keep_their_digits(op, function):
    x = np.array([0, 1e-9, -1e-9, 1e-6, -1e-4, 1e-3, 0.1, 0.49, 0.51, -0.5, -0.99, 3, 80, np.inf], "float32")
    np.testing.assert_allclose(of_one(op, x), function(x.astype("float64")), rtol=5e-7)


def test_functions_of_small_results():
    x = np.array([-20, -1e-6, 20], "float32")
    np.testing.assert_allclose(of_one("Activation", x, act_type="softrelu"), np.log1p(np.exp(x.astype("float64"))), 1e-6)
    np.testing.assert_allclose(of_one("LeakyReLU", x, act_type="elu", slope=1.0),
                               np.where(x > 0, x, np.expm1(x.astype("float64"))), 1e-6)


@pytest.mark.parametrize("given, wanted, dtype", [("float32", "float64", "float64"), ("float32", "float16", "float16"),
                                                  ("float32", "None", "float32")])
def test_softmax_of_an_element_type(given, wanted, dtype):
    x = np.array([[1, 2.5, -1]], given)
    found = of_one("softmax", x, dtype=wanted)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, np.exp(x.astype("float64")) / np.exp(x.astype("float64")).sum(),
                               {"float64": 1e-12, "float32": 1e-6, "float16": 1e-3}[dtype])


def test_the_product_of_vectors_has_a_rank():
    two = [("null", "a", {}, []), ("null", "b", {}, [])]
    a = np.array([1, 2, 3], "float32")
    np.testing.assert_array_equal(run(text_of(*two, ("dot", "y", {}, ["a", "b"])), {"a": a, "b": a}), [14])


@pytest.mark.parametrize("op, attrs", [
    ("Reshape", {"shape": (0, 0, 0)}), ("Reshape", {"shape": (6, -3)}), ("Reshape", {"shape": (0, -3)}),
    ("Reshape", {"shape": (2, -4)}), ("Reshape", {"shape": (-4, 1)}), ("Reshape", {"shape": (-4, 2, 2, 3)}),
    ("Reshape", {"shape": (-4, -1, -1, 3)}), ("Reshape", {"shape": (-1, -1)}), ("Reshape", {"shape": (5, -1)}),
    ("Reshape", {"shape": (-5, 3)}), ("Reshape", {"shape": (0, 0, 0), "reverse": True}), ("Reshape", {"shape": (7,)}),
    ("_arange", {"infer_range": True, "start": 0}), ("softmax", {"dtype": "int32"}), ("_linalg_gemm2", {"axis": -3})])
def test_attributes_that_are_refused(op, attrs):
    reads = {"_arange": [], "_linalg_gemm2": ["x", "x"]}.get(op, ["x"])
    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_mxnet(text_of(("null", "x", {}, []), (op, "y", attrs, reads)), {"x": (2, 3)})
    assert raised.value.name == "mxnet-attribute"
    assert all(word in str(raised.value) for word in ("`y`", "expected: ", "found: ", "help: "))


class Array:
    def __init__(self, data):
        self.data = data

    def asnumpy(self):
        return self.data


class Symbol:
    def __init__(self, text):
        self.tojson = lambda: text


def test_symbols_and_arrays_of_mxnet():
    text = text_of(("null", "x", {}, []), ("null", "w", {}, []),
                   ("FullyConnected", "y", {"num_hidden": 2, "no_bias": True}, ["x", "w"]))
    w = RANDOM.normal(size=(2, 3)).astype("float32")
    mod, params = relay.frontend.from_mxnet(Symbol(text), {"x": (1, 3)}, arg_params={"w": Array(w), "unused": Array(w)})
    assert [p.name_hint for p in mod["main"].params] == ["x", "w"] and list(params) == ["w"]
    np.testing.assert_array_equal(params["w"].numpy(), w)


def test_parameters_may_have_the_prefixes_of_files():
    names = ["x", "g", "b", "m", "v"]
    text = text_of(*[("null", name, {}, []) for name in names], ("BatchNorm", "y", {"fix_gamma": False}, names))
    mod, params = relay.frontend.from_mxnet(text, {"x": (1, 2)}, "float32",
                                            {"arg:g": np.ones(2, "float32"), "arg:b": np.ones(2, "float32")},
                                            {"aux:m": np.ones(2, "float32"), "aux:v": np.ones(2, "float32")})
    assert [p.name_hint for p in mod["main"].params] == names and sorted(params) == ["b", "g", "m", "v"]


def test_what_cannot_be_imported_is_named():
    def error_of(*args, **kwargs):
        with pytest.raises(lathe.LatheError) as raised:
            relay.frontend.from_mxnet(*args, **kwargs)
        return raised.value

    x = ("null", "x", {}, [])
    found = error_of(text_of(x, ("RNN", "y", {}, ["x"]), ("Custom", "z", {}, ["y"])), {"x": (2, 3)})
    assert found.name == "mxnet-unsupported" and "Custom, RNN" in str(found)
    assert error_of("{}").name == error_of("no json").name == "mxnet-malformed"
    assert error_of(3).name == "mxnet-model-type"
    assert error_of(text_of(x, ("exp", "y", {}, ["x"]))).name == "mxnet-input-shape"
    found = error_of(text_of(x, ("Activation", "y", {"act_type": "odd"}, ["x"])), {"x": (2, 3)})
    assert found.name == "mxnet-attribute" and "`y`" in str(found)


def test_all_operators_are_in_one_table():
    assert len(_mxnet_operators.OPERATORS) > 200 and _mxnet_elements.operator is _mxnet_operators.operator
