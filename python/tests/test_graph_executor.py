"""lathe.contrib.graph_executor and the debug executor: inputs, outputs, files, threads."""

import io
import json
import platform
import subprocess
import sys
import threading

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.contrib import graph_executor
from lathe.contrib.debugger import debug_executor


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


W = random(4, 8, seed=1)


def network():
    """y = relu(x w) + bias with weights as parameters; two outputs; any number of rows."""
    x, w = relay.var("x", shape=(relay.Any("n"), 8)), relay.var("w", shape=(4, 8))
    bias = relay.var("bias", shape=(4,))
    y = relay.nn.relu(relay.nn.dense(x, w)) + bias
    return relay.Function([x, w, bias], relay.Tuple([y, relay.exp(y)]))


def expected(x, bias=0.0):
    return np.maximum(x @ W.T, 0) + bias


def library():
    return relay.build(network(), "llvm", params={"w": W, "bias": np.zeros(4, "float32")})


def executor(lib=None):
    return graph_executor.GraphModule((lib or library())["default"](lathe.cpu()))


def error_of(function, *args, **kwargs):
    with pytest.raises(lathe.LatheError) as raised:
        function(*args, **kwargs)
    return raised.value


def test_inputs_and_outputs():
    m = executor()
    assert (m.get_num_inputs(), m.get_num_outputs()) == (1, 2)
    assert m.get_input_index("x") == 0 and m.get_input_index("y") == -1
    assert m.get_input_info() == ({"x": (-1, 8)}, {"x": "float32"})
    for rows in (3, 1, 7):
        x = random(rows, 8)
        m.set_input("x", x)
        m.run()
        np.testing.assert_allclose(m.get_output(0).numpy(), expected(x), rtol=1e-5)
        np.testing.assert_allclose(m.get_input(0).numpy(), x)
        out = lathe.nd.empty((rows, 4))
        assert m.get_output(1, out) is out
        np.testing.assert_allclose(out.numpy(), np.exp(expected(x)), rtol=1e-5)
    m.set_input(0, random(2, 8).astype("float64"))  # arrays are converted
    m.run(x=[[1.0] * 8])
    np.testing.assert_allclose(m.get_output(0).numpy(), expected(np.ones((1, 8))), rtol=1e-5)
    assert m["get_num_inputs"]() == 1


def test_memory_of_the_caller():
    m = executor()
    x = lathe.nd.array(random(3, 8))
    out = lathe.nd.empty((3, 4))
    m.set_input_zero_copy("x", x)
    m.set_output_zero_copy(0, out)
    m.run()
    np.testing.assert_allclose(out.numpy(), expected(random(3, 8)), rtol=1e-5)
    x.copyfrom(random(3, 8, seed=5))
    m.run()
    np.testing.assert_allclose(out.numpy(), expected(random(3, 8, seed=5)), rtol=1e-5)
    m.set_output_zero_copy(0, None)
    m.run()
    assert m.get_output(0).shape == (3, 4)


def test_parameters_by_name():
    lib = library()
    params = lib.get_params()
    assert params["bias"].shape == (4,)
    # The weight was transposed, so its name does not stand for the original data.
    assert "w" not in params and any(name.startswith("w#") for name in params)
    m = executor(lib)
    m.set_input("bias", np.full(4, 2, "float32"))
    x = random(2, 8)
    m.run(x=x)
    np.testing.assert_allclose(m.get_output(0).numpy(), expected(x, 2), rtol=1e-5)
    other = executor(lib)
    other.run(x=x)
    np.testing.assert_allclose(other.get_output(0).numpy(), expected(x), rtol=1e-5)
    other.share_params(m)
    other.run()
    np.testing.assert_allclose(other.get_output(0).numpy(), expected(x, 2), rtol=1e-5)
    other.load_params(relay.save_param_dict(params))
    other.run()
    np.testing.assert_allclose(other.get_output(0).numpy(), expected(x), rtol=1e-5)
    other.set_input(**{"w": W, "x": x})  # what the graph does not have is left out
    assert error_of(other.load_params, relay.save_param_dict({"bia": x})).name == \
        "graph-constant-unknown"


def test_errors():
    m = executor()
    assert error_of(m.run).name == "graph-input-missing"
    error = error_of(m.set_input, "y", random(2, 8))
    assert error.name == "graph-input-unknown" and "`x`" in str(error)
    assert error_of(m.run, y=random(2, 8)).name == "graph-input-unknown"
    assert error_of(m.set_input, "x", random(2, 7)).name == "graph-input-mismatch"
    assert error_of(m.set_input, "x", random(8)).name == "graph-input-mismatch"
    assert error_of(m.set_input, "x", lathe.nd.empty((2, 8), "int8")).name == "graph-input-mismatch"
    assert error_of(m.set_input, "bias", random(5)).name == "graph-constant-mismatch"
    assert error_of(m.get_output, 0).name == "graph-not-run"
    m.run(x=random(2, 8))
    assert error_of(m.get_output, 2).name == "graph-output-index"
    assert error_of(graph_executor.GraphModule, library()).name == "graph-context-type"
    assert error_of(library()["default"], lathe.cuda()).name == "graph-device"
    assert error_of(graph_executor.create, "{}", library(), lathe.cpu()).name == "graph-json"


LOADS = """
import sys
import numpy as np
import lathe
from lathe.contrib import graph_executor

m = graph_executor.GraphModule(lathe.runtime.load_module(sys.argv[1])["default"](lathe.cpu()))
m.run(x=np.load(sys.argv[2]))
np.save(sys.argv[3], m.get_output(0).numpy())
"""


@pytest.mark.parametrize("suffix", [".so", ".tar", ".o"])
def test_files_run_in_a_fresh_process(tmp_path, suffix):
    x = random(3, 8)
    np.save(tmp_path / "x.npy", x)
    library().export_library(str(tmp_path / ("net" + suffix)))
    paths = [str(tmp_path / name) for name in ("net" + suffix, "x.npy", "y.npy")]
    code = f"import sys; sys.path[:0] = {sys.path!r}\n" + LOADS
    subprocess.run([sys.executable, "-S", "-B", "-c", code, *paths], check=True)
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected(x), rtol=1e-5)


def test_the_form_of_old_scripts():
    graph, lib, params = library()
    m = graph_executor.create(graph, lib, lathe.cpu())
    m.set_input(**params)
    m.run(x=random(2, 8))
    np.testing.assert_allclose(m.get_output(0).numpy(), expected(random(2, 8)), rtol=1e-5)
    named = relay.build(network(), "llvm", params={"w": W}, mod_name="net")
    m = graph_executor.GraphModule(named["net"](lathe.cpu()))
    assert m.get_num_inputs() == 2


def test_a_graph_without_kernels():
    x = relay.var("x", shape=(2, 3))
    for func in (relay.Function([x], x), relay.Function([x], relay.reshape(x, newshape=(6,)))):
        m = executor(relay.build(func, "llvm"))
        m.run(x=random(2, 3))
        np.testing.assert_allclose(m.get_output(0).numpy().ravel(), random(2, 3).ravel())
    m = executor(relay.build(relay.Function([], relay.const([1.0, 2.0])), "llvm"))
    m.run()
    assert m.get_output(0).numpy().tolist() == [1, 2]


def test_benchmark():
    m = executor()
    result = m.benchmark(lathe.cpu(), repeat=3, number=2, x=random(2, 8))
    assert len(result.results) == 3 and 0 < result.min <= result.mean
    result = m.benchmark(lathe.cpu(), repeat=2, number=2, end_to_end=True, x=random(2, 8))
    assert len(result.results) == 2 and result.mean > 0


def test_debug_executor(tmp_path, capsys):
    lib = library()
    m = debug_executor.create(lib.get_graph_json(), lib, lathe.cpu(), str(tmp_path))
    m.run(x=random(3, 8), repeat=2)
    table = capsys.readouterr().out
    assert "nn_relu" in table and "3x4" in table and "cpu:0" in table
    assert {step.device for step in m.steps} == {lathe.cpu()}
    assert len(m.steps) == len(m.run_individual()) >= 2
    np.testing.assert_allclose(m.get_output(0).numpy(), expected(random(3, 8)), rtol=1e-5)
    with open(tmp_path / "trace.json") as f:
        events = json.load(f)["traceEvents"]
    kernels = [event for event in events if event["ph"] == "X"]
    assert len(kernels) == len(m.steps) and all(event["dur"] >= 0 for event in kernels)
    assert lib["debug_create"]("default", lathe.cpu()).kind == "graph_context"


def test_executors_of_one_module_run_at_the_same_time():
    lib, errors = library(), []

    def work(i):
        m = executor(lib)
        for time in range(30):
            x = random(1 + (i + time) % 3, 8, seed=i)
            m.run(x=x)
            if not np.allclose(m.get_output(0).numpy(), expected(x), rtol=1e-5, atol=1e-6):
                errors.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_a_model_for_another_machine_is_exported_here(tmp_path):
    triple = "riscv64-linux-gnu" if platform.machine() == "aarch64" else "aarch64-linux-gnu"
    x = relay.var("x", shape=(2, 8))
    mod = lathe.IRModule.from_expr(relay.Function([x], relay.nn.relu(x)))
    lib = relay.build(mod, target=f"llvm -mtriple={triple}")
    for name in ("model.so", "model.tar"):
        lib.export_library(str(tmp_path / name))
        assert (tmp_path / name).stat().st_size > 1000
        with pytest.raises(lathe.LatheError, match="artifact-machine"):
            lathe.load_module(str(tmp_path / name))
    with pytest.raises(lathe.LatheError, match="module-wrong-target"):
        graph_executor.GraphModule(lib["default"](lathe.cpu()))


class Terminal(io.StringIO):
    terminal = True

    def isatty(self):
        return self.terminal


@pytest.mark.parametrize("compiled", [relay.build, relay.vm.compile])
def test_a_terminal_shows_how_many_kernels_are_compiled(compiled, monkeypatch):
    monkeypatch.setattr(relay._progress, "_BEFORE", 0)
    monkeypatch.setattr(relay._progress, "_BETWEEN", 0)
    monkeypatch.setenv("TERM", "xterm")
    x = relay.var("x", shape=(2, 8))
    body = relay.nn.softmax(relay.nn.dense(relay.nn.softmax(relay.nn.dense(x, relay.const(W))), relay.const(W.T.copy())))
    shown = {}
    for Terminal.terminal in (True, False):
        monkeypatch.setattr("sys.stderr", Terminal())
        compiled(relay.Function([x], body), "llvm")
        shown[Terminal.terminal] = sys.stderr.getvalue()
    lines = shown[True].split("\r\x1b[K")
    total = int(lines[1].split()[3])
    assert total > 1 and lines == ["", *(f"compiling {n} of {total} kernels..." for n in range(1, total + 1)), ""]
    assert shown[False] == ""
    monkeypatch.setattr("sys.stderr", None)
    compiled(relay.Function([x], relay.exp(x)), "llvm")
    # Nor does a terminal that cannot erase a line.
    Terminal.terminal = True
    for kind in ("dumb", "", None):
        monkeypatch.setattr("sys.stderr", Terminal())
        monkeypatch.delenv("TERM") if kind is None else monkeypatch.setenv("TERM", kind)
        compiled(relay.Function([x], body), "llvm")
        assert sys.stderr.getvalue() == ""
    monkeypatch.setenv("TERM", "xterm")
    # What is quick shows nothing, and a terminal that is gone does not end the build.
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setattr(relay._progress, "_BEFORE", 60)
    Terminal.terminal = True
    compiled(relay.Function([x], body), "llvm")
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(relay._progress, "_BEFORE", 0)

    def gone(text):
        raise OSError(text)

    monkeypatch.setattr(sys.stderr, "write", gone)
    compiled(relay.Function([x], body), "llvm")


def test_sources_of_compiled_graphs():
    x = relay.var("x", shape=(2, 8))
    mod = lathe.IRModule.from_expr(relay.Function([x], relay.nn.relu(relay.nn.dense(x, relay.const(W)))))
    lib = relay.build(mod, "llvm")
    kernels = [made[0] for made in lathe._ffi.get("graph.kernels", True)(
        mod.node, "main", [lathe.Target("llvm")], relay._pass_options.packed(lathe.transform.PassContext()))]
    assert kernels
    for made in (lib.get_lib(), relay.vm.compile(mod, "llvm").lib):
        assert made.get_source() == made.get_source("ll")
        for name in kernels:
            assert f'@"lathe.{name}' in made.get_source() or f"@lathe.{name}" in made.get_source()
            assert f"lathe.{name}" in made.get_source("asm")
        for one, fmt, words in ((made, "c", 'get_source\\("ll"\\)'), (made.imported_modules[0], "", "imports it")):
            with pytest.raises(lathe.LatheError, match=words) as raised:
                one.get_source(fmt)
            assert raised.value.name == "module-no-source"
    outer, inner = relay.build(mod, "llvm").get_lib(), relay.build(mod, "llvm", mod_name="inner").get_lib()
    outer.import_module(inner)
    assert "define" in next(one for one in outer.imported_modules if one == inner).get_source()


def test_the_source_of_a_graph_has_no_instruments():
    seen = []

    @lathe.instrument.pass_instrument
    class Watch:
        def run_before_pass(self, mod, info):
            seen.append(info.name)

    x = relay.var("x", shape=(2, 8))
    with lathe.transform.PassContext(instruments=[Watch()]):
        lib = relay.build(relay.Function([x], x + x), "llvm")
    count = len(seen)
    assert count > 0 and "define" in lib.get_lib().get_source() and len(seen) == count
