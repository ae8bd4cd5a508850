"""Model files compiled and run by the calls of tvmc."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import lathe
from lathe import _tvmc_command, relay, rpc, tvmc
from expect import named


def model():
    x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 8))
    func = relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w)))
    weight = np.random.default_rng(1).standard_normal((4, 8)).astype("float32")
    return tvmc.TVMCModel(lathe.IRModule.from_expr(func), {"w": weight})


def wanted(value, weight):
    return np.maximum(value @ np.asarray(weight.numpy() if hasattr(weight, "numpy") else weight).T, 0)


VALUE = np.linspace(-1, 1, 16, dtype="float32").reshape(2, 8)


def test_old_names():
    from lathe.driver import tvmc as old
    from lathe.driver.tvmc.frontends import load_model
    from lathe.driver.tvmc.model import TVMCModel

    assert old is tvmc and load_model is tvmc.load and TVMCModel is tvmc.TVMCModel


@pytest.mark.parametrize("output_format", ["so", "tar"])
def test_a_model_is_compiled_and_run(tmp_path, output_format):
    path, given = str(tmp_path / "model.tar"), model()
    given.save(path)
    again = tvmc.TVMCModel(model_path=path)
    assert list(again.params) == ["w"]
    package = tvmc.compile(again, "llvm", package_path=str(tmp_path / "package.tar"), output_format=output_format,
                           dump_code=["relay"], mod_name="mine", disabled_pass="share_equal")
    assert package.lib_name == "mod." + output_format and package.name == "mine"
    assert "nn.dense" in (tmp_path / "package.tar.relay").read_text()
    result = tvmc.run(tvmc.TVMCPackage(package.package_path), "cpu", inputs={"x": VALUE}, repeat=3, number=2)
    np.testing.assert_allclose(result.get_output("output_0"), wanted(VALUE, given.params["w"]), rtol=1e-5)
    assert len(result.times.results) == 3 and "mean" in result.format_times() and "output_0" in str(result)
    result.save(str(tmp_path / "result.npz"))
    assert list(np.load(tmp_path / "result.npz")) == ["output_0"]


def test_a_file_of_onnx(tmp_path):
    from test_onnx import DENSE

    path = tmp_path / "dense.onnx"
    path.write_bytes(DENSE)
    given = tvmc.load(path, shape_dict={"x": (2, 3)})
    result = tvmc.run(tvmc.compile(given, "llvm"), "cpu", repeat=1, number=1)
    again = tvmc.run(tvmc.compile(tvmc.load(str(path), "onnx", {"x": (2, 3)}, freeze_params=True), "llvm"), "cpu",
                     repeat=1, number=1)
    np.testing.assert_allclose(result.get_output("output_0"), again.get_output("output_0"), rtol=1e-6)


def test_inputs_that_are_made(capsys):
    package = tvmc.compile(model(), "llvm", opt_level=2)
    assert not tvmc.run(package, "cpu", fill_mode="zeros", repeat=1, number=1).get_output("output_0").any()
    first = tvmc.run(package, "cpu", repeat=1, number=1, profile=True, end_to_end=True)
    assert "nn_relu" in capsys.readouterr().out
    np.testing.assert_array_equal(first.get_output("output_0"),
                                  tvmc.run(package, "cpu", repeat=1, number=1).get_output("output_0"))
    named("tvmc-inputs", tvmc.run, package, "cpu", fill_mode="threes")
    x = relay.var("x", shape=(relay.Any("n"), 2))
    any_size = tvmc.compile(tvmc.TVMCModel(lathe.IRModule.from_expr(relay.Function([x], x + x))), "llvm")
    named("tvmc-inputs", tvmc.run, any_size, "cpu")
    made = tvmc.run(any_size, "cpu", inputs={"x": np.ones((3, 2), "float32")}, repeat=1, number=1)
    assert made.get_output("output_0").shape == (3, 2)


def test_another_machine():
    package, value = tvmc.compile(model(), "llvm"), VALUE
    with rpc.Server("127.0.0.1") as server:
        result = tvmc.run(package, "cpu", hostname="127.0.0.1", port=server.port, inputs={"x": value},
                          repeat=1, number=1)
    np.testing.assert_allclose(result.get_output("output_0"), wanted(value, model().params["w"]), rtol=1e-5)


def test_layouts(tmp_path):
    x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
    given = tvmc.TVMCModel(lathe.IRModule.from_expr(relay.Function([x, w], relay.nn.conv2d(x, w))))
    assert 'data_layout="NHWC"' in str(tvmc.convert_graph_layout(given.mod, "NHWC"))
    outputs = [tvmc.run(tvmc.compile(given, "llvm", desired_layout=layout), "cpu", repeat=1, number=1)
               .get_output("output_0") for layout in (None, "NHWC")]
    np.testing.assert_allclose(*outputs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("enable_autoscheduler", [False, True])
def test_tuned(tmp_path, enable_autoscheduler):
    records, given = str(tmp_path / "records.json"), model()
    options = dict(trials=2, enable_autoscheduler=enable_autoscheduler, repeat=1, number=1, tuner="random")
    assert tvmc.tune(given, "llvm", tuning_records=records, **options) == records
    lines = [json.loads(line) for line in open(records, encoding="utf-8")]
    assert lines
    tvmc.tune(given, "llvm", tuning_records=records, prior_records=records, **options)
    package = tvmc.compile(given, "llvm", tuning_records=records)
    result = tvmc.run(package, "cpu", inputs={"x": VALUE}, repeat=1, number=1)
    np.testing.assert_allclose(result.get_output("output_0"), wanted(VALUE, given.params["w"]), rtol=1e-5)


def test_a_model_without_choices(tmp_path):
    x, records = relay.var("x", shape=(2, 8)), str(tmp_path / "records.json")
    given = tvmc.TVMCModel(lathe.IRModule.from_expr(relay.Function([x], relay.nn.relu(x))))
    with pytest.warns(UserWarning, match="--enable-autoscheduler"):
        tvmc.tune(given, "llvm", tuning_records=records, trials=2)
    package = tvmc.compile(given, "llvm", tuning_records=records)
    result = tvmc.run(package, "cpu", inputs={"x": VALUE}, repeat=1, number=1)
    np.testing.assert_array_equal(result.get_output("output_0"), np.maximum(VALUE, 0))


def test_what_is_refused(tmp_path):
    named("tvmc-model-format", tvmc.load, "model.caffe")
    with open(tmp_path / "kept", "wb") as file:  # a number of an open file is no path
        named("tvmc-path", tvmc.load, file.fileno())
        named("tvmc-path", tvmc.TVMCPackage, file.fileno())
        file.write(b"still open")
    named("tvmc-model-format", tvmc.load, "model.onnx", "keras")
    named("tvmc-archive", tvmc.TVMCPackage, str(tmp_path / "none.tar"))
    named("tvmc-archive", tvmc.TVMCModel)
    path = str(tmp_path / "model.tar")
    model().save(path)
    named("tvmc-archive", tvmc.TVMCPackage, path)  # a model, and no package
    named("tvmc-archive", tvmc.TVMCPackage, path, "project")
    (tmp_path / "text.tar").write_text("no archive")
    named("tvmc-archive", tvmc.TVMCModel, None, None, str(tmp_path / "text.tar"))
    named("tvmc-records", tvmc.compile, model(), "llvm", str(tmp_path / "none.json"))
    named("tvmc-tuner", tvmc.tune, model(), "llvm", tuner="luck")


def test_a_key_and_a_tracker_belong_together():
    package = tvmc.compile(model(), "llvm")
    named("tvmc-tracker", tvmc.tune, model(), "llvm", hostname="127.0.0.1")
    named("tvmc-tracker", tvmc.tune, model(), "llvm", rpc_key="rk3399")
    named("tvmc-tracker", tvmc.run, package, "cpu", rpc_key="rk3399")


@pytest.fixture
def saved(tmp_path):
    """The folder with the model, dense.onnx, that the commands read."""
    from test_onnx import DENSE

    (tmp_path / "dense.onnx").write_bytes(DENSE)
    return tmp_path


def test_the_commands(saved, capsys):
    path, package, records = (str(saved / name) for name in ("dense.onnx", "package.tar", "records.json"))
    assert _tvmc_command._main(["tune", "--target", "llvm", "--input-shapes", "x:[2,3]", "-o", records, "--trials", "2",
                                "--enable-autoscheduler", "--repeat", "1", "--number", "1", path]) == 0
    assert _tvmc_command._main(["compile", "--target", "llvm", "--input-shapes", "x:[2,3]", "-o", package,
                                "--dump-code", "relay", "--tuning-records", records, path]) == 0
    assert "nn." in (saved / "package.tar.relay").read_text()
    value = np.linspace(-1, 1, 6, dtype="float32").reshape(2, 3)
    np.savez(saved / "in.npz", x=value)
    capsys.readouterr()
    assert _tvmc_command._main(["run", "-i", str(saved / "in.npz"), "-o", str(saved / "out.npz"), "--print-time",
                                "--print-top", "2", package]) == 0
    assert "mean" in capsys.readouterr().out
    want = tvmc.run(tvmc.TVMCPackage(package), "cpu", inputs={"x": value}, repeat=1, number=1).get_output("output_0")
    np.testing.assert_array_equal(np.load(saved / "out.npz")["output_0"], want)


def test_commands_in_a_process(saved):
    def tvmc_says(*words):
        return subprocess.run([sys.executable, "-m", "lathe.tvmc", *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)})

    found = tvmc_says("compile", "--target", "llvm", str(saved / "none.onnx"))
    assert found.returncode == 1 and found.stderr.startswith("Error: ") and "onnx-file" in found.stderr
    assert "Traceback" not in found.stderr
    found = tvmc_says("compile", "--target", "llvm", "--input-shapes", "x:[2,3]", "-o", str(saved / "package.tar"),
                      str(saved / "dense.onnx"))
    assert (found.returncode, found.stderr) == (0, "")
    assert tvmc_says("run", str(saved / "package.tar")).returncode == 0


@pytest.mark.parametrize("name, words", [
    ("tvmc-address", ["run", "--rpc-tracker", "h:x", "PACKAGE"]),
    ("tvmc-address", ["run", "--hostname", ":1", "PACKAGE"]),
    ("tvmc-address", ["run", "--hostname", "h:65536", "PACKAGE"]),
    ("tvmc-address", ["run", "--hostname", "h:", "PACKAGE"]),
    ("tvmc-tracker", ["run", "--rpc-key", "k", "PACKAGE"]), ("tvmc-inputs", ["run", "-i", "none.npz", "PACKAGE"]),
    ("tvmc-inputs", ["run", "-i", "PACKAGE", "PACKAGE"]), ("tvmc-inputs", ["run", "-i", "one.npy", "PACKAGE"]),
    ("tvmc-tracker", ["tune", "--target", "llvm", "-o", "r", "--rpc-tracker", "127.0.0.1", "dense.onnx"]),
    ("onnx-file", ["tune", "--target", "llvm", "-o", "r", "none.onnx"]), ("tvmc-archive", ["run", "none.tar"])])
def test_errors_of_commands_are_printed(name, words, saved, capsys, monkeypatch):
    monkeypatch.chdir(saved)
    np.save("one.npy", np.ones(3))
    if "PACKAGE" in words:
        tvmc.compile(model(), "llvm", package_path="PACKAGE")
    assert _tvmc_command._main(words) == 1
    found = capsys.readouterr().err
    assert found.startswith("Error: ") and f"[{name}]" in found


@pytest.mark.parametrize("words, port", [([], 9090), (["--rpc-key", "k"], 9190)])
def test_the_port_that_is_not_given(words, port, monkeypatch, tmp_path):
    called = []

    def connect(host, port):
        called.append((host, port))
        raise lathe.LatheError("asked")

    monkeypatch.setattr(rpc, "connect", connect)
    monkeypatch.setattr(rpc, "connect_tracker", connect)
    tvmc.compile(model(), "llvm", package_path=str(tmp_path / "p"))
    assert _tvmc_command._main(["run", "--hostname", "somewhere", *words, str(tmp_path / "p")]) == 1
    assert called == [("somewhere", port)]
