"""relay.frontend.from_tflite: models as bytes that the test writes, and real models."""

import os
import pathlib
import struct

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.contrib import graph_executor


class Table:
    """A table of FlatBuffers: {number of a field: bytes of a number, a Table, or a list of them}."""

    def __init__(self, **fields):
        self.fields = {int(name[1:]): value for name, value in fields.items()}

    def append_to(self, out):
        count = max(self.fields, default=-1) + 1
        out.extend(b"\0" * (-len(out) % 8))
        listed = len(out)
        out.extend(b"\0" * (4 + 2 * count))
        out.extend(b"\0" * (-len(out) % 8))
        at = len(out)
        out.extend(b"\0" * (8 + 8 * len(self.fields)))
        struct.pack_into("<HH", out, listed, 4 + 2 * count, 8 + 8 * len(self.fields))
        struct.pack_into("<i", out, at, at - listed)
        for i, (number, value) in enumerate(sorted(self.fields.items())):
            place = at + 8 + 8 * i
            struct.pack_into("<H", out, listed + 4 + 2 * number, place - at)
            if isinstance(value, bytes):
                out[place:place + len(value)] = value
                continue
            if isinstance(value, np.ndarray):
                out.extend(b"\0" * (-len(out) % 16 + 12))
                struct.pack_into("<I", out, place, len(out) - place)
                out.extend(struct.pack("<I", value.size) + value.tobytes() + b"\0")
            elif isinstance(value, Table):
                struct.pack_into("<I", out, place, value.append_to(out) - place)
            else:
                out.extend(b"\0" * (-len(out) % 4))
                first = len(out) + 4
                struct.pack_into("<I", out, place, len(out) - place)
                out.extend(struct.pack("<I", len(value)) + b"\0" * (4 * len(value)))
                for k, table in enumerate(value):
                    inner = table.append_to(out)
                    struct.pack_into("<I", out, first + 4 * k, inner - first - 4 * k)
        return at


def numbers(*values, dtype="int32"):
    return np.array(values, dtype)


def text(value):
    return np.frombuffer(value.encode(), "uint8")


def tensor(name, shape, kind=0, buffer=0):
    return Table(f0=numbers(*shape), f1=struct.pack("b", kind), f2=struct.pack("<I", buffer),
                 f3=text(name))


def model(tensors, operators, inputs, outputs, buffers=()):
    """operators: (number, inputs, outputs, type of the options, options)."""
    codes = [Table(f0=struct.pack("b", op[0]), f3=struct.pack("<i", op[0])) for op in operators]
    made = [Table(f0=struct.pack("<I", i), f1=numbers(*op[1]), f2=numbers(*op[2]),
                  f3=struct.pack("B", op[3]), f4=op[4]) for i, op in enumerate(operators)]
    graph = Table(f0=tensors, f1=numbers(*inputs), f2=numbers(*outputs), f3=made)
    root = Table(f0=struct.pack("<I", 3), f1=codes, f2=[graph],
                 f4=[Table(), *(Table(f0=np.frombuffer(b.tobytes(), "uint8")) for b in buffers)])
    out = bytearray(8)
    out[4:8] = b"TFL3"
    struct.pack_into("<I", out, 0, root.append_to(out))
    return bytes(out)


W = np.random.default_rng(1).standard_normal((4, 3)).astype("float32")
FULLY_CONNECTED, RELU = 9, struct.pack("b", 1)
DENSE = model([tensor("x", (1, 3)), tensor("w", W.shape, buffer=1), tensor("y", (1, 4))],
              [(FULLY_CONNECTED, (0, 1, -1), (2,), 8, Table(f0=RELU))], (0,), (2,), [W])


def run(mod, params, level=3, **inputs):
    with lathe.transform.PassContext(opt_level=level):
        lib = relay.build(mod, "llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    m.run(**inputs)
    return m.get_output(0).numpy()


def test_a_model_runs():
    mod, params = relay.frontend.from_tflite(DENSE)
    assert list(params) == ["w"] and params["w"].numpy().tolist() == W.tolist()
    x = np.random.default_rng(2).standard_normal((1, 3)).astype("float32")
    np.testing.assert_allclose(run(mod, params, x=x), np.maximum(x @ W.T, 0), rtol=1e-5, atol=1e-6)


def test_forms_of_a_model(tmp_path):
    path = tmp_path / "dense.tflite"
    path.write_bytes(DENSE)

    class Tab:
        Bytes = bytearray(DENSE)

    class Model:
        _tab = Tab()

    text_of = str(relay.frontend.from_tflite(DENSE)[0])
    for form in (path, str(path), bytearray(DENSE), Model()):
        assert str(relay.frontend.from_tflite(form)[0]) == text_of
    with pytest.raises(TypeError) as raised:
        relay.frontend.from_tflite(3)
    assert raised.value.name == "tflite-model-type"


def test_shapes_and_types():
    mod, params = relay.frontend.from_tflite(DENSE, {"x": ("batch", 3)}, {"x": "float32"})
    assert "float32[batch, 4]" in str(mod)
    for rows in (1, 5):
        x = np.random.default_rng(rows).standard_normal((rows, 3)).astype("float32")
        np.testing.assert_allclose(run(mod, params, x=x), np.maximum(x @ W.T, 0), rtol=1e-5,
                                   atol=1e-6)
    for shape, name in (({"z": (2, 3)}, "tflite-input-unknown"), ({"x": (2,)}, "tflite-input-shape"),
                        ({"x": (2, 5)}, "graph-attribute")):
        with pytest.raises(lathe.LatheError) as raised:
            relay.frontend.from_tflite(DENSE, shape)
        assert raised.value.name == name
    for dtypes in ({"x": "int8"}, {"z": "float32"}):
        with pytest.raises(TypeError):
            relay.frontend.from_tflite(DENSE, None, dtypes)


def test_errors_name_the_operator():
    bad = model([tensor("x", (2,)), tensor("y", (2,))], [(30, (0,), (1,), 0, Table())], (0,), (1,))
    with pytest.raises(lathe.LatheError, match="1 x SKIP_GRAM"):
        relay.frontend.from_tflite(bad)
    cyclic = model([tensor("x", (2,)), tensor("y", (2,))], [(0, (0, 1), (1,), 0, Table())], (0,), (1,))
    with pytest.raises(lathe.LatheError, match="operator `y`.*ADD"):
        relay.frontend.from_tflite(cyclic)
    with pytest.raises(OSError) as raised:
        relay.frontend.from_tflite("/nowhere/model.tflite")
    assert raised.value.name == "tflite-file"


DATA = pathlib.Path(os.environ.get("LATHE_TEST_DATA", "/nowhere")) / "tflite"
real = pytest.mark.skipif(not DATA.is_dir(), reason="LATHE_TEST_DATA names no folder with tflite/")

# What the reference kernels of TensorFlow 2.21 give for inputs (37 i + 11) mod 256: the first
# numbers, and the sum of i y[i], counted from 1.
QUANTISED = {
    "anomaly_detection_quant": ([-36, 10, 38, 55, 51, 52, 48, 65, 53, 51, 52, 45], 1745567),
    "image_classification_quant": ([-128, -128, -51, -128, -128, -128, -101, -128, 24, -128], -5252),
    "keyword_spotting_quant": ([-128] * 11 + [127], -6924),
    "mnist_model_quant": ([136, 133, 120, 84, 134, 94, 140, 120, 117, 96], 6285),
    "visual_wake_word_quant": ([121, -121], -121),
}
FLOATS = {
    "image_classification_fp32": [0.0253581, 5.002524e-05, 0.01381482, 0.09311337, 0.8637885,
                                  1.803559e-05, 0.002009593, 0.001826356, 2.056535e-05,
                                  6.317405e-07],
    "sine_model": [-0.4769837],
    "visual_wake_word_fp32": [0.9966973, 0.003302773],
    # Its weights are int8, and the reference kernels round what they multiply, too.
    "keyword_spotting_fp32": [0.07452359, 0.04631798, 0.0328505, 0.06668372, 0.03939762, 0.03871686,
                              0.02382122, 0.05332826, 0.03814901, 0.03211444, 0.002106083, 0.5519907],
}
# Recorded inputs: the file, and what the reference kernels give for it.
RECORDED = {
    "image_classification_quant": ("image_classification_int8_0", [127] + [-128] * 9),
    "keyword_spotting_quant": ("keyword_spotting_int8_6.pyc",
                               [-128, -128, -126, -128, -128, -128, 122, -128, -128, -128, -128,
                                -125]),
    "visual_wake_word_quant": ("visual_wake_word_int8_1", [-96, 96]),
}


def ramp(param):
    shape = [int(n) for n in param.type_annotation.shape]
    i = (np.arange(np.prod(shape)) * 37 + 11) % 256
    dtype = param.type_annotation.dtype
    if dtype == "float32":
        return ((i - 128) / 128).astype("float32").reshape(shape)
    return (i - (128 if dtype == "int8" else 0)).astype(dtype).reshape(shape)


@real
@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("name", QUANTISED)
def test_quantised_models_are_exact(name, level):
    mod, params = relay.frontend.from_tflite(DATA / f"{name}.tflite")
    x = mod["main"].params[0]
    y = run(mod, params, level, **{x.name_hint: ramp(x)}).ravel().astype("int64")
    first, checksum = QUANTISED[name]
    assert y[:12].tolist() == first
    assert int((y * (np.arange(y.size) + 1)).sum()) == checksum
    if name in RECORDED:
        file, expected = RECORDED[name]
        y = run(mod, params, level, **{x.name_hint: np.load(DATA / f"data/{file}.npy")})
        assert y.ravel().tolist() == expected


@real
@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("name", FLOATS)
def test_models_of_floats(name, level):
    mod, params = relay.frontend.from_tflite(DATA / f"{name}.tflite")
    x = mod["main"].params[0]
    y = run(mod, params, level, **{x.name_hint: ramp(x)}).ravel()
    near = 2e-2 if name == "keyword_spotting_fp32" else 1e-5
    np.testing.assert_allclose(y, FLOATS[name], rtol=1e-4, atol=near)
    assert np.argmax(y) == np.argmax(FLOATS[name])


@real
def test_any_number_of_pictures():
    mod, params = relay.frontend.from_tflite(DATA / "image_classification_fp32.tflite",
                                             {"input_1": ("n", 32, 32, 3)})
    picture = np.load(DATA / "data/testdata_image_classification_fp32_8.npy")
    many = run(mod, params, input_1=np.repeat(picture, 3, 0))
    assert many.shape == (3, 10) and np.argmax(many, 1).tolist() == [8, 8, 8]
