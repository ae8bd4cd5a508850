"""Types of expressions on demand, and their text."""

from .. import _ffi
from ..error import LatheError
from . import _bindings
from . import expr as _e

_get = _ffi.get


def infer(expr):
    """Sets the types of `expr` and of all that it is computed from."""
    from .analysis import free_vars

    func = expr if isinstance(expr, _e.Function) else _e.Function(free_vars(expr), expr)
    converter = _bindings.Converter()
    graph = converter.function(func, "main")
    typed = typed_module([graph], converter).functions[0]
    # The bindings keep their order, also those of inner bodies.
    for (_, made), var in zip(converter.places, _vars_of(typed.body)):
        if made._type is None:
            made._type = var.type
    if isinstance(expr, _e.Function):
        from .._nodes import CLASSES

        expr._type = CLASSES["FuncType"]([p.type for p in typed.params], typed.result_type)
    elif expr._type is None:
        expr._type = typed.result_type


def _vars_of(block):
    for binding in block.bindings:
        value = binding.value
        kind = type(value).__name__
        if kind == "GraphIf":
            yield from _vars_of(value.then_block)
            yield from _vars_of(value.else_block)
        elif kind == "GraphFunc":
            yield from _vars_of(value.body)
        yield binding.var


def typed_module(functions, *converters):
    """The module of these functions with all types.

    Args:
        functions: GraphFuncs.
        converters: the converter of each; errors show where it says that an expression was made.
    """
    module = _get("graph.module")(functions, [])
    try:
        return _get("graph.infer", True)(module)
    except LatheError as error:
        for func, converter in zip(functions, converters):
            wrong = _get("graph.first_wrong", True)(func, module)
            if 0 <= wrong < len(converter.places):
                error.where = converter.places[wrong][1].span or error.where
                break
        raise


def text_of(expr, with_data):
    """The text of an expression as a function of its free variables."""
    from .analysis import free_vars

    if isinstance(expr, _e.Var):
        return f"%{expr.name_hint}"
    if isinstance(expr, _e.GlobalVar):
        return f"@{expr.name_hint}"
    func = expr if isinstance(expr, _e.Function) else _e.Function(free_vars(expr), expr)
    converter = _bindings.Converter()
    graph = converter.function(func, "main")
    return _get("graph.text")(_get("graph.module")([graph], []), bool(with_data))
