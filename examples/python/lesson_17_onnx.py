"""Lesson 17: models of ONNX: import, compile, run, and ship a library.

Run it: python lesson_17_onnx.py [model.onnx]        (after: pip install lathe-*.whl numpy)
Without a model it makes a small one with the package `onnx`; where that is not installed it says so,
and does nothing. Lathe itself needs no other package to read ONNX.
"""

import pathlib
import sys
import tempfile

import numpy as np

import lathe
from lathe import relay
from lathe.contrib import graph_executor

folder = pathlib.Path(tempfile.mkdtemp())


def small_model():
    """A product, a bias and a ReLU for any number of rows, as a framework exports them."""
    from onnx import TensorProto, helper, numpy_helper, save

    rng = np.random.default_rng(1)
    weights = [numpy_helper.from_array(rng.standard_normal(shape).astype("float32"), name)
               for name, shape in (("w", (8, 4)), ("b", (4,)))]
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["h"], name="layer"),
             helper.make_node("Relu", ["h"], ["y"], name="relu")]
    graph = helper.make_graph(
        nodes, "small", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", 4])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    path = folder / "small.onnx"
    save(model, str(path))
    return path


if len(sys.argv) > 1:
    path = pathlib.Path(sys.argv[1])
else:
    try:
        path = small_model()
    except ImportError:
        print("skipped: no model is given, and the package onnx is not installed")
        sys.exit(0)

# 1. Import. `params` has the weights by name; without `freeze_params=False` they are constants of the module, and `params` is
#    empty. What the model leaves open ("batch") is a size that each run chooses.
#    Other shapes: from_onnx(path, shape={"x": ("n", 8)}).
mod, params = relay.frontend.from_onnx(path, freeze_params=False)
inputs = [p for p in mod["main"].params if p.name_hint not in params]
for p in inputs:
    print("input", p.name_hint, p.checked_type)
print("weights:", ", ".join(f"{name}{list(w.shape)}" for name, w in params.items()))

# 2. Compile for this processor, once, for all sizes.
with lathe.transform.PassContext(opt_level=3):
    lib = relay.build(mod, target="llvm", params=params)


# 3. Run.
def values_of(size):
    rng = np.random.default_rng(size)
    values = {}
    for p in inputs:
        shape = [getattr(e, "value", size) for e in p.checked_type.shape]
        values[p.name_hint] = rng.standard_normal(shape).astype(p.checked_type.dtype)
    return values


m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
results = {}
for size in (1, 3):
    m.run(**values_of(size))
    results[size] = m.get_output(0).numpy()
    print(f"size {size}: a result of shape {list(results[size].shape)}")

# 4. Check. Without optimisation the results are the same within rounding; with ONNX Runtime, where it
#    is installed, too.
with lathe.transform.PassContext(opt_level=0):
    plain = graph_executor.GraphModule(relay.build(mod, "llvm", params=params)["default"](lathe.cpu()))
for size, found in results.items():
    plain.run(**values_of(size))
    np.testing.assert_allclose(plain.get_output(0).numpy(), found, rtol=1e-4, atol=1e-5)
try:
    import onnxruntime
except ImportError:
    print("not compared with ONNX Runtime: it is not installed")
else:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    for size, found in results.items():
        np.testing.assert_allclose(session.run(None, values_of(size))[0], found, rtol=1e-4, atol=1e-5)

# 5. Ship. The library has kernels, plan and weights; it runs where only Lathe's runtime is, from
#    Python, C and C++. For another processor: target="llvm -mtriple=aarch64-linux-gnu".
library = folder / "model.so"
lib.export_library(str(library))
loaded = lathe.runtime.load_module(str(library))
m = graph_executor.GraphModule(loaded["default"](lathe.cpu()))
m.run(**values_of(3))
np.testing.assert_array_equal(m.get_output(0).numpy(), results[3])

# 6. What cannot be read is named.
try:
    relay.frontend.from_onnx(path.read_bytes()[:-7])
except lathe.LatheError as error:
    print(error.name + ":", str(error).splitlines()[0])
print("ok")
