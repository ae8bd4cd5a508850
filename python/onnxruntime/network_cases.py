#!/usr/bin/env python3
"""Writes networks of many kinds, as PyTorch's exporters write them or node by node, with ONNX Runtime's results.

usage: network_cases.py FOLDER [TEXT]
example: network_cases.py /tmp/cases unet

Networks of PyTorch (torch_pictures.py, torch_sequences.py) are exported by both of its exporters, those of nodes
(node_networks.py) are made by the package onnx; those whose name has TEXT are taken. Run by `tools/try_onnxruntime
--networks`.
"""

import io
import sys
import warnings

import layout
import node_networks
import numpy as np
import onnx
import onnxruntime
import torch
import torch_pictures
import torch_sequences


def export(network, dynamo):
    """The ONNX model of a network of PyTorch."""
    module = network.module.eval()
    names = [f"x{i}" for i in range(len(network.inputs))]
    made = io.BytesIO()
    settings = {}
    if network.open and dynamo:
        settings["dynamic_shapes"] = tuple(
            {axis: torch.export.Dim(size) for axis, size in network.open.get(i, {}).items()} or None
            for i in range(len(names))
        )
    elif network.open:
        settings["dynamic_axes"] = {names[i]: axes for i, axes in network.open.items()}
    if dynamo:
        torch.onnx.export(module, network.inputs, input_names=names, dynamo=True, verbose=False, **settings).save(made)
    else:
        torch.onnx.export(module, network.inputs, made, input_names=names, dynamo=False, **settings)
    return onnx.load_from_string(made.getvalue())


def write(folder, name, model, inputs):
    """Writes the case with ONNX Runtime's results."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    results = session.run(None, dict(zip((one.name for one in session.get_inputs()), inputs)))
    for one in results:
        if one.dtype.kind == "f" and (not np.isfinite(one).all() or one.size > 1 and one.std() == 0):
            raise SystemExit(f"{name}: its results say nothing; choose other weights")
    layout.write(folder, name, model, inputs, results)
    print(f"{name} written", flush=True)


def main():
    folder, text = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    warnings.simplefilter("ignore")  # of exporters: what will change in newer versions
    for make in torch_pictures.NETWORKS + torch_sequences.NETWORKS:
        for dynamo in (False, True):
            name = f"{make.__name__}_{'dynamo' if dynamo else 'script'}"
            if text not in name:
                continue
            torch.manual_seed(1)
            network = make()
            if dynamo not in network.exporters:
                continue
            write(folder, name, export(network, dynamo), [one.numpy() for one in network.seen or network.inputs])
    for make in node_networks.NETWORKS:
        if text in make.__name__:
            write(folder, make.__name__, *make(np.random.default_rng(1)))


if __name__ == "__main__":
    main()
