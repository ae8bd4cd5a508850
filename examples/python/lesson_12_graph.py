"""Lesson 12: graphs of whole tensors: build a small network, compile it, run it, ship it.

Run it: python lesson_12_graph.py        (after: pip install lathe-*.whl numpy)
"""

import os
import tempfile

import numpy as np

import lathe
from lathe import relay
from lathe.contrib import graph_executor
from lathe.contrib.debugger import debug_executor

# 1. Expressions. An operator is a function of expressions: relay.nn.conv2d(data, weight, ...). The
#    number of pictures is a size that the caller chooses. Weights get their shapes by their use.
data = relay.var("data", shape=(relay.Any("n"), 3, 16, 16))
x = relay.nn.conv2d(data, relay.var("conv_weight"), channels=8, kernel_size=(3, 3), padding=(1, 1))
x = relay.nn.relu(relay.nn.bias_add(x, relay.var("conv_bias")))
x = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(x))
x = relay.nn.softmax(relay.nn.dense(x, relay.var("fc_weight"), units=4) * 2.0)

# 2. A module: the function's values in order, each with its type. Operands that do not fit are
#    refused here, with the line that made the expression.
mod = lathe.IRModule.from_expr(relay.Function(relay.analysis.free_vars(x), x))
print(mod)

# 3. Compile. The weights become constants: passes fold and transpose them, and choose layouts.
random = np.random.default_rng(0)
params = {"conv_weight": random.standard_normal((8, 3, 3, 3), "float32") / 3,
          "conv_bias": random.standard_normal(8, "float32"),
          "fc_weight": random.standard_normal((4, 8), "float32")}
with lathe.transform.PassContext(opt_level=3):
    lib = relay.build(mod, target="llvm", params=params)

# 4. Run, with any number of pictures. The result is what the interpreter says, too: it computes each
#    operator by its definition.
m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
interpreted = relay.create_executor("debug", mod, params=params).evaluate()
for count in (1, 5):
    pictures = random.standard_normal((count, 3, 16, 16), "float32")
    m.run(data=pictures)
    result = m.get_output(0).numpy()
    np.testing.assert_allclose(result, interpreted(pictures).numpy(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(result.sum(axis=1), np.ones(count), rtol=1e-5)
print(m.benchmark(lathe.cpu(), repeat=3, number=10))

# 5. Where does the time go? Kernels are groups of operators: here a convolution with what follows.
debug = debug_executor.GraphModuleDebug(lib["default"](lathe.cpu()), lathe.cpu())
debug.run(data=pictures)

# 6. Ship it: one file, which needs the runtime alone, and no compiler.
with tempfile.TemporaryDirectory() as folder:
    for name in ("network.so", "network.tar"):
        path = os.path.join(folder, name)
        lib.export_library(path)
        loaded = graph_executor.GraphModule(lathe.load_module(path)["default"](lathe.cpu()))
        loaded.run(data=pictures)
        np.testing.assert_array_equal(loaded.get_output(0).numpy(), result)

# 7. What goes wrong is said where it is wrong.
try:
    relay.nn.dense(data, relay.var("w", shape=(4, 5))).checked_type
except lathe.LatheError as error:
    print(error)
print("ok")
