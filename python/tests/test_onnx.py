"""relay.frontend.from_onnx: models as bytes that the test writes, and recorded models."""

import os
import pathlib

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.contrib import graph_executor


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "float16": 10}


def tensor(name, array):
    array = np.ascontiguousarray(array)
    kind = KINDS[str(array.dtype)]
    return b"".join(number(1, n) for n in array.shape) + number(2, kind) + data(8, name) + \
        data(9, array.tobytes())


def node(op, inputs, outputs, *attributes, domain=""):
    return b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in outputs) + \
        data(4, op) + b"".join(data(5, a) for a in attributes) + data(7, domain)


def attribute(name, value):
    """An int, float, str, array, or list of ints, floats or strs."""
    fields = {int: (2, 3, number), float: (1, 2, real), str: (3, 4, data), np.ndarray: (4, 5, array)}
    lists = {int: (7, 8, number), float: (6, 7, real), str: (8, 9, data)}
    kind, field, write = lists[type(value[0])] if isinstance(value, list) else fields[type(value)]
    items = value if isinstance(value, list) else [value]
    return data(1, name) + b"".join(write(field, one) for one in items) + number(20, kind)


def real(field, value):
    return varint(field << 3 | 5) + np.float32(value).tobytes()


def array(field, value):
    return data(field, tensor("", value))


def value(name, shape, kind=1):
    dims = b"".join(data(1, data(2, n) if isinstance(n, str) else number(1, n)) for n in shape)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, dims)))


def model(nodes, inputs, outputs, initializers=(), opset=17):
    graph = b"".join(data(1, n) for n in nodes) + data(2, "test") + \
        b"".join(data(5, t) for t in initializers) + b"".join(data(11, i) for i in inputs) + \
        b"".join(data(12, data(1, o)) for o in outputs)
    return number(1, 8) + data(8, data(1, "") + number(2, opset)) + data(7, graph)


W = np.random.default_rng(1).standard_normal((3, 4)).astype("float32")
DENSE = model([node("MatMul", ["x", "w"], ["h"]), node("Relu", ["h"], ["y"])],
              [value("x", ["batch", 3])], ["y"], [tensor("w", W)])


def results(mod, params, **inputs):
    """All results of an imported model, as NumPy arrays."""
    lib = relay.build(mod, "llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    m.run(**inputs)
    return [m.get_output(i).numpy() for i in range(m.get_num_outputs())]


def run(mod, params, **inputs):
    """The one result of an imported model."""
    result, = results(mod, params, **inputs)
    return result


@pytest.mark.parametrize("frozen", [False, True])
def test_a_model_runs(frozen):
    mod, params = relay.frontend.from_onnx(DENSE, freeze_params=frozen)
    assert list(params) == ([] if frozen else ["w"])
    assert "float32[batch, 3]" in str(mod)
    for rows in (1, 5):
        x = np.random.default_rng(rows).standard_normal((rows, 3)).astype("float32")
        np.testing.assert_allclose(run(mod, params, x=x), np.maximum(x @ W, 0), rtol=1e-5, atol=1e-6)


def test_forms_of_a_model(tmp_path):
    path = tmp_path / "dense.onnx"
    path.write_bytes(DENSE)

    class Proto:
        def SerializeToString(self):
            return DENSE

    text = str(relay.frontend.from_onnx(DENSE)[0])
    for form in (path, str(path), bytearray(DENSE), Proto()):
        assert str(relay.frontend.from_onnx(form)[0]) == text
    with pytest.raises(TypeError) as raised:
        relay.frontend.from_onnx(3)
    assert raised.value.name == "onnx-model-type"


def test_shapes():
    mod, _ = relay.frontend.from_onnx(DENSE, {"x": (2, 3)})
    assert "float32[2, 4]" in str(mod)
    mod, _ = relay.frontend.from_onnx(DENSE, {"x": ("rows", 3)})
    assert "float32[rows, 4]" in str(mod)
    for shape, name in (({"z": (2, 3)}, "onnx-input-unknown"), ({"x": (2,)}, "onnx-input-shape"),
                        ({"x": (2, 5)}, "graph-argument")):
        with pytest.raises(lathe.LatheError) as raised:
            relay.frontend.from_onnx(DENSE, shape)
        assert raised.value.name == name


def test_errors_name_the_node():
    bad = model([node("Nonsense", ["x"], ["y"])], [value("x", [2])], ["y"])
    with pytest.raises(lathe.LatheError, match="1 x Nonsense"):
        relay.frontend.from_onnx(bad)
    with pytest.raises(lathe.LatheError, match="node `y`"):
        relay.frontend.from_onnx(model([node("Add", ["x", "w"], ["y"])], [value("x", [2])], ["y"],
                                       [tensor("w", np.ones(3, "float32"))]))
    with pytest.raises(OSError):
        relay.frontend.from_onnx("/nowhere/model.onnx")


# -- Operators of the caller's own.

SCALE = node("Scale", ["x", "w", ""], ["y"], attribute("factor", 2.0), attribute("times", 3),
             attribute("mode", "plain"), attribute("axes", [0, 1]), attribute("parts", [0.5, 1.5]),
             attribute("names", ["a", "b"]), attribute("table", np.arange(4, dtype="float32")),
             domain="com.example")
OWN = model([SCALE, node("Relu", ["y"], ["z"])], [value("x", ["batch", 4])], ["z"],
            [tensor("w", W[0])])


@pytest.mark.parametrize("frozen", [False, True])
def test_a_converter_of_ones_own(frozen):
    seen = {}

    def scale(inputs, attributes):
        seen.update(attributes, inputs=inputs)
        return inputs[0] * inputs[1] * attributes["factor"] + attributes["table"]

    mod, params = relay.frontend.from_onnx(OWN, freeze_params=frozen,
                                           convert_map={"com.example.Scale": scale})
    assert list(params) == ([] if frozen else ["w"])
    x, w, left_out = seen.pop("inputs")
    table = seen.pop("table").data.numpy()
    assert seen == {"factor": 2.0, "times": 3, "mode": "plain", "axes": [0, 1],
                    "parts": [0.5, 1.5], "names": ["a", "b"]}
    assert isinstance(x, relay.Var) and str(x.checked_type) == "float32[batch, 4]"
    assert isinstance(w, relay.Constant) and left_out is None
    np.testing.assert_array_equal(w.data.numpy(), W[0])
    np.testing.assert_array_equal(table, np.arange(4))
    assert "%y" in str(mod)  # bindings have the name of the model's value
    data_in = np.random.default_rng(2).standard_normal((3, 4)).astype("float32")
    expected = np.maximum(data_in * W[0] * 2 + table, 0)
    np.testing.assert_allclose(run(mod, params, x=data_in), expected, rtol=1e-5, atol=1e-6)


def test_converters_come_first_and_give_several_results():
    """An operator of ONNX's is replaced; results may be a list, what relay.split gives, or a tuple."""
    parts = model([node("Halves", ["x"], ["a", "b"], domain="test"), node("Add", ["a", "b"], ["c"]),
                   node("Relu", ["c"], ["y"])], [value("x", [2, 6])], ["y"])
    split = lambda inputs, attributes: relay.split(inputs[0], 2, axis=1)
    x = np.arange(12, dtype="float32").reshape(2, 6) - 6
    for halves in (split, lambda i, a: list(split(i, a)), lambda i, a: relay.Tuple(list(split(i, a))),
                   lambda i, a: split(i, a).astuple()):
        mod, params = relay.frontend.from_onnx(
            parts, convert_map={"test.Halves": halves, "Relu": lambda i, a: relay.negative(i[0])})
        np.testing.assert_array_equal(run(mod, params, x=x), -(x[:, :3] + x[:, 3:]))


def test_a_converter_may_pass_its_input_on_or_choose():
    """The graph may be an input, or have bodies of its own."""
    mod, params = relay.frontend.from_onnx(OWN, convert_map={"com.example.Scale": lambda i, a: i[0]})
    x = np.float32([[1, -2, 3, -4]])
    np.testing.assert_array_equal(run(mod, params, x=x), np.maximum(x, 0))

    def choose(inputs, attributes):
        positive = relay.greater(relay.sum(inputs[1]), relay.const(0.0))
        return relay.If(positive, inputs[0], inputs[0] + inputs[1])

    mod, params = relay.frontend.from_onnx(OWN, convert_map={"com.example.Scale": choose})
    expected = x if W[0].sum() > 0 else x + W[0]
    np.testing.assert_allclose(run(mod, params, x=x), np.maximum(expected, 0), rtol=1e-6)


def fails(inputs, attributes):
    raise RuntimeError("out of ideas")


@pytest.mark.parametrize("function, said, kind", [
    (lambda i, a: None, "gives no expression", TypeError),
    (lambda i, a: [i[0], 3], "gives no expression", TypeError),
    (lambda i, a: [i[0], i[0]], "wrong number of results", lathe.LatheError),
    (lambda i, a: [], "wrong number of results", lathe.LatheError),
    (fails, "RuntimeError: out of ideas", ValueError),
    (lambda i, a: a["missing"], "KeyError: 'missing'", ValueError),
    (lambda i, a: i[0] + relay.var("free", shape=(4,)), "`free` is free", ValueError),
])
def test_converters_that_fail(function, said, kind):
    with pytest.raises(kind) as raised:
        relay.frontend.from_onnx(OWN, convert_map={"com.example.Scale": function})
    assert said in str(raised.value)
    assert "node `y` (com.example.Scale, opset 1)" in str(raised.value)
    if "free" not in said:
        assert raised.value.name == "onnx-custom"


def test_the_line_of_a_converter_is_shown():
    def wrong(inputs, attributes):
        return relay.reshape(inputs[0], (3, 5, 7))  # this line

    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_onnx(OWN, {"x": (2, 4)}, convert_map={"com.example.Scale": wrong})
    assert "node `y`" in str(raised.value) and "# this line" in str(raised.value)
    with pytest.raises(ValueError) as raised:
        relay.frontend.from_onnx(OWN, convert_map={"com.example.Scale": fails})
    assert isinstance(raised.value.__cause__, RuntimeError)


def test_wrong_maps():
    for wrong in ([fails], {"com.example.Scale": 3}, {3: fails}):
        with pytest.raises(TypeError, match="convert_map must be") as raised:
            relay.frontend.from_onnx(OWN, convert_map=wrong)
        assert raised.value.name == "onnx-custom"
    with pytest.raises(lathe.LatheError, match="convert_map=.*com.example.Scale"):
        relay.frontend.from_onnx(OWN, convert_map={"Scale": fails})


DATA = pathlib.Path(os.environ.get("LATHE_TEST_DATA", "/nowhere"))


@pytest.mark.skipif(not (DATA / "models").is_dir(),
                    reason="LATHE_TEST_DATA names no folder with models/")
def test_mobilenet_on_a_cat():
    mod, params = relay.frontend.from_onnx(DATA / "models/mobilenet_v2_f32.onnx", freeze_params=True)
    name = mod["main"].params[0].name_hint
    x = np.load(DATA / "models/cat_png_1x3x224x224_f32.npy")
    found = run(mod, params, **{name: x}).ravel()
    expected = np.load(DATA / "models/mobilenet_v2_f32_logits_cat.npy").ravel()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)
    assert np.argmax(found) == 282


def outputs(nodes, names, opset=17, shapes=None, fixed=(), **inputs):
    """What a model of these nodes gives for the inputs.

    `shapes` are given where they are not those of the arrays; `fixed` are inputs that the importer knows.
    """
    given = {name: x for name, x in inputs.items() if name not in fixed}
    values = [value(name, (shapes or {}).get(name, x.shape), KINDS[str(x.dtype)]) for name, x in given.items()]
    made = model(nodes, values, names, [tensor(name, inputs[name]) for name in fixed], opset)
    mod, params = relay.frontend.from_onnx(made, freeze_params=True)
    found = results(mod, params, **given)
    assert len(found) == len(names)
    return found


def constant(name, array):
    return node("Constant", [], [name], attribute("value", np.asarray(array)))


def test_products_of_vectors():
    random = np.random.default_rng(1)
    for a, b in (((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((5, 2, 3), (3,)), ((3,), (5, 3, 2))):
        x, y = random.random(a, dtype="float32"), random.random(b, dtype="float32")
        found, = outputs([node("MatMul", ["x", "y"], ["z"])], ["z"], x=x, y=y)
        np.testing.assert_allclose(found, x @ y, rtol=1e-5)


def test_a_bound_that_a_run_makes_negative_counts_from_the_end():
    x = np.arange(15, dtype="float32").reshape(5, 3)
    nodes = [node("Shape", ["x"], ["shape"]), constant("zero", [0]), constant("one", [1]),
             constant("three", [3]), constant("most", [2**63 - 1]),
             node("Slice", ["shape", "zero", "one"], ["n"]), node("Sub", ["three", "n"], ["begin"]),
             node("Sub", ["one", "n"], ["end"]), node("Slice", ["x", "begin", "most", "zero"], ["y"]),
             node("Slice", ["x", "zero", "end", "zero"], ["z"])]
    y, z = outputs(nodes, ["y", "z"], shapes={"x": ["n", 3]}, x=x)
    np.testing.assert_array_equal(y, x[-2:])
    np.testing.assert_array_equal(z, x[:-4])


def test_a_slice_from_where_a_run_says_to_the_end():
    x = np.arange(15, dtype="float32").reshape(5, 3)
    nodes = [constant("zero", [0]), constant("most", [2**63 - 1]),
             node("Slice", ["x", "s", "most", "zero"], ["y"])]
    for begin in (1, -2):
        y, = outputs(nodes, ["y"], shapes={"x": ["n", 3]}, x=x, s=np.array([begin], "int64"))
        np.testing.assert_array_equal(y, x[begin:])


def test_the_frame_of_a_pool_has_no_places():
    ints = {"kernel_shape": [2, 2], "pads": [1, 1, 1, 1], "strides": [2, 2]}
    pool = node("MaxPool", ["x"], ["y", "i"], *(attribute(k, v) for k, v in ints.items()))
    for x in (np.zeros((1, 1, 3, 3), "uint8"), np.full((1, 1, 3, 3), -128, "int8"),
              np.full((1, 1, 3, 3), -np.inf, "float32")):
        places = outputs([pool], ["y", "i"], x=x)[1]
        assert places.ravel().tolist() == [0, 1, 3, 4]
    x = np.random.default_rng(3).random((2, 3, 5, 4), dtype="float32")
    y, places = outputs([pool], ["y", "i"], x=x)
    np.testing.assert_array_equal(x.ravel()[places], y)


def test_resized_bytes_end_at_their_range():
    x = np.where(np.random.default_rng(5).random((1, 1, 4, 4)) < 0.5, 0, 255).astype("uint8")
    def resize(array):
        nodes = [constant("scales", np.array([1, 1, 2, 2], "float32")),
                 node("Resize", ["x", "", "scales"], ["y"], attribute("mode", "cubic"))]
        return outputs(nodes, ["y"], x=array)[0]
    exact = resize(x.astype("float32"))
    assert exact.min() < -1 and exact.max() > 256
    np.testing.assert_array_equal(resize(x), np.clip(np.rint(exact), 0, 255).astype("uint8"))


def test_norms_of_what_has_none():
    lp, = outputs([node("LpNormalization", ["x"], ["y"])], ["y"], x=np.zeros((1, 3), "float32"))
    assert lp.tolist() == [[0, 0, 0]]
    nodes = [node("MeanVarianceNormalization", ["x"], ["y"])]
    same = np.full((2, 3, 2, 2), 0.5, "float32")
    np.testing.assert_array_equal(outputs(nodes, ["y"], x=same)[0], 0 * same)
    # Far from zero, where E(x^2) - mean^2 cancels.
    x = np.random.default_rng(2).standard_normal((2, 3, 4, 4)).astype("float32") + np.float32(1000)
    wide = x.astype("float64")
    exact = (wide - wide.mean((0, 2, 3), keepdims=True)) / wide.std((0, 2, 3), keepdims=True)
    np.testing.assert_allclose(outputs(nodes, ["y"], x=x)[0], exact, atol=1e-3)


def test_more_parts_than_elements():
    x = np.arange(5, dtype="float32")
    parts = outputs([node("Split", ["x"], list("abcd"), attribute("num_outputs", 4))], list("abcd"), opset=18, x=x)
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3], [4], []]


def test_ranges_of_large_numbers():
    nodes = [constant("a", np.array(2**60)), constant("b", np.array(2**60 + 3)), constant("c", np.array(1)),
             node("Range", ["a", "b", "c"], ["r"]), node("Add", ["r", "x"], ["y"])]
    y, = outputs(nodes, ["y"], x=np.zeros(3, "int64"))
    assert y.tolist() == [2**60, 2**60 + 1, 2**60 + 2]


def test_the_greatest_none():
    x = np.arange(6, dtype="float32").reshape(2, 3)
    greatest, places = outputs([constant("k", [0]), node("TopK", ["x", "k"], ["v", "i"])], ["v", "i"], x=x)
    assert greatest.shape == places.shape == (2, 0)


def of_one_node(op, *attributes, fixed=(), opset=18, **inputs):
    """The result of a model of one node; the rest is as for `outputs`."""
    result, = outputs([node(op, list(inputs), ["y"], *attributes)], ["y"], opset, fixed=fixed, **inputs)
    return result


def test_powers_of_whole_numbers_are_exact():
    x = np.array([[3, -7, 0, 1], [-1, 2, 2147483647, 3037000499]], "int64")
    for exponent in (0, 1, 2, 3, 13):
        small = x if exponent < 3 else x[:, :2]
        e = np.array(exponent, "int64")
        np.testing.assert_array_equal(of_one_node("Pow", x=small, e=e, fixed=["e"]), small ** e)
        np.testing.assert_array_equal(of_one_node("Pow", x=small, e=e), small ** e)
    bases = np.array([3, -3, 2, -2, 7, 1, -1, -1, 0, 0], "int64")
    exponents = np.array([39, 39, 62, 63, 22, 1 << 40, 1001, 1000, 0, 70], "int64")
    for fixed in ([], ["e"]):
        np.testing.assert_array_equal(of_one_node("Pow", x=bases, e=exponents, fixed=fixed), bases ** exponents)
    # Numbers between -1 and 1 are truncated.
    np.testing.assert_array_equal(
        of_one_node("Pow", x=np.array([2, -2, 1, -1, -1], "int64"), e=np.array([-1, -3, -2, -5, -4], "int64")),
        [0, 0, 1, -1, 1])
    # A base and an exponent of other types, which are broadcast.
    x, e = np.array([[5], [-6]], "int32"), np.array([[11, 2, 0]], "int64")
    np.testing.assert_array_equal(of_one_node("Pow", x=x, e=e), (x ** e).astype("int32"))


@pytest.mark.parametrize("fixed", [["axes"], []])
def test_reductions_of_whole_numbers_are_exact(fixed):
    big = (1 << 53) + 1
    x = np.array([[big, big + 2, big + 4], [-big, -big - 2, -big - 4], [7, -9, 0]], "int64")
    axes = np.array([1], "int64")
    keeps = attribute("keepdims", 0)
    for op, want in (("ReduceMean", [big + 2, -big - 2, 0]), ("ReduceSum", x.sum(1)), ("ReduceMax", x.max(1)),
                     ("ReduceMin", x.min(1)), ("ReduceL1", np.abs(x).sum(1))):
        np.testing.assert_array_equal(of_one_node(op, keeps, x=x, axes=axes, fixed=fixed), want)
    roots = np.array([[3, 4], [2147483647, 0], [-1500000001, 1]], "int64")
    want = np.sqrt((roots ** 2).sum(1)).astype("int64")
    np.testing.assert_array_equal(of_one_node("ReduceL2", keeps, x=roots, axes=axes, fixed=fixed), want)
    whole = np.array([2147483647] * 3 + [2147483646], "int32")
    axes = np.array([0], "int64")
    np.testing.assert_array_equal(of_one_node("ReduceMean", keeps, x=whole, axes=axes, fixed=fixed), 2147483646)
    np.testing.assert_array_equal(of_one_node("ReduceMean", keeps, x=-whole, axes=axes, fixed=fixed), -2147483646)


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("scale", [0.1, 0.3, 0.7, 1 / 255, 0.25])
def test_quotients_of_quantised_numbers_are_rounded_once(scale, level):
    """Halves go to the even number, and are those of x / scale, not of a product with the inverse."""
    scale = np.array(scale, "float32")
    x = ((np.arange(-129, 128) + np.float32(0.5)) * np.float64(scale)).astype("float32")
    zero = np.array(3, "int8")
    want = np.clip(np.rint(x / scale) + 3, -128, 127).astype("int8")
    with lathe.transform.PassContext(opt_level=level):
        got = of_one_node("QuantizeLinear", x=x, scale=scale, zero=zero, fixed=["scale", "zero"])
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(of_one_node("QuantizeLinear", x=x, scale=scale, zero=zero), want)
        # The quotient of small floats is one, too.
        x, scale = x.astype("float16"), scale.astype("float16")
        want = np.clip(np.rint(x / scale) + 3, -128, 127).astype("int8")
        got = of_one_node("QuantizeLinear", x=x, scale=scale, zero=zero, fixed=["scale", "zero"], opset=21)
        np.testing.assert_array_equal(got, want)
