"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule

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
    def __init__(self, mod: Any = ..., element_type: Any = ..., suffix: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
