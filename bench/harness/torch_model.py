"""An ONNX model of the bench as PyTorch code: a function that calls PyTorch's operators, in the
order of the nodes.

Only the operators of float32 networks of fixed shapes; `UnknownOperator` for others.
"""

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper


PLACES = ("Reshape", "Slice", "Pad", "Unsqueeze")  # all their operands but the first are constants


class UnknownOperator(Exception):
    pass


def _pads(node, attrs, value, x):
    """(x, symmetric pads): x is padded with `value` where begin and end differ."""
    pads = attrs.get("pads", [0, 0, 0, 0])
    if attrs.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
        raise UnknownOperator(f"{node.op_type} with auto_pad")
    half = len(pads) // 2
    if pads[:half] == pads[half:]:
        return x, pads[:half]
    flat = [p for k in reversed(range(half)) for p in (pads[k], pads[half + k])]
    return F.pad(x, flat, value=value), [0] * half


def _conv(node, attrs, x, weight, bias=None):
    x, pads = _pads(node, attrs, 0.0, x)
    return F.conv2d(x, weight, bias, attrs.get("strides", 1), pads, attrs.get("dilations", 1), attrs.get("group", 1))


def _max_pool(node, attrs, x):
    x, pads = _pads(node, attrs, -float("inf"), x)
    return F.max_pool2d(x, attrs["kernel_shape"], attrs.get("strides", 1), pads, ceil_mode=bool(attrs.get("ceil_mode", 0)))


def _average_pool(node, attrs, x):
    count = bool(attrs.get("count_include_pad", 0))
    pads = attrs.get("pads", [0, 0, 0, 0])
    begin, end = pads[: len(pads) // 2], pads[len(pads) // 2 :]
    if begin == end:
        return F.avg_pool2d(x, attrs["kernel_shape"], attrs.get("strides", 1), begin, count_include_pad=count)
    mean = lambda of: F.avg_pool2d(_pads(node, attrs, 0.0, of)[0], attrs["kernel_shape"], attrs.get("strides", 1))
    return mean(x) if count else mean(x) / mean(x.new_ones(1, 1, *x.shape[2:]))


def _gemm(node, attrs, a, b, c=None):
    a, b = a.t() if attrs.get("transA") else a, b.t() if attrs.get("transB") else b
    return torch.addmm(c, a, b) if c is not None else a @ b


def _reshape(node, attrs, x, shape):
    return x.reshape([x.shape[k] if n == 0 else n for k, n in enumerate(shape)])


def _unsqueeze(node, attrs, x, axes=None):
    for axis in sorted(attrs["axes"] if axes is None else axes):
        x = x.unsqueeze(axis)
    return x


def _pad(node, attrs, x, pads, value=None):
    half = len(pads) // 2
    flat = [pads[k] for axis in reversed(range(half)) for k in (axis, half + axis)]
    return F.pad(x, flat, value=0.0 if value is None else float(value))


def _slice(node, attrs, x, starts, ends, axes=None, steps=None):
    for k, (start, end) in enumerate(zip(starts, ends)):
        step, axis = 1 if steps is None else steps[k], k if axes is None else axes[k]
        if step < 0:  # of constants only
            x = torch.from_numpy(np.ascontiguousarray(x.numpy()[(slice(None),) * axis + (slice(start, None, step),)]))
        else:
            x = x[(slice(None),) * axis + (slice(start, end, step),)]
    return x


_recurrent = {}  # weights in PyTorch's order, made once


def _lstm(node, attrs, x, weight, recurrence, bias):
    if attrs.get("direction", b"forward") != b"forward":
        raise UnknownOperator("LSTM of another direction")
    hidden = attrs["hidden_size"]
    if id(weight) not in _recurrent:
        whole = [weight[0], recurrence[0], *bias[0].split(4 * hidden)]
        # The gates i, o, f, c become i, f, c, o.
        rows = [[one[k * hidden : (k + 1) * hidden] for k in (0, 2, 3, 1)] for one in whole]
        _recurrent[id(weight)] = [torch.cat(one) for one in rows]
    state = x.new_zeros(1, x.shape[1], hidden)
    states, last, memory = torch.lstm(x, (state, state), _recurrent[id(weight)], True, 1, 0.0, False, False, False)
    return states.unsqueeze(1), last, memory


def _softmax(opset):
    def softmax(node, attrs, x):
        axis = attrs.get("axis", 1 if opset < 13 else -1)
        if opset < 13:  # over all dimensions from `axis` on
            return F.softmax(x.flatten(axis), -1).reshape(x.shape)
        return F.softmax(x, axis)

    return softmax


def _table(opset):
    return {
        "Conv": _conv,
        "MaxPool": _max_pool,
        "AveragePool": _average_pool,
        "Gemm": _gemm,
        "Reshape": _reshape,
        "Softmax": _softmax(opset),
        "Relu": lambda n, a, x: F.relu(x),
        "Erf": lambda n, a, x: torch.erf(x),
        "Add": lambda n, a, x, y: x + y,
        "Mul": lambda n, a, x, y: x * y,
        "Div": lambda n, a, x, y: x / y,
        "Sum": lambda n, a, *xs: sum(xs[1:], xs[0]),
        "MatMul": lambda n, a, x, y: x @ y,
        "Concat": lambda n, a, *xs: torch.cat(xs, a["axis"]),
        "Transpose": lambda n, a, x: x.permute(a["perm"]),
        "Flatten": lambda n, a, x: x.flatten(a.get("axis", 1)),
        "Unsqueeze": _unsqueeze,
        "Dropout": lambda n, a, x, *_: x,
        "Identity": lambda n, a, x: x,
        "Gather": lambda n, a, x, i: F.embedding(i, x) if x.dim() == 2 else x[i],
        "GlobalAveragePool": lambda n, a, x: x.mean((2, 3), keepdim=True),
        "LRN": lambda n, a, x: F.local_response_norm(x, a["size"], a.get("alpha", 1e-4), a.get("beta", 0.75), a.get("bias", 1.0)),
        "LayerNormalization": lambda n, a, x, w, b: F.layer_norm(x, x.shape[-1:], w, b, a.get("epsilon", 1e-5)),
        "Pad": _pad,
        "Slice": _slice,
        "LSTM": _lstm,
        "Constant": lambda n, a: torch.from_numpy(np.array(numpy_helper.to_array(a["value"]))),
        "ConstantOfShape": lambda n, a, x: torch.from_numpy(np.full([int(k) for k in x], numpy_helper.to_array(a["value"]).item())),
        "Cast": lambda n, a, x: x.to(torch.from_numpy(np.empty(0, helper.tensor_dtype_to_np_dtype(a["to"]))).dtype),
        "BatchNormalization": lambda n, a, x, w, b, m, v: F.batch_norm(x, m, v, w, b, False, 0.0, a.get("epsilon", 1e-5)),
    }


def load(path):
    """The model as a function of its inputs (tensors, in order) that returns a list of its
    outputs."""
    model = onnx.load(path)
    table = _table(max(one.version for one in model.opset_import if one.domain in ("", "ai.onnx")))
    values = {one.name: torch.from_numpy(np.array(numpy_helper.to_array(one))) for one in model.graph.initializer}
    for name, value in values.items():
        if value.dim() == 4:
            values[name] = value.to(memory_format=torch.channels_last)
    inferred = onnx.shape_inference.infer_shapes(model).graph
    shapes = {one.name: [dim.dim_value for dim in one.type.tensor_type.shape.dim] for one in (*inferred.input, *inferred.value_info)}
    steps = []
    for node in model.graph.node:
        if node.op_type == "Shape":
            values[node.output[0]] = torch.tensor(shapes[node.input[0]])
            continue
        if node.op_type not in table:
            raise UnknownOperator(node.op_type)
        attrs = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        names = [one for one in node.input if one]
        if node.op_type in PLACES:  # numbers for Python, which are no tensors of the graph
            for number, name in enumerate(names[1:]):
                values[f"{name} as numbers"] = values[name].tolist()
                names[1 + number] = f"{name} as numbers"
        if all(name in values for name in names):  # computed once: constants of exported models
            values[node.output[0]] = table[node.op_type](node, attrs, *[values[name] for name in names])
            continue
        steps.append((table[node.op_type], node, attrs, names))
    inputs = [one.name for one in model.graph.input if one.name not in values]
    outputs = [one.name for one in model.graph.output]

    def run(*given):
        known = {**values, **dict(zip(inputs, given, strict=True))}
        for call, node, attrs, names in steps:
            result = call(node, attrs, *[known[name] for name in names])
            known.update(zip(node.output, result if isinstance(result, tuple) else [result]))
        return [known[name] for name in outputs]

    return run, inputs
