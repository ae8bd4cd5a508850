"""Patterns of expressions: each kind, backtracking, dominators, rewriting, partition."""

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.relay import dataflow_pattern as dfp
from lathe.relay.dataflow_pattern import (DFPatternCallback, FunctionPattern, dominates, has_attr,
                                          has_dtype, has_shape, has_type, is_constant, is_expr, is_if,
                                          is_let, is_op, is_tuple, is_tuple_get_item, is_var,
                                          partition, rewrite, wildcard)


def x_(name="x", shape=(2, 3), dtype="float32"):
    return relay.var(name, shape=shape, dtype=dtype)


def elementwise():
    return wildcard().has_attr({"TOpPattern": relay.op.OpPattern.ELEMWISE})(wildcard())


@pytest.mark.parametrize("pattern, yes, no", [
    (is_var(), x_(), relay.const(1)),
    (is_var("x"), x_("x"), x_("y")),
    (is_constant(), relay.const(1), x_()),
    (wildcard(), x_(), None),
    (is_op("exp")(is_var()), relay.exp(x_()), relay.tanh(x_())),
    (is_op("exp")(is_op("exp")(wildcard())), relay.exp(relay.exp(x_())), relay.exp(x_())),
    (is_expr(relay.const(1)), relay.const(1), relay.const(2)),
    (is_tuple([is_var(), is_constant()]), relay.Tuple([x_(), relay.const(1)]), relay.Tuple([x_()])),
    (is_tuple(None), relay.Tuple([x_()]), x_()),
    (is_tuple_get_item(wildcard(), 1), relay.split(x_(), 3, 1)[1], relay.split(x_(), 3, 1)[2]),
    (is_tuple_get_item(is_op("split")(wildcard())), relay.split(x_(), 3, 1)[2], x_()),
    (is_if(is_var("c"), is_constant(), wildcard()),
     relay.If(x_("c", (), "bool"), relay.const(1), relay.const(2)), relay.const(1)),
    (is_let(is_var(), is_constant(), is_var()), relay.Let(*[v := relay.var("v"), relay.const(1.0), v]),
     relay.const(1)),
    (FunctionPattern([is_var()], is_op("exp")(wildcard())),
     relay.Function([v := x_()], relay.exp(v)), relay.Function([v, w := x_()], relay.exp(v))),
    (FunctionPattern(None, is_op("add")(wildcard(), wildcard())),
     relay.Function([v, w], v + w), relay.Function([v, w], v - w)),
    (has_type(relay.TensorType((2, 3))), x_(), x_(shape=(3, 2))),
    (has_dtype("int8"), x_(dtype="int8"), x_()),
    (has_shape((2, 3)), relay.exp(x_()), x_(shape=(2, 3, 1))),
    (has_attr({"axis": 1}), relay.nn.softmax(x_(), axis=1), relay.nn.softmax(x_(), axis=0)),
    (is_op("nn.softmax")(wildcard()).has_attr({"axis": -1}), relay.nn.softmax(x_()),
     relay.nn.softmax(x_(), axis=0)),
    (has_attr({"Composite": "a"}), relay.Function([v], v, attrs={"Composite": "a"}),
     relay.Function([v], v)),
    (is_op("exp")(wildcard()) | is_op("tanh")(wildcard()), relay.tanh(x_()), relay.abs(x_())),
    ((is_op("exp") | is_op("tanh"))(wildcard()), relay.tanh(x_()), relay.abs(x_())),
    (is_op("exp")(wildcard()).optional(is_op("nn.relu")), relay.nn.relu(relay.exp(x_())),
     relay.nn.relu(x_())),
    (is_op("exp")(wildcard()).optional(is_op("nn.relu")), relay.exp(x_()), x_()),
    (wildcard()(wildcard(), wildcard()), x_() / x_(), relay.exp(x_())),
    (wildcard() - is_constant(), x_() - 1.0, 1.0 - x_()),
    (wildcard() / is_constant() + wildcard() * wildcard(), x_() / 2.0 + x_() * x_(), x_() + x_()),
    (elementwise(), relay.exp(x_()), relay.sum(x_())),
])
def test_each_kind(pattern, yes, no):
    assert pattern.match(yes)
    assert no is None or not pattern.match(no)


def test_commutative_operators():
    a, b = relay.exp(x_()), relay.tanh(x_())
    exp, tanh = is_op("exp")(wildcard()), is_op("tanh")(wildcard())
    assert (exp + tanh).match(b + a) and (exp * tanh).match(b * a)
    assert not (exp - tanh).match(b - a) and not (exp / tanh).match(b / a)


def test_one_pattern_is_one_expression():
    x, y, one = x_(), x_("y"), wildcard()
    assert is_op("add")(one, one).match(x + x)
    assert not is_op("add")(one, one).match(x + y)
    diamond = is_op("add")(is_op("exp")(one), is_op("tanh")(one))
    assert diamond.match(relay.exp(x) + relay.tanh(x)) and diamond.match(relay.tanh(x) + relay.exp(x))
    assert not diamond.match(relay.exp(x) + relay.tanh(y))


def test_backtracking():
    """The first alternative fits by itself, and fails with what is around it."""
    x, y = x_(), x_("y")
    one, two = wildcard(), wildcard()
    pattern = is_op("subtract")(one * two, one)
    assert pattern.match(y * x - x) and pattern.match(x * y - x)  # only one order of operands fits
    inner = is_op("exp")(wildcard()) | is_op("exp")(is_op("tanh")(one))
    pattern = is_op("subtract")(inner, is_op("abs")(one) | one)
    assert pattern.match(relay.exp(relay.tanh(x)) - relay.abs(x))
    deep = (one + two) + (two + one)
    assert deep.match((x + y) + (x + y)) and not deep.match((x + x) + (y + y))


CHAIN = dominates(is_op("exp")(wildcard()), elementwise(), is_op("add")(wildcard(), wildcard()))


def test_dominators():
    x, y = x_(), x_("y")
    head = relay.exp(x)
    assert CHAIN.match(relay.tanh(head) + relay.abs(relay.tanh(head)))
    assert CHAIN.match(head + head)
    assert not CHAIN.match(relay.tanh(head) + y)  # not all comes from the head
    assert not CHAIN.match(relay.tanh(head) + relay.exp(y))  # two heads
    assert not CHAIN.match(relay.tanh(head) + relay.reshape(head, (2, 3)))  # not along the path
    assert is_op("add")(wildcard(), wildcard()).dominates(is_op("exp")(wildcard())).match(head + head)
    assert not CHAIN.match(head)
    # What is within is used from outside: not dominated, within the whole graph.
    inside = relay.tanh(head)
    whole = relay.Tuple([relay.abs(inside) + inside, inside])
    assert dfp._rewriter.matches(CHAIN, whole) == {}
    assert len(dfp._rewriter.matches(CHAIN, relay.Tuple([relay.abs(inside) + inside]))) == 1


class Rule(DFPatternCallback):
    def __init__(self, pattern, make, **options):
        super().__init__(**options)
        self.pattern, self.make, self.calls = pattern, make, 0

    def callback(self, pre, post, node_map):
        self.calls += 1
        return self.make(post, node_map)


def test_rewriting_to_a_fixed_point():
    x, inner = x_(), wildcard()
    expr = x
    for _ in range(9):
        expr = relay.negative(expr)
    rule = Rule(is_op("negative")(is_op("negative")(inner)), lambda post, found: found[inner][0])
    made = rewrite(rule, relay.exp(expr))
    assert relay.analysis.list_op_freqs(made) == {"exp": 1, "negative": 1}
    assert made.args[0].args[0] is x
    once = Rule(rule.pattern, rule.make, rewrite_once=True)
    assert relay.analysis.list_op_freqs(rewrite(once, expr))["negative"] == 1  # pairs do not overlap
    assert once.calls == 4


def test_rewriting_stops():
    x, inner = x_(), wildcard()
    same = Rule(is_op("add")(inner, inner), lambda post, found: found[inner][0] + found[inner][0])
    assert relay.analysis.list_op_freqs(rewrite(same, x + x)) == {"add": 1}  # a new, equal expression
    grows = Rule(is_op("exp")(inner), lambda post, found: relay.exp(relay.tanh(found[inner][0])))
    with pytest.raises(lathe.LatheError, match="relay-pattern-rounds"):
        rewrite(grows, relay.exp(x))
    assert relay.analysis.list_op_freqs(rewrite(Rule(grows.pattern, grows.make, rewrite_once=True),
                                                relay.exp(x))) == {"exp": 1, "tanh": 1}


def test_several_rules_and_functions():
    x, inner = x_(), wildcard()
    rules = [Rule(is_op("exp")(inner), lambda post, found: relay.tanh(found[inner][0])),
             Rule(is_op("tanh")(inner), lambda post, found: relay.abs(found[inner][0]))]
    made = rewrite(rules, relay.Function([x], relay.exp(x)))
    assert isinstance(made, relay.Function) and made.body.op.name == "abs" and made.params == [x]
    with pytest.raises(lathe.LatheError, match="relay-pattern-result"):
        rewrite(Rule(is_op("exp")(inner), lambda post, found: 3), relay.exp(x))


def test_batch_norm_is_found_and_computes_the_same():
    x = x_(shape=(1, 3, 4, 4))
    parts = {name: relay.var(name, shape=(3, 1, 1)) for name in ("mean", "var", "beta", "gamma")}
    y = parts["gamma"] * (x - parts["mean"]) / relay.sqrt(parts["var"] + relay.const(1e-5)) + parts["beta"]

    class Found(DFPatternCallback):
        def __init__(self):
            super().__init__()
            self.x, self.mean, self.var = wildcard(), wildcard(), wildcard()
            self.beta, self.gamma, self.eps = wildcard(), wildcard(), is_constant()
            self.pattern = self.gamma * (self.x - self.mean) / \
                is_op("sqrt")(self.var + self.eps) + self.beta

        def callback(self, pre, post, node_map):
            flat = [relay.reshape(node_map[p][0], (3,))
                    for p in (self.gamma, self.beta, self.mean, self.var)]
            epsilon = float(node_map[self.eps][0].data.numpy())
            return relay.nn.batch_norm(node_map[self.x][0], *flat, epsilon=epsilon)[0]

    before = relay.Function([x, *parts.values()], y)
    after = rewrite(Found(), before)
    assert "nn.batch_norm" in relay.analysis.list_op_freqs(after)
    rng = np.random.default_rng(1)
    data = {p.name_hint: rng.random(p.type_annotation.concrete_shape, "float32") for p in before.params}
    want, got = (relay.create_executor("debug", relay.Function(f.params, f.body)).evaluate()(**data).numpy()
                 for f in (before, after))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def layer(x, name):
    return relay.nn.relu(relay.nn.bias_add(relay.nn.dense(x, relay.var(name + "_w", shape=(4, 4))),
                                           relay.const(np.ones(4, "float32"))))


LAYER = is_op("nn.relu")(is_op("nn.bias_add")(is_op("nn.dense")(wildcard(), wildcard()), is_constant()))


def test_partition():
    x = x_(shape=(2, 4))
    y = layer(layer(x, "a"), "b")
    made = partition(LAYER, y, {"Composite": "mine"})
    assert isinstance(made.op, relay.Function) and made.op.attrs["Composite"] == "mine"
    assert made.op.attrs["PartitionedFromPattern"] == "nn.dense_nn.bias_add_nn.relu_"
    assert len(made.args) == 2 == len(made.op.params)  # the constant is inside
    assert isinstance(made.args[0].op, relay.Function) and made.args[0].args[0] is x
    rng = np.random.default_rng(1)
    params = relay.analysis.free_vars(y)
    data = [rng.standard_normal(p.type_annotation.concrete_shape).astype("float32") for p in params]
    results = [relay.create_executor(kind, relay.Function(params, body)).evaluate()(*data).numpy()
               for body in (y, made) for kind in ("debug", "graph")]
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-5, atol=1e-6)


def test_partition_leaves_what_others_need():
    x = x_(shape=(2, 4))
    inner = relay.exp(x)
    pattern = is_op("tanh")(is_op("exp")(wildcard()))
    both = relay.Tuple([relay.tanh(inner), inner])  # exp is used outside
    assert partition(pattern, both) is both
    checked = partition(pattern, relay.tanh(inner), check=lambda expr: False)
    assert relay.analysis.list_op_freqs(checked) == {"exp": 1, "tanh": 1}
    assert checked.op == relay.op.get("tanh")


def test_wildcards_become_arguments_and_sharing_stays():
    x = x_(shape=(2, 4))
    a = relay.exp(x)
    made = partition(is_op("add")(wildcard(), wildcard()), a + a)
    assert len(made.args) == 1 and made.op.body.args[0] is made.op.body.args[1]


def test_merge_composite():
    x = x_(shape=(2, 4))
    table = [("mine.layer", LAYER, lambda expr: True), ("mine.exp", is_op("exp")(wildcard()))]
    mod = relay.transform.MergeComposite(table)(relay.exp(layer(x, "a")))
    names = [part.attrs["Composite"] for part in relay.analysis.post_order(mod["main"])
             if isinstance(part, relay.Function) and "Composite" in part.attrs]
    assert sorted(names) == ["mine.exp", "mine.layer"]


def test_deep_graphs():
    expr, inner = x_(), wildcard()
    for _ in range(3000):
        expr = relay.exp(expr)
    rule = Rule(is_op("exp")(inner), lambda post, found: relay.tanh(found[inner][0]), rewrite_once=True)
    assert relay.analysis.list_op_freqs(rewrite(rule, expr)) == {"tanh": 3000}
