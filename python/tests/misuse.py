"""Mistakes that mypy must find with the stubs, all marked. Not run; stubs_test.py reads it."""

import lathe
from lathe import te

A = te.placeholder((8,), name="A")
B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
s = te.create_schedule(B.op)
outer, inner = s[B].split(B.op.axis[0], factor=4)
te.placeholder((8,), name=5)  # mistake
te.placeholder((8,), dtyp="float32")  # mistake
te.plceholder((8,))  # mistake
a, b, c = s[B].split(inner, factor=2)  # mistake
s[B].split("i", factor=2)  # mistake
s[B].vectorise(inner)  # mistake
s[B].vectorize("inner")  # mistake
s[B].reorder(inner, 5)  # mistake
s[B].set_scope(5)  # mistake
s[B].vectorize(inner).parallel(outer)  # mistake
s.cache_raed(A, "shared", [B])  # mistake
s.cache_read(A, 5, [B])  # mistake
lathe.lower(s, [A, B]).no_such_field  # mistake
lathe.lower(B)["main"].body + 1
f = lathe.build(s, [A, B], target="llvm", optimise=3)  # mistake
g = lathe.build(s, [A, B])
g.get_sorce()  # mistake
g.get_source(fmt=5)  # mistake
g.entry_name + 5  # mistake
lathe.cpu("0")  # mistake
lathe.cpu(0).exists  # mistake
lathe.device("cpu").exist + "yes"  # mistake
lathe.Target("llvm").keyz  # mistake
lathe.ir.structural_equal(A)  # mistake
lathe.ir.structural_hash(A).upper()  # mistake
lathe.explain(5)  # mistake
A @ 1  # mistake
A.shap  # mistake
A[0].astype(5)  # mistake
A[0] + "text"  # mistake
(A[0] * 2).shape  # mistake
te.compute((8,), lambda i: "text", name="T")  # mistake
te.compute((8,), 5)  # mistake
te.compute((8,), lambda i: A[i], nam="T")  # mistake
first, second = te.compute((8,), lambda i: (A[i], A[i] + 1), name="two")
first.dtype + 5  # mistake
te.exp("text")  # mistake
te.sum(A[0], axis="k")  # mistake
te.if_then_else(A[0] > 0, 1.0, "text")  # mistake
te.max(A[0], A)  # mistake
lathe.transform.PassContext(config={}).no_such  # is looked up at run time
