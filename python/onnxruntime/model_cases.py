#!/usr/bin/env python3
"""Writes models with random weights, and ONNX Runtime's results for random inputs.

usage: model_cases.py FOLDER MODELS [TEXT]
example: model_cases.py /tmp/cases onnx-light resnet

MODELS has files `*.onnx`; those whose name has TEXT are taken. Weights that are all equal, as in ONNX's light models
(ConstantOfShape), would hide weights in a wrong order: each is replaced by random ones of its own, small enough that
values stay of the order of one through all layers. Run by `tools/try_onnxruntime --models`.
"""

import pathlib
import sys

import layout
import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper


def weight(random, shape):
    """Of a layer that sums `fan` products."""
    if len(shape) < 2:
        return random.uniform(0.5, 1.5, shape).astype("float32")  # also variances and scales
    fan = int(np.prod(shape[1:]))
    return random.normal(0, np.sqrt(2 / fan), shape).astype("float32")


def with_random_weights(model, seed):
    """The model with other floating-point weights."""
    random = np.random.default_rng(seed)
    graph = model.graph
    given = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    kept, made = [], {}
    for node in graph.node:
        shape = given.get(node.input[0]) if node.op_type == "ConstantOfShape" else None
        value = next((one.t for one in node.attribute if one.name == "value"), None)
        if shape is None or value is not None and value.data_type != onnx.TensorProto.FLOAT:
            kept.append(node)
        else:
            made[node.output[0]] = weight(random, [int(extent) for extent in shape])
    for name, values in given.items():
        if values.dtype == np.float32 and values.size > 1:
            made[name] = weight(random, values.shape)
    other = [one for one in graph.initializer if one.name not in made]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(kept)
    graph.initializer.extend(other + [numpy_helper.from_array(values, name) for name, values in made.items()])
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
        # Old versions list weights among the inputs.
        weights = {one.name for one in model.graph.initializer}
        inputs = [one for one in model.graph.input if one.name not in weights]
        del model.graph.input[:]
        model.graph.input.extend(inputs)
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        random = np.random.default_rng(100 + written)
        values = [random.uniform(-1, 1, [extent if isinstance(extent, int) else 1 for extent in one.shape]).astype("float32")
                  for one in session.get_inputs()]
        results = session.run(None, {one.name: value for one, value in zip(session.get_inputs(), values)})
        if not all(np.isfinite(one).all() and one.std() > 0 for one in results):
            raise SystemExit(f"{path.name}: its results say nothing; choose other weights")
        layout.write(folder, path.stem, model, values, results)
        written += 1
        print(f"{path.stem} written", flush=True)


if __name__ == "__main__":
    main()
