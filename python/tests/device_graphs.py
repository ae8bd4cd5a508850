"""Graphs on a device, and on a device and the host, from Python. The first argument names the device's kind.

on_opencl.py and test_cuda.py start this file.
"""

import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import lathe
from lathe import relay
from lathe.contrib import graph_executor
from lathe.contrib.debugger import debug_executor

KIND = sys.argv[1]
there, cpu = lathe.device(KIND, 0), lathe.cpu()
assert there.exist, there.why_not
BOTH = {"cpu": "llvm", KIND: KIND}
rng = np.random.default_rng(1)
x = rng.standard_normal((1, 3, 16, 16)).astype("float32")
params = {name: rng.standard_normal(shape).astype("float32") * 0.3
          for name, shape in {"w": (8, 3, 3, 3), "v": (8, 8, 3, 3), "d": (10, 8)}.items()}


def net(place=lambda value: value):
    """Two convolutions and a classifier; `place` annotates the first."""
    data = relay.var("data", shape=x.shape)
    w, v, d = (relay.var(name, shape=value.shape) for name, value in params.items())
    y = place(relay.nn.relu(relay.nn.conv2d(data, w, padding=1)))
    y = relay.nn.relu(relay.nn.conv2d(y, v, padding=1)) + y
    y = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(relay.nn.max_pool2d(y, 2, 2)))
    return relay.Function([data, w, v, d], relay.nn.softmax(relay.nn.dense(y, d)))


def on(name):
    return lambda value: relay.annotation.on_device(value, name)


def run(lib, *devices):
    m = graph_executor.GraphModule(lib["default"](*devices))
    m.set_input("data", x)
    m.run()
    return m.get_output(0).numpy()


expected = run(relay.build(net(), "llvm", params=params), cpu)
libs = {
    "all": relay.build(net(), KIND, target_host="llvm", params=params),
    "first": relay.build(net(on(KIND)), BOTH, params=params),
    "rest": relay.build(net(on("cpu")), KIND, params=params),
}
with lathe.transform.PassContext(config={"relay.fallback_device_type": KIND}):
    libs["fallback"] = relay.build(net(on("cpu")), BOTH, params=params)
for name, lib in libs.items():
    for devices in ([there], [cpu, there]):
        np.testing.assert_allclose(run(lib, *devices), expected, rtol=1e-4, err_msg=name)
np.testing.assert_allclose(lib.get_lib()["default"](lathe.nd.array(x)).numpy(), expected, rtol=1e-4)
print(libs["first"])

# Memory of the device is used where it is.
m = graph_executor.GraphModule(libs["all"]["default"](there))
assert m.get_input_device("data") == there and m.get_output_device(0) == there
data, out = lathe.nd.array(x, there), lathe.nd.empty((1, 10), device=there)
m.set_input_zero_copy("data", data)
m.set_output_zero_copy(0, out)
m.run()
np.testing.assert_allclose(out.numpy(), expected, rtol=1e-4)
for wrong, part in ((lathe.nd.array(x), "expected: memory of " + KIND + ":0"),):
    try:
        m.set_input_zero_copy("data", wrong)
    except lathe.LatheError as error:
        assert error.name == "graph-input-layout" and part in str(error), error
    else:
        raise AssertionError("memory of the host was taken for the device's")
try:
    libs["all"]["default"](lathe.cuda() if KIND == "opencl" else lathe.cl())
except lathe.LatheError as error:
    assert error.name == "graph-device" and "expected: cpu, " + KIND in str(error), error

# Weights by name, on the device.
assert set(libs["all"].get_params()) >= {"w", "v"}, libs["all"].get_params().keys()
m = graph_executor.GraphModule(libs["all"]["default"](there))
m.set_input("data", x)
m.load_params(relay.save_param_dict({"w": np.zeros_like(params["w"])}))
m.run()
np.testing.assert_allclose(m.get_output(0).numpy(), np.full((1, 10), 0.1), rtol=1e-4)

# The debugging executor says where each step ran.
m = debug_executor.GraphModuleDebug(libs["first"]["default"](cpu, there), cpu)
m.set_input("data", x)
m.run()
assert {str(step.device) for step in m.steps} == {str(cpu), str(there)}
assert str(there) in m.table() and any(step.location == "device_copy" for step in m.steps)
with tempfile.TemporaryDirectory() as folder:
    m.save_trace(os.path.join(folder, "trace.json"))

# Files load in another process.
with tempfile.TemporaryDirectory() as folder:
    for name in ("first", "all"):
        for suffix in ("so", "tar"):
            path = os.path.join(folder, f"{name}.{suffix}")
            libs[name].export_library(path)
            np.save(os.path.join(folder, "x.npy"), x)
            program = f"""
import sys; sys.path[:0] = {sys.path!r}
import lathe, numpy as np
from lathe.contrib import graph_executor
lib = lathe.runtime.load_module({path!r})
m = graph_executor.GraphModule(lib["default"](lathe.cpu(), lathe.device({KIND!r}, 0)))
m.set_input("data", np.load({os.path.join(folder, "x.npy")!r}))
m.run()
print(m.get_output(0).numpy().tolist())
"""
            done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", program],
                                  capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            np.testing.assert_allclose(np.array(eval(done.stdout)), expected, rtol=1e-4)

# What a device cannot run is on the host, and a warning says so.
v = relay.var("v", shape=(5,))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    lib = relay.build(relay.Function([v], relay.exp(relay.sort(relay.tanh(v)))), KIND)
assert len(caught) == 1 and "`sort` runs on the host" in str(caught[0].message), caught
m = graph_executor.GraphModule(lib["default"](there))
numbers = rng.standard_normal(5).astype("float32")
m.run(v=numbers)
np.testing.assert_allclose(m.get_output(0).numpy(), np.exp(np.sort(np.tanh(numbers))), rtol=1e-5)

doubled = relay.create_executor("graph", relay.Function([v], v * 2.0), there, KIND).evaluate()
np.testing.assert_allclose(doubled(numbers).numpy(), numbers * 2)
print("graphs ran on", KIND)
