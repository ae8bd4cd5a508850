#!/usr/bin/env python3
"""Quantises real models with ONNX Runtime, and writes them with its results.

usage: quantised_cases.py FOLDER DATA [TEXT]
example: quantised_cases.py /tmp/cases shared/data mobilenet

DATA has models/. Each model whose name has TEXT is quantised in both forms, with QuantizeLinear and DequantizeLinear
around operators of floats (QDQ), and with operators of whole numbers (QLinearConv, ...), by tensor and by channel.
ONNX Runtime runs it without its optimizer, which would fuse the steps of QDQ and round in other places. Run by
`tools/try_onnxruntime --quantised`.
"""

import pathlib
import sys
import tempfile

import layout
import numpy as np
import onnx
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

# The model, and where its input is.
MODELS = {
    "mobilenet_v2_f32": ("cat_png_1x3x224x224_f32.npy", None),
    "resnet20_cifar10": ("resnet20_golden.npz", "input"),
}
FORMS = {
    "qdq": dict(quant_format=quantization.QuantFormat.QDQ, activation_type=quantization.QuantType.QUInt8,
                weight_type=quantization.QuantType.QInt8, per_channel=True),
    "qdq_int8": dict(quant_format=quantization.QuantFormat.QDQ, activation_type=quantization.QuantType.QInt8,
                     weight_type=quantization.QuantType.QInt8),
    "operators": dict(quant_format=quantization.QuantFormat.QOperator, activation_type=quantization.QuantType.QUInt8,
                      weight_type=quantization.QuantType.QUInt8),
}


class Given(quantization.CalibrationDataReader):
    def __init__(self, name, values):
        self.left = [{name: values}]

    def get_next(self):
        return self.left.pop() if self.left else None


def main():
    folder, data, text = sys.argv[1], pathlib.Path(sys.argv[2]) / "models", sys.argv[3] if len(sys.argv) > 3 else ""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    for name, (file, key) in MODELS.items():
        values = np.load(data / file)
        values = (values if key is None else values[key])[:1].astype("float32")
        with tempfile.TemporaryDirectory() as scratch:
            prepared, made = f"{scratch}/prepared.onnx", f"{scratch}/made.onnx"
            quant_pre_process(str(data / f"{name}.onnx"), prepared, skip_symbolic_shape=True)
            (given,) = onnxruntime.InferenceSession(prepared, options).get_inputs()
            values = values.reshape([extent if isinstance(extent, int) else 1 for extent in given.shape])
            for form, settings in FORMS.items():
                if text not in f"{name}_{form}":
                    continue
                quantization.quantize_static(prepared, made, Given(given.name, values), **settings)
                session = onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
                layout.write(folder, f"{name}_{form}", onnx.load(made), [values], session.run(None, {given.name: values}))
                print(f"{name}_{form} written", flush=True)


if __name__ == "__main__":
    main()
