"""Real models of ONNX against their recorded outputs, at levels 0 and 3."""

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
pytestmark = pytest.mark.skipif(not MODELS.is_dir(), reason="LATHE_TEST_DATA names no folder with models/")
levels = pytest.mark.parametrize("level", [0, 3])


def compiled(path, level):
    """A function from the input to all outputs."""
    mod, params = relay.frontend.from_onnx(path, freeze_params=True)
    with lathe.transform.PassContext(opt_level=level):
        lib = relay.build(mod, "llvm", params=params)
    m = graph_executor.GraphModule(lib["default"](lathe.cpu()))

    def run(x):
        m.run(**{mod["main"].params[0].name_hint: x})
        return [m.get_output(i).numpy() for i in range(m.get_num_outputs())]

    return run


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
