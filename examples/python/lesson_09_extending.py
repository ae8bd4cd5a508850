"""Lesson 9: calls in both directions, your own passes, choices by target."""

import numpy as np

import lathe
from lathe import te, tir, transform

# A Python function inside a compiled program.
@lathe.register_func("lesson.log_row", override=True)
def log_row(row, out):
    print("row of", row.shape[0], "elements, sum", round(float(row.numpy().sum()), 3))
    out.copyfrom(np.sort(row.numpy()))


A = te.placeholder((8,), name="A")
S = te.extern((8,), [A], lambda ins, outs: tir.call_packed("lesson.log_row", ins[0], outs[0]),
              name="S")
B = te.compute((8,), lambda i: S[i] * 2.0, name="B")
a, b = np.random.rand(8).astype("float32"), np.zeros(8, "float32")
lathe.build(te.create_schedule(B.op), [A, B], "llvm")(a, b)
np.testing.assert_array_equal(b, np.sort(a) * 2)


# An exception passes through compiled code unchanged.
@lathe.register_func("lesson.refuse", override=True)
def refuse(row, out):
    raise PermissionError("not today")


S = te.extern((8,), [A], lambda ins, outs: tir.call_packed("lesson.refuse", ins[0], outs[0]))
try:
    lathe.build(te.create_schedule(S.op), [A, S], "llvm")(a, b)
except PermissionError as error:
    print("came back:", error)
else:
    raise AssertionError


# A pass: every multiplication by 2 becomes an addition.
@transform.prim_func_pass(opt_level=0)
def doubling_by_adding(func, module, context):
    def change(node):
        if isinstance(node.b, tir.FloatImm) and node.b.value == 2:
            return node.a + node.a
        return None

    return func.with_body(tir.ir_transform(func.body, None, change, ["Mul"]))


B = te.compute((8,), lambda i: A[i] * 2.0, name="B")
with lathe.PassContext(config={"tir.add_lower_pass": [(1, doubling_by_adding)]}):
    lowered = lathe.lower(te.create_schedule(B.op), [A, B])
    print(lowered)
    assert "2" not in str(lowered["main"].body).replace("A[i] + A[i]", "")
    lathe.build(te.create_schedule(B.op), [A, B], "llvm")(a, b)
np.testing.assert_array_equal(b, a * 2)


# One function, several versions, chosen by the current target.
@lathe.target.generic_func
def block_size():
    return 64


@block_size.register("cpu")
def _():
    return 256


with lathe.Target("llvm"):
    assert block_size() == 256
assert block_size() == 64
