"""relay.frontend.from_tensorflow: graphs as bytes that the test writes."""

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


def shape(dims):
    return b"".join(data(2, number(1, n)) for n in dims)


def node(name, op, *inputs, **attributes):
    entries = b"".join(data(5, data(1, key) + data(2, value)) for key, value in attributes.items())
    return data(1, data(1, name) + data(2, op) + b"".join(data(3, i) for i in inputs) + entries)


def placeholder(name, dims):
    return node(name, "Placeholder", dtype=number(6, 1), shape=data(7, shape(dims)))


def const(name, array):
    tensor = number(1, 1) + data(2, shape(array.shape)) + data(4, array.tobytes())
    return node(name, "Const", dtype=number(6, 1), value=data(8, tensor))


W = np.random.default_rng(1).standard_normal((3, 4)).astype("float32")
DENSE = node("y", "Relu", "h") + node("h", "MatMul", "x", "w") + placeholder("x", (-1, 3)) + \
    const("w", W)


def run(mod, params, level=3, **inputs):
    with lathe.transform.PassContext(opt_level=level):
        lib = relay.build(mod, "llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    m.run(**inputs)
    return m.get_output(0).numpy()


@pytest.mark.parametrize("level", [0, 3])
def test_a_graph_runs(level):
    mod, params = relay.frontend.from_tensorflow(DENSE)
    assert list(params) == ["w"] and "float32[x_0, 3]" in str(mod)
    for rows in (1, 5):
        x = np.random.default_rng(rows).standard_normal((rows, 3)).astype("float32")
        np.testing.assert_allclose(run(mod, params, level, x=x), np.maximum(x @ W, 0), rtol=1e-5,
                                   atol=1e-6)


def test_forms_of_a_graph(tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes(DENSE)

    class GraphDef:
        def SerializeToString(self):
            return DENSE

    text = str(relay.frontend.from_tensorflow(DENSE)[0])
    for form in (path, str(path), bytearray(DENSE), GraphDef()):
        assert str(relay.frontend.from_tensorflow(form)[0]) == text
    with pytest.raises(TypeError) as raised:
        relay.frontend.from_tensorflow(3)
    assert raised.value.name == "tensorflow-model-type"


def test_options():
    mod, _ = relay.frontend.from_tensorflow(DENSE, shape={"x": ("batch", 3)}, outputs="h")
    assert "float32[batch, 4]" in str(mod) and "relu" not in str(mod)
    mod, _ = relay.frontend.from_tensorflow(DENSE, None, {"x": (2, 3)}, ["y", "h"])
    assert "(float32[2, 4], float32[2, 4])" in str(mod)
    for keywords, name in (({"shape": {"z": (2, 3)}}, "tensorflow-input-unknown"),
                           ({"shape": {"x": (2,)}}, "tensorflow-input-shape"),
                           ({"outputs": ["z"]}, "tensorflow-outputs"),
                           ({"layout": "NCHW"}, "tensorflow-layout")):
        with pytest.raises(lathe.LatheError) as raised:
            relay.frontend.from_tensorflow(DENSE, **keywords)
        assert raised.value.name == name


def test_errors_name_the_node():
    with pytest.raises(lathe.LatheError, match="1 x Switch: control flow in its old form"):
        relay.frontend.from_tensorflow(placeholder("x", (2,)) + node("y", "Switch", "x", "x"))
    with pytest.raises(lathe.LatheError, match="node `y`"):
        relay.frontend.from_tensorflow(placeholder("x", (2,)) + const("w", np.ones(3, "float32")) +
                                       node("y", "AddV2", "x", "w"))
    with pytest.raises(OSError) as raised:
        relay.frontend.from_tensorflow("/nowhere/graph.pb")
    assert raised.value.name == "tensorflow-file"
