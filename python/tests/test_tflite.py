"""relay.frontend.from_tflite: models as bytes that the test writes (real ones: test_data_models.py)."""

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
