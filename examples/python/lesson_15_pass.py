"""Lesson 15: write passes over graphs: by visiting expressions, and by patterns.

Run it: python lesson_15_pass.py        (after: pip install lathe-*.whl numpy)
"""

import numpy as np

import lathe
from lathe import relay
from lathe.relay.dataflow_pattern import DFPatternCallback, is_constant, is_op, rewrite, wildcard

# A network to change: two dense layers, with a hand-written gelu between them.
data = relay.var("data", shape=(relay.Any("n"), 16))
x = relay.nn.dense(data, relay.var("w1", shape=(32, 16)))
x = x * relay.const(0.5) * (relay.erf(x * relay.const(0.70710678)) + relay.const(1.0))
x = relay.nn.dense(x, relay.var("w2", shape=(8, 32)))
x = relay.power(x, relay.const(2.0)) + relay.power(x, relay.const(3.0))
mod = lathe.IRModule.from_expr(relay.Function(relay.analysis.free_vars(x), x))
print(mod)


# 1. A visitor looks at each expression once. This one counts.
class Counter(relay.ExprVisitor):
    def __init__(self):
        super().__init__()
        self.found = {}

    def visit_call(self, call):
        super().visit_call(call)
        self.found[call.op.name] = self.found.get(call.op.name, 0) + 1


def count(module):
    counter = Counter()
    counter.visit(module["main"])
    return counter.found


print(count(mod))
assert count(mod)["power"] == 2


# 2. A mutator builds the expression anew: what its methods return stands for what they got. Small
#    powers become products. `super().visit_call` gives the call with its operands changed already.
class PowersAreProducts(relay.ExprMutator):
    def visit_call(self, call):
        call = super().visit_call(call)
        if call.op != relay.op.get("power") or not isinstance(call.args[1], relay.Constant):
            return call
        base, exponent = call.args[0], float(call.args[1].data.numpy())
        if exponent not in (2.0, 3.0):
            return call
        return base * base if exponent == 2.0 else base * base * base


# 3. A pass of it: a function from function to function, with a name and a level.
@relay.transform.function_pass(opt_level=1)
def powers_are_products(func, module, context):
    return PowersAreProducts().visit(func)


assert "power" not in count(powers_are_products(mod))


# 4. Patterns find larger parts. `x` is one wildcard, so it must be the same expression wherever it
#    stands; operands of `add` and `multiply` match in both orders. The rule is applied until nothing
#    changes.
class Gelu(DFPatternCallback):
    def __init__(self):
        super().__init__()
        self.x, self.half, self.root, self.one = wildcard(), is_constant(), is_constant(), is_constant()
        self.pattern = (self.x * self.half) * (is_op("erf")(self.x * self.root) + self.one)

    def callback(self, pre, post, node_map):
        values = [float(node_map[p][0].data.numpy()) for p in (self.half, self.root, self.one)]
        if not np.allclose(values, (0.5, 0.5 ** 0.5, 1.0)):
            return post  # another function of the same form
        return relay.nn.gelu(node_map[self.x][0])


@relay.transform.function_pass(opt_level=1)
def find_gelu(func, module, context):
    return rewrite(Gelu(), func)


assert count(find_gelu(mod))["nn.gelu"] == 1

# 5. In a sequence with Lathe's own passes. The level of the context says which ones run, and
#    `disabled_pass` leaves some out.
sequence = lathe.transform.Sequential([find_gelu, powers_are_products,
                                       relay.transform.EliminateCommonSubexpr(),
                                       relay.transform.FoldConstant()])
with lathe.transform.PassContext(opt_level=3):
    changed = sequence(mod)
print(changed)
assert count(changed) == {"nn.dense": 2, "nn.gelu": 1, "multiply": 2, "add": 1}
with lathe.transform.PassContext(opt_level=3, disabled_pass=["find_gelu"]):
    assert "erf" in count(sequence(mod))

# 6. A pass must not change the answers. The interpreter computes each operator by its definition: the
#    graph before and after must agree on it, and the compiled one with both.
rng = np.random.default_rng(0)
arguments = {"data": rng.standard_normal((5, 16), "float32"),
             "w1": rng.standard_normal((32, 16), "float32") / 4,
             "w2": rng.standard_normal((8, 32), "float32") / 4}
expected = relay.create_executor("debug", mod).evaluate()(**arguments).numpy()
for executor in ("debug", "graph"):
    found = relay.create_executor(executor, changed).evaluate()(**arguments).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


# 7. Instruments see the module between passes.
class Names:
    seen: list[str] = []

    def run_after_pass(self, module, info):
        self.seen.append(info.name)


with lathe.transform.PassContext(opt_level=3, instruments=[Names()]):
    sequence(mod)
print(Names.seen)
assert Names.seen[:2] == ["find_gelu", "powers_are_products"]
print("ok")
