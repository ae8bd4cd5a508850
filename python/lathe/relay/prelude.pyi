"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule
from lathe._type_params import TypeVar as TypeVar
from lathe._type_params import exact_text as exact_text
from lathe._type_params import variables as variables

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
    @staticmethod
    def _can_be_added(one: Any) -> Any: ...
    @staticmethod
    def _used(params: Any, result: Any) -> Any: ...
    def sum_of(self, element_type: Any) -> Any: ...
    def __init__(self, mod: Any = ..., element_type: Any = ..., suffix: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
