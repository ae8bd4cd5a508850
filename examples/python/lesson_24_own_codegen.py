"""Lesson 24: bring your own code generator.

A vendor's library or compiler takes parts of a network: here the convolutions with their bias and ReLU, as one call
each. Patterns say what it takes; passes mark these parts, join them and make functions of them; a function that the
program registers compiles each. All else is compiled by Lathe, and the library that is exported has both.

Run: python3 lesson_24_own_codegen.py
"""

import os
import tempfile

import numpy as np

import lathe
from lathe import relay, te, topi
from lathe.contrib import graph_executor
from lathe.relay.dataflow_pattern import is_constant, is_op, wildcard

# A small network.
random = np.random.default_rng(1)
x = relay.var("x", shape=(1, 3, 16, 16))


def layer(data, channels, name):
    inputs = data.checked_type.concrete_shape[1]
    weight = relay.const(random.standard_normal((channels, inputs, 3, 3)).astype("float32") * 0.2)
    bias = relay.const(random.standard_normal(channels).astype("float32"))
    return relay.nn.relu(relay.nn.bias_add(relay.nn.conv2d(data, weight, padding=1), bias))


features = layer(layer(x, 8, "first"), 8, "second")
scores = relay.nn.softmax(relay.nn.batch_flatten(relay.nn.global_avg_pool2d(features)))
network = lathe.IRModule.from_expr(relay.Function([x], scores))

# What the code generator "npu" takes: a pattern and, if that does not say all, a check.
conv = is_op("nn.conv2d")(wildcard(), is_constant())
patterns = [("npu.conv2d_bias_relu", is_op("nn.relu")(is_op("nn.bias_add")(conv, is_constant())),
             lambda match: match.checked_type.shape[1] % 8 == 0)]

partitioned = lathe.transform.Sequential([
    relay.transform.MergeComposite(patterns),      # each match becomes a function "npu.conv2d_bias_relu"
    relay.transform.AnnotateTarget("npu"),         # whose calls are marked,
    relay.transform.MergeCompilerRegions(),        # joined,
    relay.transform.PartitionGraph(),              # and become functions of the module
])(network)
print(partitioned)
(name,) = [var.name_hint for var in partitioned.functions if var.name_hint != "main"]
assert partitioned[name].attrs["Compiler"] == "npu"


# The code generator: a relay.Function -> a runtime module with a function of its name, which gets the inputs and
# memory for the results. A vendor calls a compiler here. This one writes tensor expressions and has Lathe compile them.
@lathe.register_func("relay.ext.npu")
def npu(function):
    symbol = function.attrs["global_symbol"]
    (data,) = [te.placeholder(var.type_annotation.concrete_shape, name=var.name_hint) for var in function.params]
    result = data
    calls = [item for item in relay.analysis.post_order(function.body)
             if isinstance(item, relay.Call) and isinstance(item.op, relay.Function)]
    for call in calls:  # of composites, in the order in which they run
        parts = {part.op.name: part for part in relay.analysis.post_order(call.op.body) if isinstance(part, relay.Call)}
        weight, bias = (te.constant(parts[op].args[1].data) for op in ("nn.conv2d", "nn.bias_add"))
        product = topi.nn.conv2d_nchw(result, weight, 1, parts["nn.conv2d"].attrs.padding, 1)
        result = te.compute(product.shape,
                            lambda n, c, i, j, p=product, b=bias: te.max(p[n, c, i, j] + b[c], te.const(0.0, "float32")))
    print(f"npu compiles {symbol}: {len(calls)} layers")
    return lathe.build(lathe.default_schedule(result, "llvm"), [data, result], "llvm", name=symbol)


library = relay.build(partitioned, "llvm")
executor = graph_executor.GraphModule(library["default"](lathe.cpu()))
picture = random.standard_normal((1, 3, 16, 16)).astype("float32")
executor.run(x=picture)
found = executor.get_output(0).numpy()

# The interpreter knows nothing of code generators: it computes the functions of the module as they stand there.
expected = relay.create_executor("debug", partitioned).evaluate()(picture).numpy()
alone = relay.create_executor("graph", network).evaluate()(picture).numpy()
np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)
np.testing.assert_allclose(found, alone, rtol=1e-4, atol=1e-6)

# One file with Lathe's kernels and the code generator's.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "network.so")
    library.export_library(path)
    again = graph_executor.GraphModule(lathe.runtime.load_module(path)["default"](lathe.cpu()))
    again.run(x=picture)
    np.testing.assert_array_equal(again.get_output(0).numpy(), found)
print("the scores:", found.round(3).tolist())
