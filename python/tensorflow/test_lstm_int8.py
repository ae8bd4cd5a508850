"""LSTMs in whole numbers beside the reference kernel, bit for bit.

TensorFlow 2.21's own calibration of an LSTM ends in a segmentation fault, so the models are written here.
"""

import flatbuffers
import numpy as np
import pytest
from frozen import run
from tensorflow.lite.python import schema_py_generated as schema
from tensorflow.lite.python.interpreter import Interpreter, OpResolverType

from lathe import relay

INT8, INT16, INT32 = schema.TensorType.INT8, schema.TensorType.INT16, schema.TensorType.INT32
LSTM = 44


class Model:
    """One graph with one operator."""

    def __init__(self):
        self.tensors, self.buffers = [], [schema.BufferT()]

    def tensor(self, shape, kind, scale=None, zero=0, data=None, variable=False):
        made = schema.TensorT()
        made.name, made.shape, made.type, made.isVariable = f"t{len(self.tensors)}", list(shape), kind, variable
        made.buffer = 0
        if data is not None:
            made.buffer = len(self.buffers)
            self.buffers.append(schema.BufferT())
            self.buffers[-1].data = np.frombuffer(data.tobytes(), "uint8")
        if scale is not None:
            made.quantization = schema.QuantizationParametersT()
            made.quantization.scale, made.quantization.zeroPoint = [float(np.float32(scale))], [zero]
        self.tensors.append(made)
        return len(self.tensors) - 1

    def bytes(self, inputs, outputs, operator):
        code = schema.OperatorCodeT()
        code.builtinCode = code.deprecatedBuiltinCode = LSTM
        code.version = 2
        graph = schema.SubGraphT()
        graph.tensors, graph.inputs, graph.outputs, graph.operators = self.tensors, inputs, outputs, [operator]
        model = schema.ModelT()
        model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [code], [graph], self.buffers
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def lstm(seed, batch, steps, features, hidden, bits, time_major=False):
    """`bits`: of the memory before the point."""
    random = np.random.default_rng(seed)
    model = Model()
    scale, zero = random.uniform(0.01, 0.1), int(random.integers(-30, 30))
    own, own_zero = random.uniform(0.006, 0.01), int(random.integers(-10, 10))

    def sequence(width, *affine):
        return model.tensor((steps, batch, width) if time_major else (batch, steps, width), INT8, *affine)

    def matrices(columns):
        return [model.tensor((hidden, columns), INT8, random.uniform(0.002, 0.02), 0,
                             random.integers(-127, 128, (hidden, columns)).astype("int8")) for _ in range(4)]

    x = sequence(features, scale, zero)
    weights = matrices(features) + matrices(hidden)
    biases = [model.tensor((hidden,), INT32, None, 0, random.integers(-3000, 3000, hidden).astype("int32"))
              for _ in range(4)]
    state = model.tensor((batch, hidden), INT8, own, own_zero, variable=True)
    memory = model.tensor((batch, hidden), INT16, 2.0 ** (bits - 15), variable=True)
    op = schema.OperatorT()
    op.intermediates = [model.tensor((), INT16, 2.0 ** -12) for _ in range(4)]
    op.intermediates.append(model.tensor((), INT8, own, own_zero))
    y = sequence(hidden, own, own_zero)
    op.inputs, op.outputs = [x, *weights, *[-1] * 3, *biases, -1, -1, state, memory, *[-1] * 4], [y]
    op.builtinOptionsType = schema.BuiltinOptions.UnidirectionalSequenceLSTMOptions
    op.builtinOptions = schema.UnidirectionalSequenceLSTMOptionsT()
    op.builtinOptions.fusedActivationFunction, op.builtinOptions.timeMajor = 4, time_major
    return model.bytes([x], [y], op)


@pytest.mark.parametrize("sizes", [(1, 6, 5, 7, 3), (2, 9, 16, 24, 4), (3, 4, 8, 8, 0, True), (1, 12, 10, 13, 6),
                                   (2, 60, 20, 40, 4), (4, 30, 12, 16, 5), (2, 20, 30, 32, 1), (1, 49, 10, 64, 2)])
def test_each_number(sizes):
    model = lstm(sum(sizes), *sizes)
    interpreter = Interpreter(model_content=model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    (given,), (made,) = interpreter.get_input_details(), interpreter.get_output_details()
    x = np.random.default_rng(7).integers(-128, 128, given["shape"]).astype("int8")
    interpreter.set_tensor(given["index"], x)
    interpreter.invoke()
    expected = interpreter.get_tensor(made["index"])
    assert expected.std() > 1
    mod, params = relay.frontend.from_tflite(model)
    for level in (0, 3):
        (found,) = run(mod, params, level, {given["name"]: x})
        np.testing.assert_array_equal(found, expected)
