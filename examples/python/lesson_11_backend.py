"""Lesson 11: a backend in an afternoon: your own code generator, in Python, behind the interface of plugins.

This one writes Python. Its target is like any other: schedules, passes, `lathe.build`, `get_source`, `save` and
`load_module` work with it. It refuses operations that it does not support, by name.
"""

import os
import tempfile

import numpy as np

import lathe
from lathe import te, tir

BINARY = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "FloorDiv": "//", "FloorMod": "%", "LT": "<", "LE": "<=",
          "GT": ">", "GE": ">=", "EQ": "==", "NE": "!=", "And": "and", "Or": "or"}
CALLS = {"exp": "np.exp", "sqrt": "np.sqrt", "tanh": "np.tanh", "log": "np.log",
         "likely": "bool"}


class PythonWriter:
    """Writes a module at the stage `tile`: loops over buffers of many dimensions."""

    def __init__(self):
        self.lines = ["import numpy as np", ""]
        self.names = {}

    def name(self, node):
        """A separate name for each variable and buffer."""
        if node not in self.names:
            plain = "".join(c if c.isalnum() else "_" for c in node.name)
            self.names[node] = f"{plain}_{len(self.names)}"
        return self.names[node]

    def function(self, func):
        self.lines.append(f"def {func.name}({', '.join(self.name(p) for p in func.params)}):")
        known = set()
        for buffer in (p for p in func.params if isinstance(p, tir.Buffer)):
            for axis, extent in enumerate(buffer.shape):
                if isinstance(extent, tir.Var) and extent not in known:  # a symbolic extent
                    known.add(extent)
                    self.lines.append(f"  {self.name(extent)} = {self.name(buffer)}.shape[{axis}]")
        self.statement(func.body, "  ")

    def statement(self, s, indent):
        kind = type(s).__name__
        if kind == "Seq":
            for one in s.stmts:
                self.statement(one, indent)
        elif kind == "For":  # vectorized, parallel and unrolled loops have the same meaning in order
            low, count = self.value(s.min), self.value(s.extent)
            self.lines.append(f"{indent}for {self.name(s.var)} in range({low}, {low} + {count}):")
            self.statement(s.body, indent + "  ")
        elif kind == "Store":
            self.lines.append(f"{indent}{self.element(s.buffer, s.indices)} = {self.value(s.value)}")
        elif kind == "Allocate":
            shape = ", ".join(self.value(n) for n in s.buffer.shape)
            self.lines.append(f"{indent}{self.name(s.buffer)} = np.empty(({shape},), '{s.buffer.dtype}')")
            self.statement(s.body, indent)
        elif kind == "If":
            self.lines.append(f"{indent}if {self.value(s.condition)}:")
            self.statement(s.then_case, indent + "  ")
            if s.else_case is not None:
                self.lines.append(f"{indent}else:")
                self.statement(s.else_case, indent + "  ")
        else:
            raise NotImplementedError(f"the statement {kind}")

    def element(self, buffer, indices):
        return f"{self.name(buffer)}[{', '.join(self.value(i) for i in indices)}]"

    def value(self, e):
        kind = type(e).__name__
        if kind in BINARY:
            return f"({self.value(e.a)} {BINARY[kind]} {self.value(e.b)})"
        if kind in ("IntImm", "FloatImm"):
            return f"np.{e.dtype}({e.value!r})" if kind == "FloatImm" else repr(e.value)
        if kind == "Var":
            return self.name(e)
        if kind == "Load":
            return self.element(e.source, e.indices)
        if kind in ("Min", "Max"):
            return f"{kind.lower()}({self.value(e.a)}, {self.value(e.b)})"
        if kind == "Select":
            return f"({self.value(e.true_value)} if {self.value(e.condition)} else {self.value(e.false_value)})"
        if kind == "Cast":
            return f"np.{e.dtype}({self.value(e.value)})"
        if kind == "Call" and e.op in CALLS:
            return f"{CALLS[e.op]}({', '.join(self.value(a) for a in e.args)})"
        raise NotImplementedError(f"the expression {kind}: {e}")


@lathe.codegen.register
class Slow(lathe.codegen.CodeGenerator):
    """Its code is Python: slow, and easy to read."""

    kind = "slow"
    doc = "Python source, run by the interpreter"
    attributes = [{"key": "trace", "type": "bool", "default": False, "doc": "print each call"}]
    machine = {"dtypes": {"*": ["int32", "int64", "float32", "float64"]}, "vector_widths": {"float32": 1}}

    def compile(self, module, target, output, constants, options):
        writer = PythonWriter()
        writer.lines.append(f"TRACE = {target.attrs['trace'] == '1'}")
        for func in module.functions:
            writer.function(func)
        return "\n".join(writer.lines)

    def load(self, data):
        scope = {}
        exec(compile(data.decode(), "<slow>", "exec"), scope)

        def callable_for(name, function):
            def call(*args):
                if scope["TRACE"]:
                    print("calling", name)
                function(*[np.asarray(a) if isinstance(a, lathe.Tensor) else a for a in args])

            return call

        return {name: callable_for(name, item) for name, item in scope.items() if callable(item)}


assert "slow" in lathe.target.list_kinds()

# A program as in the other lessons, with a schedule.
n = te.size_var("n")
A, B = te.placeholder((n, 8), name="A"), te.placeholder((8, 8), name="B")
k = te.reduce_axis((0, 8), name="k")
C = te.compute((n, 8), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
D = te.compute((n, 8), lambda i, j: te.exp(C[i, j]), name="D")
s = te.create_schedule(D.op)
outer, inner = s[D].split(D.op.axis[0], factor=4)
s[C].compute_at(s[D], outer)

module = lathe.build(s, [A, B, D], "slow")
print(module.get_source())
a, b = np.random.rand(10, 8).astype("float32"), np.random.rand(8, 8).astype("float32")
d = np.zeros((10, 8), "float32")
module(a, b, d)
np.testing.assert_allclose(d, np.exp(a @ b), rtol=1e-5)

# The same schedule on the processor.
lathe.build(s, [A, B, D], "llvm")(a, b, again := np.zeros_like(d))
np.testing.assert_allclose(d, again, rtol=1e-5)

# Saved, and loaded again.
path = os.path.join(tempfile.mkdtemp(), "slow.module")
module.save(path)
d[:] = 0
lathe.load_module(path)(a, b, d)
np.testing.assert_allclose(d, again, rtol=1e-5)

# The target's attributes are checked like those of any other target.
lathe.build(s, [A, B, D], "slow -trace=1")(a, b, d)
try:
    lathe.Target("slow -speed=9")
except lathe.LatheError as error:
    print(error)

# An operation that the backend cannot do raises its own exception here.
E = te.compute((n, 8), lambda i, j: te.popcount(A[i, j].astype("int32")), name="E")
try:
    lathe.build(te.create_schedule(E.op), [A, E], "slow")
except NotImplementedError as error:
    print("refused:", error)
else:
    raise AssertionError
