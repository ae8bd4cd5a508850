"""Lesson 14: write an operator of graphs: its type, what it computes, and what it is fused with.

Run it: python lesson_14_operator.py        (after: pip install lathe-*.whl numpy)
"""

import os
import tempfile

import numpy as np

import lathe
from lathe import relay, te, topi
from lathe.contrib import graph_executor

# 1. An operator of elements. Its type is that of its operand, and what it computes is a tensor
#    expression: the interpreter, the code for all targets and the fusion with other operators come
#    from that. `kind` says that an element depends on the element at the same place.
smoothstep = relay.op.register_op(
    "mine.smoothstep", ["x"], kind="elementwise", doc="x * x * (3 - 2 x), for x limited to 0 to 1.",
    type=lambda types, attrs: types[0],
    compute=lambda tensors, attrs: te.compute(tensors[0].shape, lambda *i: step(tensors[0][i])))


def step(x):
    x = te.max(te.min(x, 1.0), 0.0)
    return x * x * (3.0 - 2.0 * x)


# 2. An operator with an attribute, and a shape of its own. An attribute's type instead of a default
#    means: it must be given. Extents may be sizes that are not known: `n - width + 1` is one, too.
def windows_type(types, attrs):
    x, width = types[0], attrs.width
    if len(x.shape) != 2 or width < 1:
        raise ValueError(f"windows of {width} elements of rows: the operand is {x}")
    return relay.TensorType((x.shape[0], x.shape[1] - width + 1), x.dtype)


def windows_compute(tensors, attrs):
    x = tensors[0]
    k = te.reduce_axis((0, attrs.width), name="k")
    return te.compute((x.shape[0], x.shape[1] - attrs.width + 1),
                      lambda i, j: te.sum(x[i, j + k], axis=k), name="windows")


windows = relay.op.register_op("mine.windows", {"x": "rows"}, {"width": int}, type=windows_type,
                               compute=windows_compute, kind="reduction",
                               doc="The sums of `width` elements side by side.")

# 3. They are used as all others. Rows of any length; the softmax and the sums are kernels, and the
#    elementwise operators go with them.
x = relay.var("x", shape=(4, relay.Any("n")))
y = smoothstep(relay.nn.softmax(windows(x * 2.0, width=3)) + 0.25)
mod = lathe.IRModule.from_expr(relay.Function([x], y))
print(mod)
print(relay.transform.FuseOps()(mod))
lib = relay.build(mod, target="llvm")

# 4. The answers, by NumPy, by the interpreter and by the compiled code.
rng = np.random.default_rng(0)


def by_numpy(data):
    sums = np.lib.stride_tricks.sliding_window_view(data * 2, 3, axis=1).sum(axis=2)
    powers = np.exp(sums - sums.max(axis=1, keepdims=True))
    t = np.clip(powers / powers.sum(axis=1, keepdims=True) + 0.25, 0, 1)
    return t * t * (3 - 2 * t)


m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
for length in (3, 20, 129):
    data = rng.standard_normal((4, length), "float32")
    m.run(x=data)
    np.testing.assert_allclose(m.get_output(0).numpy(), by_numpy(data), rtol=1e-4, atol=1e-6)
    interpreted = relay.create_executor("debug", mod).evaluate()(data).numpy()
    np.testing.assert_allclose(interpreted, by_numpy(data), rtol=1e-4, atol=1e-6)

# 5. Exported code needs neither the registration nor the compiler.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "network.so")
    lib.export_library(path)
    loaded = graph_executor.GraphModule(lathe.load_module(path)["default"](lathe.cpu()))
    loaded.run(x=data)
    np.testing.assert_array_equal(loaded.get_output(0).numpy(), m.get_output(0).numpy())

# 6. What goes wrong is said where the operator is used.
for wrong in (lambda: windows(x, width=0).checked_type, lambda: windows(x, width="3"),
              lambda: relay.op.register_op("mine.windows", ["x"], type=None, compute=None)):
    try:
        wrong()
        raise AssertionError("this must be refused")
    except (lathe.LatheError, ValueError) as error:
        print(type(error).__name__, error)

# 7. The operators of Lathe can be used to write new ones: lathe.topi applies them to tensors.
swish_of_sums = relay.op.register_op(
    "mine.swish_of_sums", ["x"], kind="opaque",
    type=lambda types, attrs: relay.TensorType(types[0].shape[:1], types[0].dtype),
    compute=lambda t, attrs: (lambda total: total * topi.sigmoid(total))(topi.sum(t[0], axis=1)))
total = data.sum(axis=1)
found = relay.create_executor("graph", swish_of_sums(relay.var("x", shape=data.shape))).evaluate()(data)
np.testing.assert_allclose(found.numpy(), total / (1 + np.exp(-total)), rtol=1e-4, atol=1e-5)

# Operators that are to be part of Lathe are written in C++, with tests that come for free:
# docs/adding_an_operator.md.
print("ok")
