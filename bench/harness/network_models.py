"""The networks of bench/networks, as ONNX models with weights that are distinct in each layer.

Real models are taken as they are; ONNX's light models, whose weights are constant, get random ones;
the others are written by this file with random weights, as PyTorch would export them. All are
float32, but for `mobilenet_v2_int8`, which ONNX Runtime quantises.
"""

import os
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "python/onnxruntime"))
import model_cases  # noqa: E402: stands beside the tests of ONNX models

# name: file in the folder of data
IN_FILES = {
    "mobilenet_v2": "models/mobilenet_v2_f32.onnx",
    "resnet20": "models/resnet20_cifar10.onnx",
    "ultraface": "models/version-RFB-320_simplified.onnx",
    "resnet50": "onnx-light/light_resnet50.onnx",
    "squeezenet": "onnx-light/light_squeezenet.onnx",
    "densenet121": "onnx-light/light_densenet121.onnx",
    "inception_v1": "onnx-light/light_inception_v1.onnx",
    "inception_v2": "onnx-light/light_inception_v2.onnx",
    "vgg19": "onnx-light/light_vgg19.onnx",
    "shufflenet": "onnx-light/light_shufflenet.onnx",
    "alexnet": "onnx-light/light_bvlc_alexnet.onnx",
}
WRITTEN = ("resnet18", "bert", "decoder", "lstm")
QUANTISED = {"mobilenet_v2_int8": "mobilenet_v2"}
NAMES = (*IN_FILES, *WRITTEN, *QUANTISED)
# Inputs that are no floats: (least, below).
INTEGER_INPUTS = {"tokens": (0, 30000)}


class Network:
    """An ONNX graph in the making; weights are drawn as they are asked for."""

    def __init__(self, name):
        self.name, self.nodes, self.weights = name, [], []
        self.random = np.random.default_rng(len(name))

    def constant(self, values):
        name = f"constant_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def weight(self, *shape, fan=None):
        """Of a layer that sums `fan` products (by default the product of all extents but the
        first)."""
        fan = fan or int(np.prod(shape[1:])) or 1
        return self.constant(self.random.standard_normal(shape, "float32") * np.float32(np.sqrt(2 / fan)))

    def vector(self, length, least=-0.1, most=0.1):
        return self.constant(self.random.uniform(least, most, length).astype("float32"))

    def op(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{kind.lower()}_{len(self.nodes)}" + (f"_{k}" if k else "") for k in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names[0] if outputs == 1 else names

    def dense(self, x, inputs, outputs):
        return self.op("Add", self.op("MatMul", x, self.weight(inputs, outputs, fan=2 * inputs)), self.vector(outputs))

    def norm(self, x, hidden):
        return self.op("LayerNormalization", x, self.vector(hidden, 0.5, 1.5), self.vector(hidden), axis=-1, epsilon=1e-12)

    def reshape(self, x, *shape):
        return self.op("Reshape", x, self.constant(np.array(shape, "int64")))

    def model(self, inputs, outputs):
        """`inputs`: name -> (element type, shape); `outputs`: name -> shape."""
        for name, source in outputs.items():
            self.nodes.append(helper.make_node("Identity", [source], [name]))
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        return onnx.shape_inference.infer_shapes(model)


def resnet18(batch):
    net = Network("resnet18")

    def conv(x, filters, channels, window, stride):
        pad = window // 2
        return net.op("Conv", x, net.weight(filters, channels, window, window), net.vector(filters), kernel_shape=[window] * 2, strides=[stride] * 2, pads=[pad] * 4)

    x = net.op("Relu", conv("data", 64, 3, 7, 2))
    x = net.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for filters in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if block == 0 and filters != 64 else 1
            y = net.op("Relu", conv(x, filters, channels, 3, stride))
            y = conv(y, filters, filters, 3, 1)
            if channels != filters:
                x = conv(x, filters, channels, 1, stride)
            x, channels = net.op("Relu", net.op("Add", y, x)), filters
    x = net.op("Flatten", net.op("GlobalAveragePool", x))
    x = net.op("Gemm", x, net.weight(1000, 512), net.vector(1000), transB=1)
    return net.model({"data": (TensorProto.FLOAT, [batch, 3, 224, 224])}, {"logits": x})


def attention(net, query, keys, values, heads, depth, batch):
    """[batch, heads, tokens, depth] each (keys are transposed already) -> [batch, tokens, heads *
    depth]."""
    scores = net.op("Div", net.op("MatMul", query, keys), net.constant(np.float32(np.sqrt(depth))))
    mixed = net.op("MatMul", net.op("Softmax", scores, axis=-1), values)
    return net.reshape(net.op("Transpose", mixed, perm=[0, 2, 1, 3]), batch, -1, heads * depth)


def gelu(net, x):
    erf = net.op("Erf", net.op("Div", x, net.constant(np.float32(np.sqrt(2)))))
    return net.op("Mul", net.op("Mul", x, net.op("Add", erf, net.constant(np.float32(1)))), net.constant(np.float32(0.5)))


def bert(batch, layers=12, hidden=768, heads=12, tokens=128):
    """An encoder with BERT-base's shapes."""
    net, depth = Network("bert"), hidden // heads
    x = net.op("Gather", net.weight(30522, hidden, fan=1), "tokens", axis=0)
    x = net.norm(net.op("Add", x, net.weight(tokens, hidden, fan=1)), hidden)
    for _ in range(layers):
        q, k, v = (net.reshape(net.dense(x, hidden, hidden), batch, tokens, heads, depth) for _ in range(3))
        q, v = (net.op("Transpose", one, perm=[0, 2, 1, 3]) for one in (q, v))
        mixed = attention(net, q, net.op("Transpose", k, perm=[0, 2, 3, 1]), v, heads, depth, batch)
        x = net.norm(net.op("Add", x, net.dense(mixed, hidden, hidden)), hidden)
        y = net.dense(gelu(net, net.dense(x, hidden, 4 * hidden)), 4 * hidden, hidden)
        x = net.norm(net.op("Add", x, y), hidden)
    return net.model({"tokens": (TensorProto.INT64, [batch, tokens])}, {"hidden": x})


def decoder(batch, layers=6, hidden=512, heads=8, before=128):
    """One token after `before` others, whose keys and values are inputs; the new ones are
    results."""
    net, depth = Network("decoder"), hidden // heads
    inputs = {"data": (TensorProto.FLOAT, [batch, 1, hidden])}
    outputs, x = {}, "data"
    for layer in range(layers):
        y = net.norm(x, hidden)
        q, k, v = (net.op("Transpose", net.reshape(net.dense(y, hidden, hidden), batch, 1, heads, depth), perm=[0, 2, 1, 3]) for _ in range(3))
        for name, new in (("keys", k), ("values", v)):
            inputs[f"{name}_{layer}"] = (TensorProto.FLOAT, [batch, heads, before, depth])
            outputs[f"all_{name}_{layer}"] = net.op("Concat", f"{name}_{layer}", new, axis=2)
        keys = net.op("Transpose", outputs[f"all_keys_{layer}"], perm=[0, 1, 3, 2])
        mixed = attention(net, q, keys, outputs[f"all_values_{layer}"], heads, depth, batch)
        x = net.op("Add", x, net.dense(mixed, hidden, hidden))
        x = net.op("Add", x, net.dense(gelu(net, net.dense(net.norm(x, hidden), hidden, 4 * hidden)), 4 * hidden, hidden))
    logits = net.op("MatMul", net.norm(x, hidden), net.weight(hidden, 32000, fan=hidden))
    return net.model(inputs, {"logits": logits, **outputs})


def lstm(batch, hidden=512, steps=64):
    net = Network("lstm")
    weights = [net.weight(1, 4 * hidden, hidden, fan=4 * hidden) for _ in range(2)]
    x = net.op("LSTM", "data", *weights, net.constant(np.zeros((1, 8 * hidden), "float32")), outputs=3, hidden_size=hidden)
    return net.model({"data": (TensorProto.FLOAT, [steps, batch, hidden])}, {"last": x[1]})


def with_batch(model, batch):
    """The model for `batch` inputs at once, where it was made for one."""
    shapes = {one for node in model.graph.node if node.op_type == "Reshape" for one in node.input[1:]}
    for one in model.graph.initializer:
        values = numpy_helper.to_array(one)
        if one.name in shapes and values.size > 1 and values[0] == 1:
            one.CopyFrom(numpy_helper.from_array(np.concatenate([[batch], values[1:]]).astype("int64"), one.name))
    for one in (*model.graph.input, *model.graph.output):
        if one.type.tensor_type.shape.dim:
            one.type.tensor_type.shape.dim[0].dim_value = batch
    del model.graph.value_info[:]
    return model


def without_softmax(model):
    """The scores alone, which with_random_weights has made an output: a softmax of them would hide
    differences."""
    if model.graph.node[-1].op_type == "Softmax":
        del model.graph.node[-1], model.graph.output[:-1]
    return model


def from_file(path, seed, batch):
    model = onnx.load(path)
    if pathlib.Path(path).name.startswith("light_"):
        model = without_softmax(model_cases.with_random_weights(model, seed))
    weights = {one.name for one in model.graph.initializer}
    # Old versions list weights among the inputs.
    inputs = [one for one in model.graph.input if one.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)  # before, they had to be inputs
    for one in inputs:
        dims = one.type.tensor_type.shape.dim
        for at, dim in enumerate(dims):
            if not dim.HasField("dim_value") or dim.dim_value <= 0:
                dim.dim_value = 1 if at == 0 else 224
    return with_batch(model, batch) if batch != 1 else model


def feeds(model, seed=3):
    """Random inputs of a model: name -> array."""
    random = np.random.default_rng(seed)
    weights = {one.name for one in model.graph.initializer}
    made = {}
    for one in model.graph.input:
        if one.name in weights:
            continue
        shape = [dim.dim_value for dim in one.type.tensor_type.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(one.type.tensor_type.elem_type)
        if np.issubdtype(dtype, np.floating):
            made[one.name] = random.uniform(-1, 1, shape).astype(dtype)
        else:
            made[one.name] = random.integers(*INTEGER_INPUTS.get(one.name, (0, 10)), shape).astype(dtype)
    return made


def quantised(path, out):
    """Static int8 by ONNX Runtime (QDQ), calibrated with random inputs."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.left = [feeds(onnx.load(path), seed) for seed in range(4)]

        def get_next(self):
            return self.left.pop() if self.left else None

    quantize_static(path, out, Reader(), quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True)


def write(name, batch, data, folder):
    """Writes the network and its inputs; returns the model's path. Throws FileNotFoundError if its
    file is not in `data`."""
    path = os.path.join(folder, f"{name}_{batch}.onnx")
    if os.path.exists(path):
        return path
    if name in QUANTISED:
        quantised(write(QUANTISED[name], batch, data, folder), path)
    elif name in IN_FILES:
        onnx.save(from_file(os.path.join(data, IN_FILES[name]), NAMES.index(name) + 1, batch), path)
    else:
        onnx.save(globals()[name](batch), path)
    np.savez(path.replace(".onnx", ".npz"), **feeds(onnx.load(path)))
    return path
