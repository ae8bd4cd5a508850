"""Compiling the functions of a module that have a code generator of their own (attribute "Compiler")."""

from .. import _ffi, _nodes
from .._irmodule import IRModule
from ..error import LatheTypeError, LatheValueError
from ..runtime import Module, get_global_func, list_global_func_names
from ..runtime.packed_func import python_function
from . import _rebuild
from . import expr as _e
from .analysis import post_order

_get = _ffi.get
_PREFIX = "relay.ext."


def compiled(module):
    """(the module with calls of packed functions instead, [the runtime modules that have them]).

    Raises:
        LatheError: `relay-codegen`: the registry has no code generator of that name, or it gives
            no module with the function; and what the code generator raises.
    """
    functions = {var.name_hint: func for var, func in module.functions.items()}
    named = {name: func for name, func in functions.items() if "Compiler" in func.attrs}
    table = _Table(named)
    made = {name: table.without_external(func) for name, func in functions.items() if name not in named}
    if not table.modules:
        return module, []
    return IRModule(made, module.type_definitions, module.attrs), list(table.modules.values())


class _Table:
    def __init__(self, named):
        self.named, self.modules = named, {}  # symbol -> runtime.Module

    def without_external(self, func):
        made = {}
        for item in post_order(func):
            new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
            callee = self._callee(item)
            made[id(item)] = new if callee is None else self._packed(item, new.args, callee)
        return made[id(func)]

    def _callee(self, item):
        """The function with a code generator that a call calls, or None."""
        if not isinstance(item, _e.Call):
            return None
        if isinstance(item.op, _e.GlobalVar):
            return self.named.get(item.op.name_hint)
        is_external = isinstance(item.op, _e.Function) and "Compiler" in item.op.attrs
        return item.op if is_external else None

    def _packed(self, call, args, callee):
        symbol = self._symbol(call, callee)
        if symbol not in self.modules:
            self.modules[symbol] = _generated(symbol, callee)
        results = _tensors(call.checked_type, symbol)
        attrs = {"function": symbol, "dtypes": ",".join(one.dtype for one in results),
                 "ranks": [len(one.shape) for one in results],
                 "extents": [extent for one in results for extent in one.shape]}
        fields = [part for arg, old in zip(args, call.args) for part in _fields(arg, old.checked_type)]
        made = _e.Call(_e.Op("call_packed"), fields, attrs)
        made._type = call.checked_type
        if _is_tuple(call.checked_type) and len(results) == 1:
            made._type = results[0]
            return _e.Tuple([made])
        return made

    @staticmethod
    def _symbol(call, callee):
        symbol = callee.attrs.get("global_symbol")
        if symbol is None and isinstance(call.op, _e.GlobalVar):
            symbol = call.op.name_hint
        if symbol is None:
            raise LatheValueError(f"a function for the code generator `{callee.attrs['Compiler']}` has no name",
                                  "relay-codegen", 'expected: an attribute "global_symbol"')
        return str(symbol)


def _generated(symbol, func):
    name = str(func.attrs["Compiler"])
    generator = get_global_func(_PREFIX + name, allow_missing=True)
    if generator is None:
        known = [one.removeprefix(_PREFIX) for one in list_global_func_names(_PREFIX)]
        raise LatheValueError(f"no code generator for graphs is called `{name}`", "relay-codegen",
                              f"expected: {', '.join(known) or 'a registered one'}\nfound: function `{symbol}` is for it\n"
                              f'help: lathe.register_func("{_PREFIX}{name}", f), where f makes a runtime module of a '
                              "relay.Function")
    func, own = func.with_attr("global_symbol", symbol), python_function(_PREFIX + name)
    made = generator(_get("ir.encode")(IRModule({symbol: func}).node)) if own is None else own(func)
    if not isinstance(made, Module):
        raise LatheTypeError(f"the code generator `{name}` returned what is no module", "relay-codegen",
                             f"expected: a runtime.Module with the function `{symbol}`\n"
                             f"found: {type(made).__name__}")
    if not made.implements_function(symbol, query_imports=True):
        raise LatheValueError(f"the module of the code generator `{name}` has no function `{symbol}`",
                              "relay-codegen", f"found: {', '.join(made.function_names) or 'no functions'}\n"
                              'help: the function is called what the attribute "global_symbol" says')
    return made


def _is_tuple(found):
    return isinstance(found, _nodes.CLASSES["TupleType"])


def _tensors(found, symbol):
    """The types of the results: those of a tuple's fields."""
    fields = list(found.fields) if _is_tuple(found) else [found]
    if not fields or not all(isinstance(one, _nodes.CLASSES["TensorType"]) for one in fields):
        raise LatheTypeError(f"the result of `{symbol}` is neither a tensor nor a tuple of tensors",
                             "relay-codegen", f"found: {found}")
    return fields


def _fields(arg, found):
    if not _is_tuple(found):
        return [arg]
    return [part for i, field in enumerate(found.fields)
            for part in _fields(_e.TupleGetItem(arg, i), field)]
