"""Lists, options and trees, and functions over them."""

from .. import _nodes
from .._irmodule import IRModule
from . import adt, ty
from . import expr as _e
from . import op as _op


class Prelude:
    """The data types List, Option and Tree of one element type, in a module.

    Args:
        mod: the IRModule that gets them; by default a new one.
        element_type: the type of the elements; by default `float32[]`. Extents must be numbers.
        suffix: is put behind each name, so that a module may have several of them.

    Attributes:
        mod: the module.
        element_type: the element type.
        list_type, cons, nil: `List { Cons(element, List), Nil }`.
        option_type, some, none: `Option { Some(element), None }`.
        tree_type, rose: `Tree { Rose(element, Forest) }`, where `Forest` is
            `forest_type`, with the constructors `no_trees` and `more_trees`.
        hd, tl, nth, update, length, map, foldl, foldr, sum, append, rev, filter, zip_with, iterate,
            size, tmap: GlobalVars of functions. `sum` is there for tensors of numbers.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> l = p.cons(relay.const(1.0), p.cons(relay.const(2.0), p.nil()))
        >>> p.mod["main"] = relay.Function([], p.sum(l))
        >>> run = relay.create_executor("debug", p.mod).evaluate()
        >>> float(run().numpy())
        3.0
    """

    def __init__(self, mod=None, element_type=None, suffix=""):
        self.mod = IRModule() if mod is None else mod
        self.element_type = ty.scalar_type("float32") if element_type is None else element_type
        self._suffix, self._functions = suffix, {}
        self._types()
        self._lists()
        self._more_lists()
        self._trees()
        self.mod._update_all(self._functions)

    # -- Data types.

    def _type(self, name, constructors):
        header = adt.GlobalTypeVar(name + self._suffix)
        made = [adt.Constructor(each, [header if one is None else one for one in fields], header)
                for each, fields in constructors]
        self.mod._add_type(adt.TypeData(header, [], made))
        return (header, *made)

    def _types(self):
        a = self.element_type
        self.list_type, self.cons, self.nil = self._type("List", [("Cons", [a, None]), ("Nil", [])])
        self.option_type, self.some, self.none = self._type("Option", [("Some", [a]), ("None", [])])
        tree = adt.GlobalTypeVar("Tree" + self._suffix)
        self.forest_type, self.no_trees, self.more_trees = self._type(
            "Forest", [("NoTrees", []), ("MoreTrees", [tree, None])])
        self.tree_type, self.rose = self._type("Tree", [("Rose", [a, self.forest_type])])

    # -- Making functions.

    def _declare(self, name, params, result):
        """A GlobalVar that can be called before the function is defined."""
        var = _e.GlobalVar(name + self._suffix, ty.FuncType(params, result))
        setattr(self, name, var)
        return var, [_e.Var(f"a{i}", one) for i, one in enumerate(params)]

    def _define(self, var, params, body):
        self._functions[var.name_hint] = _e.Function(params, body, var._type.result)

    def _on_list(self, value, at_nil, at_cons):
        """`at_cons` takes head and tail."""
        head, tail = _e.Var("h", self.element_type), _e.Var("t", self.list_type)
        pattern = adt.PatternConstructor(self.cons, [adt.PatternVar(head), adt.PatternVar(tail)])
        return adt.Match(value, [adt.Clause(adt.PatternConstructor(self.nil), at_nil),
                                 adt.Clause(pattern, at_cons(head, tail))])

    def _lists(self):
        a, l, fn = self.element_type, self.list_type, ty.FuncType
        int32, cons, nil = ty.scalar_type("int32"), self.cons, self.nil
        zero, one = _e.const(0), _e.const(1)

        f, (xs,) = self._declare("hd", [l], self.option_type)
        self._define(f, [xs], self._on_list(xs, self.none(), lambda h, t: self.some(h)))
        f, (xs,) = self._declare("tl", [l], l)
        self._define(f, [xs], self._on_list(xs, nil(), lambda h, t: t))
        f, (xs, n) = self._declare("nth", [l, int32], self.option_type)
        self._define(f, [xs, n], self._on_list(
            xs, self.none(), lambda h, t: _e.If(n > zero, f(t, n - one), self.some(h))))
        f, (xs, n, x) = self._declare("update", [l, int32, a], l)
        self._define(f, [xs, n, x], self._on_list(
            xs, nil(), lambda h, t: _e.If(n > zero, cons(h, f(t, n - one, x)), cons(x, t))))
        f, (xs,) = self._declare("length", [l], int32)
        self._define(f, [xs], self._on_list(xs, zero, lambda h, t: one + f(t)))
        f, (g, xs) = self._declare("map", [fn([a], a), l], l)
        self._define(f, [g, xs], self._on_list(xs, nil(), lambda h, t: cons(g(h), f(g, t))))
        f, (g, z, xs) = self._declare("foldl", [fn([a, a], a), a, l], a)
        self._define(f, [g, z, xs], self._on_list(xs, z, lambda h, t: f(g, g(z, h), t)))
        f, (g, z, xs) = self._declare("foldr", [fn([a, a], a), a, l], a)
        self._define(f, [g, z, xs], self._on_list(xs, z, lambda h, t: g(h, f(g, z, t))))
        f, (xs, ys) = self._declare("append", [l, l], l)
        self._define(f, [xs, ys], self._on_list(xs, ys, lambda h, t: cons(h, f(t, ys))))

    def _more_lists(self):
        a, l, fn = self.element_type, self.list_type, ty.FuncType
        cons, nil, bool_ = self.cons, self.nil, ty.scalar_type("bool")
        onto, (xs, ys) = self._declare("rev_onto", [l, l], l)
        self._define(onto, [xs, ys], self._on_list(xs, ys, lambda h, t: onto(t, cons(h, ys))))
        f, (xs,) = self._declare("rev", [l], l)
        self._define(f, [xs], onto(xs, nil()))
        f, (g, xs) = self._declare("filter", [fn([a], bool_), l], l)
        self._define(f, [g, xs], self._on_list(
            xs, nil(), lambda h, t: _e.If(g(h), cons(h, f(g, t)), f(g, t))))
        f, (g, xs, ys) = self._declare("zip_with", [fn([a, a], a), l, l], l)
        both = lambda h, t: self._on_list(ys, nil(), lambda k, u: cons(g(h, k), f(g, t, u)))
        self._define(f, [g, xs, ys], self._on_list(xs, nil(), both))
        f, (g, x, n) = self._declare("iterate", [fn([a], a), a, ty.scalar_type("int32")], a)
        self._define(f, [g, x, n],
                     _e.If(n > _e.const(0), f(g, g(x), n - _e.const(1)), x))
        if isinstance(a, _nodes.CLASSES["TensorType"]) and a.dtype != "bool":
            f, (xs,) = self._declare("sum", [l], a)
            total = lambda h, t: _op.add(h, f(t))
            self._define(f, [xs], self._on_list(
                xs, _op.zeros(a.concrete_shape, a.dtype), total))

    def _trees(self):
        a, fn, int32 = self.element_type, ty.FuncType, ty.scalar_type("int32")
        tree, forest = self.tree_type, self.forest_type

        def on_tree(value, body):
            x, trees = _e.Var("x", a), _e.Var("trees", forest)
            return adt.Match(value, [adt.Clause(adt.PatternConstructor(
                self.rose, [adt.PatternVar(x), adt.PatternVar(trees)]), body(x, trees))])

        def on_forest(value, at_end, body):
            first, rest = _e.Var("first", tree), _e.Var("rest", forest)
            return adt.Match(value, [
                adt.Clause(adt.PatternConstructor(self.no_trees), at_end),
                adt.Clause(adt.PatternConstructor(
                    self.more_trees, [adt.PatternVar(first), adt.PatternVar(rest)]),
                    body(first, rest))])

        size, (t,) = self._declare("size", [tree], int32)
        sizes, (ts,) = self._declare("forest_size", [forest], int32)
        self._define(size, [t], on_tree(t, lambda x, trees: _e.const(1) + sizes(trees)))
        self._define(sizes, [ts], on_forest(
            ts, _e.const(0), lambda first, rest: size(first) + sizes(rest)))
        tmap, (g, t) = self._declare("tmap", [fn([a], a), tree], tree)
        fmap, (h, ts) = self._declare("forest_map", [fn([a], a), forest], forest)
        self._define(tmap, [g, t], on_tree(t, lambda x, trees: self.rose(g(x), fmap(g, trees))))
        self._define(fmap, [h, ts], on_forest(
            ts, self.no_trees(),
            lambda first, rest: self.more_trees(tmap(h, first), fmap(h, rest))))
