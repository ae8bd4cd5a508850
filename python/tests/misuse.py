"""Mistakes that mypy finds by the stubs: every line marked so. Not run; read by stubs_test.py."""

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
lathe.transform.PassContext(config={}).no_such  # is looked up at run time
