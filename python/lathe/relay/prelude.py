"""Lists, options and trees, and functions over them."""

from .. import _nodes
from .._irmodule import IRModule
from .._type_params import TypeVar, exact_text, variables
from . import adt, ty
from . import expr as _e
from . import op as _op


class Prelude:
    """The data types List, Option and Tree, and functions over them, in a module.

    They are for all types of elements: each list takes the type of what is put into it, and each call of a
    function those of its arguments. Where nothing says the type, as in `p.hd(p.nil())`,
    `relay.Call(p.nil, [], type_args=[...])` does. With an `element_type` all of them are for this type alone,
    which nothing else has to say then.

    Args:
        mod: the IRModule that gets them; by default a new one.
        element_type: the only type of elements. Extents must be numbers.
        suffix: is put behind each name, so that a module may have several of them.

    Attributes:
        mod: the module.
        element_type: the element type; `float32[]` if none is given.
        list_of, option_of, tree_of: the data types, which make types of others: `p.list_of(relay.scalar_type("int8"))`.
            Without parameters if an `element_type` is given.
        list_type, option_type, tree_type, forest_type: the types for elements of the type `element_type`.
        cons, nil: `List { Cons(element, List), Nil }`.
        some, none: `Option { Some(element), None }`.
        rose: `Tree { Rose(element, list of trees) }`. `no_trees` and `more_trees` make this list.
        hd, tl, nth, update, length, map, foldl, foldr, sum, append, concat, rev, filter, zip, zip_with, iterate,
            unfoldl, unfoldr, id, compose, size, tmap: GlobalVars of functions. `sum` is for elements of the type
            `element_type`; `sum_of` makes it for others. With an `element_type`, `zip`, `unfoldl`, `unfoldr` and
            `compose`, which need a second type, are not there.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> x = relay.var("x", shape=())
        >>> to_int = relay.Function([x], relay.cast(x * 2.0, "int32"))
        >>> l = p.map(to_int, p.cons(relay.const(1.5), p.cons(relay.const(2.0), p.nil())))
        >>> p.mod["main"] = relay.Function([], relay.Tuple([l, p.length(l)]))
        >>> p.mod["main"].checked_type
        fn() -> (List[int32[]], int32[])
    """

    def __init__(self, mod=None, element_type=None, suffix=""):
        self.mod = IRModule() if mod is None else mod
        self._generic = element_type is None
        self.element_type = ty.scalar_type("float32") if self._generic else element_type
        self._suffix, self._functions = suffix, {}
        self._types()
        self._lists()
        self._more_lists()
        self._trees()
        if self._generic:
            self._of_two_types()
        self.mod._update_all(self._functions)

    # -- Data types.

    def _vars(self, *names):
        """Type variables; the element type for each if there is only one type."""
        return [TypeVar(name) if self._generic else self.element_type for name in names]

    def _type(self, name, constructors):
        """(what makes the type of that of the elements, its constructors). `constructors`: [(name, what takes
        the former and gives the types of the fields)]."""
        header = adt.GlobalTypeVar(name + self._suffix)
        of = header if self._generic else lambda one: header
        (a,) = self._vars("a")
        made = [adt.Constructor(each, fields(of), header) for each, fields in constructors]
        self.mod._add_type(adt.TypeData(header, [a] if self._generic else [], made))
        return (of, *made)

    def _types(self):
        (a,) = self._vars("a")
        self._list, self.cons, self.nil = self._type(
            "List", [("Cons", lambda of: [a, of(a)]), ("Nil", lambda of: [])])
        self._option, self.some, self.none = self._type(
            "Option", [("Some", lambda of: [a]), ("None", lambda of: [])])
        if self._generic:
            self._forest, self.no_trees, self.more_trees = self._list, self.nil, self.cons
        else:
            tree = adt.GlobalTypeVar("Tree" + self._suffix)
            self._forest, self.no_trees, self.more_trees = self._type(
                "Forest", [("NoTrees", lambda of: []), ("MoreTrees", lambda of: [tree, of(tree)])])
        self._tree, self.rose = self._type("Tree", [("Rose", lambda of: [a, self._forest(of(a))])])
        one = self.element_type
        self.list_type, self.option_type, self.tree_type = self._list(one), self._option(one), self._tree(one)
        self.forest_type = self._forest(self.tree_type)
        self.list_of, self.option_of, self.tree_of = self.cons.belong_to, self.some.belong_to, self.rose.belong_to

    # -- Making functions.

    def _declare(self, name, params, result):
        """A GlobalVar that can be called before the function is defined."""
        var = _e.GlobalVar(name + self._suffix, ty.FuncType(params, result, self._used(params, result)))
        setattr(self, name, var)
        return var, [_e.Var(f"a{i}", one) for i, one in enumerate(params)]

    @staticmethod
    def _used(params, result):
        return variables(_nodes.CLASSES["TupleType"]([*params, result]))

    def _define(self, var, params, body):
        types = [one._type for one in params]
        result = var._type.result
        self._functions[var.name_hint] = _e.Function(params, body, result, self._used(types, result))

    def _on(self, value, constructor, names, at, others):
        """`at` takes the fields of `constructor`; `others`: [(constructor without fields, its value)]."""
        fields = [_e.Var(name) for name in names]
        pattern = adt.PatternConstructor(constructor, [adt.PatternVar(one) for one in fields])
        return adt.Match(value, [*(adt.Clause(adt.PatternConstructor(one), given) for one, given in others),
                                 adt.Clause(pattern, at(*fields))])

    def _on_list(self, value, at_nil, at_cons):
        """`at_cons` takes head and tail."""
        return self._on(value, self.cons, "ht", at_cons, [(self.nil, at_nil)])

    def _lists(self):
        a, b = self._vars("a", "b")
        l, fn = self._list(a), ty.FuncType
        int32, cons, nil = ty.scalar_type("int32"), self.cons, self.nil
        zero, one = _e.const(0), _e.const(1)

        f, (xs,) = self._declare("hd", [l], self._option(a))
        self._define(f, [xs], self._on_list(xs, self.none(), lambda h, t: self.some(h)))
        f, (xs,) = self._declare("tl", [l], l)
        self._define(f, [xs], self._on_list(xs, nil(), lambda h, t: t))
        f, (xs, n) = self._declare("nth", [l, int32], self._option(a))
        self._define(f, [xs, n], self._on_list(
            xs, self.none(), lambda h, t: _e.If(n > zero, f(t, n - one), self.some(h))))
        f, (xs, n, x) = self._declare("update", [l, int32, a], l)
        self._define(f, [xs, n, x], self._on_list(
            xs, nil(), lambda h, t: _e.If(n > zero, cons(h, f(t, n - one, x)), cons(x, t))))
        f, (xs,) = self._declare("length", [l], int32)
        self._define(f, [xs], self._on_list(xs, zero, lambda h, t: one + f(t)))
        f, (g, xs) = self._declare("map", [fn([a], b), l], self._list(b))
        self._define(f, [g, xs], self._on_list(xs, nil(), lambda h, t: cons(g(h), f(g, t))))
        f, (g, z, xs) = self._declare("foldl", [fn([b, a], b), b, l], b)
        self._define(f, [g, z, xs], self._on_list(xs, z, lambda h, t: f(g, g(z, h), t)))
        f, (g, z, xs) = self._declare("foldr", [fn([a, b], b), b, l], b)
        self._define(f, [g, z, xs], self._on_list(xs, z, lambda h, t: g(h, f(g, z, t))))
        for name in ("append", "concat"):
            f, (xs, ys) = self._declare(name, [l, l], l)
            self._define(f, [xs, ys], self._appended(f, xs, ys))

    def _appended(self, append, xs, ys):
        return self._on_list(xs, ys, lambda h, t: self.cons(h, append(t, ys)))

    def _more_lists(self):
        a, b, c = self._vars("a", "b", "c")
        l, fn = self._list(a), ty.FuncType
        cons, nil, bool_ = self.cons, self.nil, ty.scalar_type("bool")
        onto, (xs, ys) = self._declare("rev_onto", [l, l], l)
        self._define(onto, [xs, ys], self._on_list(xs, ys, lambda h, t: onto(t, cons(h, ys))))
        f, (xs,) = self._declare("rev", [l], l)
        self._define(f, [xs], onto(xs, nil()))
        f, (g, xs) = self._declare("filter", [fn([a], bool_), l], l)
        self._define(f, [g, xs], self._on_list(
            xs, nil(), lambda h, t: _e.If(g(h), cons(h, f(g, t)), f(g, t))))
        f, (g, xs, ys) = self._declare("zip_with", [fn([a, b], c), l, self._list(b)], self._list(c))
        self._define(f, [g, xs, ys], self._on_list(xs, nil(), lambda h, t: self._on_list(
            ys, nil(), lambda k, u: cons(g(h, k), f(g, t, u)))))
        f, (g, x, n) = self._declare("iterate", [fn([a], a), a, ty.scalar_type("int32")], a)
        self._define(f, [g, x, n],
                     _e.If(n > _e.const(0), f(g, g(x), n - _e.const(1)), x))
        f, (x,) = self._declare("id", [a], a)
        self._define(f, [x], x)
        if self._can_be_added(self.element_type):
            self._sum("sum", self.element_type)

    # -- Sums.

    @staticmethod
    def _can_be_added(one):
        return isinstance(one, _nodes.CLASSES["TensorType"]) and one.dtype != "bool"

    def _sum(self, name, one):
        f, (xs,) = self._declare(name, [self._list(one)], one)
        self._define(f, [xs], self._on_list(
            xs, _op.zeros(one.concrete_shape, one.dtype), lambda h, t: _op.add(h, f(t))))
        return f

    def sum_of(self, element_type):
        """The GlobalVar of a function that adds the elements of a list of tensors of this type.

        Args:
            element_type: a TensorType of numbers; extents must be numbers.

        Example:
            >>> from lathe import relay
            >>> p = relay.prelude.Prelude()
            >>> int32 = relay.scalar_type("int32")
            >>> p.mod["main"] = relay.Function([], p.sum_of(int32)(p.cons(relay.const(4), p.nil())))
            >>> int(relay.create_executor("debug", p.mod).evaluate()().numpy())
            4
        """
        if not self._can_be_added(element_type) or not self._generic and element_type != self.element_type:
            raise _no_sum(element_type, "a tensor of numbers" if self._generic else self.element_type)
        if element_type == self.element_type:
            return self.sum
        name = f"sum_{exact_text(element_type)}"
        if name + self._suffix not in self.mod:
            self._sum(name, element_type)
            self.mod._update_all({name + self._suffix: self._functions[name + self._suffix]})
        return getattr(self, name)

    # -- Trees.

    def _trees(self):
        a, b = self._vars("a", "b")
        fn, int32, tree = ty.FuncType, ty.scalar_type("int32"), self._tree(a)
        forest = self._forest(tree)

        def on_tree(value, body):
            return self._on(value, self.rose, ("x", "trees"), body, [])

        def on_forest(value, at_end, body):
            return self._on(value, self.more_trees, ("first", "rest"), body, [(self.no_trees, at_end)])

        size, (t,) = self._declare("size", [tree], int32)
        sizes, (ts,) = self._declare("forest_size", [forest], int32)
        self._define(size, [t], on_tree(t, lambda x, trees: _e.const(1) + sizes(trees)))
        self._define(sizes, [ts], on_forest(
            ts, _e.const(0), lambda first, rest: size(first) + sizes(rest)))
        tmap, (g, t) = self._declare("tmap", [fn([a], b), tree], self._tree(b))
        fmap, (h, ts) = self._declare("forest_map", [fn([a], b), forest], self._forest(self._tree(b)))
        self._define(tmap, [g, t], on_tree(t, lambda x, trees: self.rose(g(x), fmap(g, trees))))
        self._define(fmap, [h, ts], on_forest(
            ts, self.no_trees(),
            lambda first, rest: self.more_trees(tmap(h, first), fmap(h, rest))))

    # -- What makes tuples, or needs two types.

    def _of_two_types(self):
        a, b, c = self._vars("a", "b", "c")
        fn, cons, nil = ty.FuncType, self.cons, self.nil
        pair = _nodes.CLASSES["TupleType"]([a, b])
        f, (xs, ys) = self._declare("zip", [self._list(a), self._list(b)], self._list(pair))
        self._define(f, [xs, ys], self._on_list(xs, nil(), lambda h, t: self._on_list(
            ys, nil(), lambda k, u: cons(_e.Tuple([h, k]), f(t, u)))))
        step = fn([a], self._option(pair))

        def on_step(g, x, at_end, at_pair):
            return self._on(g(x), self.some, ("p",), lambda p: at_pair(
                _e.TupleGetItem(p, 0), _e.TupleGetItem(p, 1)), [(self.none, at_end)])

        f, (g, x) = self._declare("unfoldr", [step, a], self._list(b))
        self._define(f, [g, x], on_step(g, x, nil(), lambda state, made: cons(made, f(g, state))))
        onto, (h, y, ys) = self._declare("unfoldl_onto", [step, a, self._list(b)], self._list(b))
        self._define(onto, [h, y, ys], on_step(h, y, ys, lambda state, made: onto(h, state, cons(made, ys))))
        f, (g, x) = self._declare("unfoldl", [step, a], self._list(b))
        self._define(f, [g, x], onto(g, x, nil()))
        f, (g, h) = self._declare("compose", [fn([b], c), fn([a], b)], fn([a], c))
        x = _e.Var("x", a)
        self._define(f, [g, h], _e.Function([x], g(h(x)), c))


def _no_sum(found, expected):
    from ..error import LatheTypeError

    return LatheTypeError("lists of this type have no sum", "relay-type-arguments",
                          f"expected: {expected}\nfound: {found!r}\nhelp: `foldl` takes a function that adds")
