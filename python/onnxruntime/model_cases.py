#!/usr/bin/env python3
"""Writes models with random weights, and ONNX Runtime's results for random inputs.

usage: model_cases.py FOLDER MODELS [TEXT]
example: model_cases.py /tmp/cases onnx-light resnet

MODELS has files `*.onnx`; those whose name has TEXT are taken. Weights that are all equal, as in ONNX's light models
(ConstantOfShape), would hide weights in a wrong order: each is replaced by random ones of its own, small enough that
values stay of the order of one through all layers. What a Softmax at the end gets is an output, too: its result may
be 1 for one class whatever most weights are. Run by `tools/try_onnxruntime --models`.
"""

import pathlib
import sys

import layout
import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper


def weight(random, shape, factors):
    """Of a layer that sums `fan` products; one that is multiplied (a variance, a scale); one that is added."""
    if len(shape) > 1 and int(np.prod(shape[1:])) > 1:
        return random.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape).astype("float32")
    return (random.uniform(0.5, 1.5, shape) if factors else random.normal(0, 0.1, shape)).astype("float32")


def names_of_factors(graph):
    """Values that nodes multiply by, and variances."""
    names = set()
    for node in graph.node:
        if node.op_type == "BatchNormalization":
            names |= {node.input[1], node.input[4]}
        elif node.op_type == "Mul":
            names |= set(node.input)
    # What is only given another shape before.
    for node in reversed(graph.node):
        if node.op_type in ("Unsqueeze", "Reshape") and node.output[0] in names:
            names.add(node.input[0])
    return names


def add_scores(graph):
    """Makes what a Softmax at the end gets an output."""
    makers = {name: node for node in graph.node for name in node.output}
    last = makers[graph.output[0].name]
    while last.op_type in ("Reshape", "Flatten", "Squeeze"):
        last = makers[last.input[0]]
    if last.op_type == "Softmax":
        graph.output.append(helper.make_empty_tensor_value_info(last.input[0]))
        graph.output[-1].type.tensor_type.elem_type = onnx.TensorProto.FLOAT


def with_random_weights(model, seed):
    """The model with other floating-point weights."""
    random = np.random.default_rng(seed)
    graph = model.graph
    given = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    factors = names_of_factors(graph)
    kept, made = [], {}
    for node in graph.node:
        shape = given.get(node.input[0]) if node.op_type == "ConstantOfShape" else None
        value = next((one.t for one in node.attribute if one.name == "value"), None)
        if shape is None or value is not None and value.data_type != onnx.TensorProto.FLOAT:
            kept.append(node)
        else:
            made[node.output[0]] = weight(random, [int(extent) for extent in shape], node.output[0] in factors)
    for name, values in given.items():
        if values.dtype == np.float32 and values.size > 1:
            made[name] = weight(random, values.shape, name in factors)
    used = {name for node in kept for name in node.input}
    other = [one for one in graph.initializer if one.name not in made and one.name in used]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(kept)
    graph.initializer.extend(other + [numpy_helper.from_array(values, name) for name, values in made.items()])
    # Versions before 4 list weights among the inputs.
    model.ir_version = max(model.ir_version, 4)
    inputs = [one for one in graph.input if one.name not in given]
    del graph.input[:]
    graph.input.extend(inputs)
    add_scores(graph)
    return model


def main():
    folder, models, text = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    written = 0
    for path in sorted(pathlib.Path(models).glob("*.onnx")):
        if text not in path.name:
            continue
        model = with_random_weights(onnx.load(path), written + 1)
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        random = np.random.default_rng(100 + written)
        values = [random.uniform(-1, 1, [extent if isinstance(extent, int) else 1 for extent in one.shape]).astype("float32")
                  for one in session.get_inputs()]
        results = session.run(None, {one.name: value for one, value in zip(session.get_inputs(), values)})
        scores = results[-1]
        if not np.isfinite(scores).all() or scores.std() < 0.01 * np.abs(scores).max():
            raise SystemExit(f"{path.name}: its results say nothing; choose other weights")
        layout.write(folder, path.stem, model, values, results)
        written += 1
        print(f"{path.stem} written", flush=True)


if __name__ == "__main__":
    main()
