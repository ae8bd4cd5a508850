"""Real models of ONNX and TFLite against their recorded outputs, at levels 0 and 3.

On the processor, or on the device whose kind LATHE_TEST_TARGET names (opencl_models_test).
"""

import functools
import json
import os
import pathlib

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.contrib import graph_executor

DATA = pathlib.Path(os.environ.get("LATHE_TEST_DATA", "/nowhere"))
MODELS = DATA / "models"
TFLITE = DATA / "tflite"
TARGET = os.environ.get("LATHE_TEST_TARGET", "llvm")
DEVICE = lathe.cpu() if TARGET == "llvm" else lathe.device(TARGET, 0)
pytestmark = [
    pytest.mark.skipif(not MODELS.is_dir(), reason="LATHE_TEST_DATA names no folder with models/"),
    pytest.mark.skipif(not DEVICE.exist, reason=f"there is no device {TARGET}: {DEVICE.why_not}"),
]
levels = pytest.mark.parametrize("level", [0, 3])
only_here = pytest.mark.skipif(TARGET != "llvm", reason="takes long on a device, whose kernels other tests run")


def built(mod, params, level):
    """A function from the input to all outputs."""
    with lathe.transform.PassContext(opt_level=level):
        lib = relay.build(mod, TARGET, params=params)
    m = graph_executor.GraphModule(lib["default"](DEVICE))

    def run(x):
        m.run(**{mod["main"].params[0].name_hint: x})
        return [m.get_output(i).numpy() for i in range(m.get_num_outputs())]

    return run


def compiled(path, level):
    return built(*relay.frontend.from_onnx(path, freeze_params=True), level)


def same(found, expected, rtol=1e-4):
    """Up to a part of the largest element."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=rtol * np.abs(expected).max())


@levels
@pytest.mark.parametrize("name", ["version-RFB-320", "version-RFB-320_simplified", "version-slim-320_simplified"])
def test_faces(name, level):
    golden = np.load(MODELS / f"{name}_golden.npz")
    scores, boxes = compiled(MODELS / f"{name}.onnx", level)(golden["input"])
    same(scores, golden["out_1_scores"])
    same(boxes, golden["out_0_boxes"])
    sure = golden["out_1_scores"][0, :, 1] > 0.7
    assert sure.any() and np.array_equal(scores[0, :, 1] > 0.7, sure)


@levels
def test_digits(level):
    golden = np.load(MODELS / "mnist_golden.npz")
    run = compiled(MODELS / "opt-mnist.onnx", level)
    found = np.concatenate([run(picture[None])[0] for picture in golden["input"]])
    same(found, golden["output"])
    assert found.argmax(1).tolist() == [0, 3, 5, 7]


@levels
def test_a_residual_network(level):
    golden = np.load(MODELS / "resnet20_golden.npz")
    same(compiled(MODELS / "resnet20_cifar10.onnx", level)(golden["input"])[0], golden["logits"])


def picture_of(path):
    """A picture as mobilenet_v2_expected.json says."""
    Image = pytest.importorskip("PIL.Image", reason="no Pillow to read pictures")
    picture = Image.open(path).convert("RGB")
    scale = 256 / min(picture.size)
    picture = picture.resize([round(n * scale) for n in picture.size], Image.BILINEAR)
    left, top = [(n - 224) // 2 for n in picture.size]
    x = np.asarray(picture.crop((left, top, left + 224, top + 224)), "float32") / 255
    x = (x - np.float32([0.485, 0.456, 0.406])) / np.float32([0.229, 0.224, 0.225])
    return np.ascontiguousarray(x.transpose(2, 0, 1)[None])


@functools.cache
def mobilenet(level):
    return compiled(MODELS / "mobilenet_v2_f32.onnx", level)


@levels
def test_a_cat(level):
    (found,) = mobilenet(level)(np.load(MODELS / "cat_png_1x3x224x224_f32.npy"))
    same(found.ravel(), np.load(MODELS / "mobilenet_v2_f32_logits_cat.npy").ravel())


@only_here
@levels
def test_what_is_in_pictures(level):
    run = mobilenet(level)
    top = json.loads((MODELS / "mobilenet_v2_expected.json").read_text())["top5"]
    assert len(top) == 8
    for name, expected in top.items():
        logits = run(picture_of(DATA / "images" / name))[0].ravel().astype("float64")
        scores = np.exp(logits - logits.max())
        scores /= scores.sum()
        for number, label, score in expected["f32"]:
            assert abs(scores[number] - score) < 0.01, (name, label)
        assert scores.argmax() == expected["f32"][0][0], name


@only_here
@pytest.mark.parametrize("name", ["densenet121", "shufflenet"])
def test_topologies(name):
    """All weights are the same number, so the output is one number, too, whatever the input."""
    x = np.linspace(0, 1, 3 * 224 * 224, dtype="float32").reshape(1, 3, 224, 224)
    (found,) = compiled(DATA / f"onnx-light/light_{name}.onnx", 3)(x)
    recorded = (DATA / f"onnx-light/light_{name}_output_0.pb").read_bytes()  # ends with the numbers
    same(found.ravel(), np.frombuffer(recorded[-4 * found.size:], "float32"))


def test_operators_of_others_are_named():
    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_onnx(MODELS / "supres_224.onnx")
    assert raised.value.name == "onnx-unsupported"
    for operator in ("SuperResolutionPreProcess", "SuperResolutionPostProcess"):
        assert f"ai.onnx.contrib.{operator}" in str(raised.value)


# -- TFLite.

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


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("name", QUANTISED)
def test_quantised_models_are_exact(name, level):
    mod, params = relay.frontend.from_tflite(TFLITE / f"{name}.tflite")
    x = mod["main"].params[0]
    run = built(mod, params, level)
    y = run(ramp(x))[0].ravel().astype("int64")
    first, checksum = QUANTISED[name]
    assert y[:12].tolist() == first
    assert int((y * (np.arange(y.size) + 1)).sum()) == checksum
    if name in RECORDED:
        file, expected = RECORDED[name]
        (y,) = run(np.load(TFLITE / f"data/{file}.npy"))
        assert y.ravel().tolist() == expected


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("name", FLOATS)
def test_models_of_floats(name, level):
    mod, params = relay.frontend.from_tflite(TFLITE / f"{name}.tflite")
    x = mod["main"].params[0]
    y = built(mod, params, level)(ramp(x))[0].ravel()
    near = 2e-2 if name == "keyword_spotting_fp32" else 1e-5
    np.testing.assert_allclose(y, FLOATS[name], rtol=1e-4, atol=near)
    assert np.argmax(y) == np.argmax(FLOATS[name])


def test_any_number_of_pictures():
    mod, params = relay.frontend.from_tflite(TFLITE / "image_classification_fp32.tflite",
                                             {"input_1": ("n", 32, 32, 3)})
    picture = np.load(TFLITE / "data/testdata_image_classification_fp32_8.npy")
    (many,) = built(mod, params, 3)(np.repeat(picture, 3, 0))
    assert many.shape == (3, 10) and np.argmax(many, 1).tolist() == [8, 8, 8]
