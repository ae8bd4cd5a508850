"""Types of expressions on demand, and their text."""

from .. import _ffi
from .._nodes import CLASSES
from ..error import LatheError, LatheTypeError
from . import _bindings, adt
from . import expr as _e
from .analysis import _inner, free_vars

_get = _ffi.get


def infer(expr):
    """Sets the types of `expr` and of all that it is computed from.

    What has a type already stands for itself, so each expression is looked at once, however often
    a program asks for types while it builds a graph.
    """
    if isinstance(expr, _e.Function):
        _infer_function(expr)
        return
    known = {}  # id of an expression with a type -> the variable that stands for it
    params, work, seen = [], [expr], set()
    while work:
        item = work.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if item is not expr and _stands_for_itself(item):
            known[id(item)] = _e.Var(getattr(item, "name_hint", ""), item._type)
            params.append(known[id(item)])
        elif isinstance(item, (_e.Function, _e.Let, _e.If, adt.Match)):
            _infer_whole(expr)
            return
        else:
            work.extend(_inner(item))
    _infer_whole(expr, params, known)


def _stands_for_itself(expr):
    """Has it a type, and is it certain that its elements are no extents?"""
    if expr._type is None or isinstance(expr, _e.Constant):
        return False
    return isinstance(expr, _e.Var) or getattr(expr._type, "dtype", "int")[:3] not in ("int", "uin")


def _infer_function(func):
    if func.type_params:
        func._type = _generic_type(func)
        return
    result = _infer_whole(func)
    func._type = CLASSES["FuncType"]([param._type for param in func.params], result)


def _generic_type(func):
    """The type of a function with type parameters: what it declares."""
    types = [param._type for param in func.params]
    if func.ret_type is None or None in types:
        raise LatheTypeError("a function with type parameters does not say its types", "relay-type-arguments",
                             "help: annotate its parameters, and give `ret_type`", where=func.span)
    return CLASSES["FuncType"](types, func.ret_type)


def _infer_whole(expr, params=None, known=None):
    """Sets the types of all that is computed; returns the type of the result."""
    func = expr
    if not isinstance(expr, _e.Function):
        func = _e.Function(free_vars(expr) if params is None else params, expr)
    converter = _bindings.Converter(known)
    graph = converter.function(func, "main")
    with _places([graph], [converter]):
        types = _get("graph.types_of", True)(graph, _module_of([graph], [converter]))
    for (_, made), type_of in zip(converter.places, types):
        if made._type is None:
            made._type = type_of
    if func is not expr and expr._type is None:
        expr._type = types[-1]
    return types[-1]


class _places:
    """Errors within it show where the expression that is wrong was made."""

    def __init__(self, functions, converters):
        self.functions, self.converters = functions, converters

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if not isinstance(error, LatheError):
            return
        module = _module_of(self.functions, self.converters)
        for func, converter in zip(self.functions, self.converters):
            wrong = _get("graph.first_wrong", True)(func, module)
            if 0 <= wrong < len(converter.places):
                error.where = converter.places[wrong][1].span or error.where
                break


def _module_of(functions, converters, datatypes=()):
    known = {data.header.name: data for data in datatypes}
    for converter in converters:
        known = {**converter.datatypes, **known}
    return _get("graph.module")(functions, [], [data._node() for data in known.values() if not data.type_vars])


def typed_module(functions, *converters, datatypes=()):
    """The module of these functions with all types.

    Args:
        functions: GraphFuncs.
        converters: the converter of each; errors show where it says that an expression was made.
        datatypes: TypeDatas, beside those of the constructors that the functions use.
    """
    with _places(functions, converters):
        return _get("graph.infer", True)(_module_of(functions, converters, datatypes))


def text_of(expr, with_data):
    """The text of an expression as a function of its free variables."""
    if isinstance(expr, _e.Var):
        return f"%{expr.name_hint}"
    if isinstance(expr, _e.GlobalVar):
        return f"@{expr.name_hint}"
    func = expr if isinstance(expr, _e.Function) else _e.Function(free_vars(expr), expr)
    converter = _bindings.Converter()
    graph = converter.function(func, "main")
    return _get("graph.text")(_module_of([graph], [converter]), bool(with_data))
