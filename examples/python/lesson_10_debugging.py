"""Lesson 10: debugging: lowered loops, explain, passes one by one, the checked build, bisect."""

import numpy as np

import lathe
from lathe import te, tir, transform

n = te.size_var("n")
A = te.placeholder((n,), name="A")
B = te.compute((n,), lambda i: A[i] * 2.0, name="B")
C = te.compute((n,), lambda i: B[i] + 1.0, name="C")
s = te.create_schedule(C.op)
outer, inner = s[C].split(C.op.axis[0], factor=16)
s[B].compute_at(s[C], outer)

# The lowered loops, and an explanation of the schedule.
print(lathe.lower(s, [A, C]))
print(lathe.explain(s, [A, C], sizes={"n": 1000}))
print(s)  # stages, and the trace of what was done


# The time of each pass.
class Watch:
    def __init__(self):
        self.changes = []

    def run_after_pass(self, module, info):
        self.changes.append((info.name, info.seconds))


watch = Watch()
with lathe.PassContext(instruments=[watch], verify=True):
    module = lathe.build(s, [A, C], "llvm")
print(len(watch.changes), "passes; the slowest:", max(watch.changes, key=lambda c: c[1]))

# The assembly that the machine runs.
assembly = lathe.driver.compile_to(s, "assembly", [A, C]).decode()
print(assembly.splitlines()[0], "...", len(assembly.splitlines()), "lines")

# Errors have a name and show the user's own line.
try:
    s[C].vectorize(C.op.axis[0])
except lathe.LatheError as error:
    print(error)
    assert error.name == "schedule-not-a-leaf" and "lesson_10" in str(error)

# An index out of bounds: an ordinary build trusts the program, a checked build checks it.
wrong = te.compute((n,), lambda i: A[i + 1], name="wrong")
with lathe.PassContext(config={"check": 1}):
    checked = lathe.build(te.create_schedule(wrong.op), [A, wrong], "llvm")
try:
    checked(np.zeros(8, "float32"), np.zeros(8, "float32"))
except lathe.LatheError as error:
    print(error)
else:
    raise AssertionError("the checked build should have found it")

# Which step changed the answer? Runs the definition, the schedule, each pass and the code on the
# same values. No step does ...
values = [np.arange(40, dtype="float32"), np.zeros(40, "float32")]
found = lathe.bisect(s, [A, C], values)
print(found)
assert found.culprit is None


# ... until a pass is wrong: this one, put after `flatten`, replaces one constant by another.
@transform.prim_func_pass(opt_level=0)
def careless(func, module, context):
    def change(node):
        return tir.const(3.0, "float32") if node.value == 2.0 else None

    return func.with_body(tir.ir_transform(func.body, None, change, ["FloatImm"]))


with lathe.PassContext(config={"tir.add_lower_pass": [("flatten", careless)]}):
    found = lathe.bisect(s, [A, C], values)
print(found)
assert found.culprit == "flatten" and "3.0" in found.after
