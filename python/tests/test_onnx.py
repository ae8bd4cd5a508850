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


def tensor(name, array):
    array = np.ascontiguousarray(array)
    kind = {"float32": 1, "int64": 7}[str(array.dtype)]
    return b"".join(number(1, n) for n in array.shape) + number(2, kind) + data(8, name) + \
        data(9, array.tobytes())


def node(op, inputs, outputs, *attributes):
    return b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in outputs) + \
        data(4, op) + b"".join(data(5, a) for a in attributes)


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


def run(mod, params, **inputs):
    lib = relay.build(mod, "llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    m.run(**inputs)
    return m.get_output(0).numpy()


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
