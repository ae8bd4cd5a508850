"""Pickles functions that pickle refuses, or that another process would not find: lambdas, inner functions, scripts'.

Such a function is sent as its code, with copies of the globals that it refers to. Everything else is pickled as usual.
The other side must run the same version of Python.
"""

import builtins
import dis
import functools
import importlib
import io
import marshal
import pickle
import sys
import types


def dumps(value):
    """The bytes of a value, for `loads`."""
    into = io.BytesIO()
    _Pickler(into, pickle.HIGHEST_PROTOCOL).dump(value)
    return into.getvalue()


def loads(data, run_script=lambda: None):
    """The value.

    Args:
        run_script: called before something of the script is looked up in `__main__`.
    """
    class Unpickler(pickle.Unpickler):
        def find_class(self, module, name):
            if module in ("__main__", "__mp_main__"):  # a worker's name of it
                run_script()
                module = "__main__"
            return super().find_class(module, name)

    return Unpickler(io.BytesIO(data)).load()


class _Pickler(pickle.Pickler):
    def reducer_override(self, item):
        if isinstance(item, types.ModuleType) and item.__name__ != "__main__":
            return importlib.import_module, (item.__name__,)
        if not isinstance(item, types.FunctionType) or _is_found_by_name(item):
            return NotImplemented
        code = item.__code__
        names = _names_in(code)
        state = {"defaults": item.__defaults__, "kwdefaults": item.__kwdefaults__, "dict": item.__dict__,
                 "doc": item.__doc__, "cells": [_contents(cell) for cell in item.__closure__ or ()],
                 "globals": {name: value for name, value in item.__globals__.items() if name in names}}
        # The state comes after the function: it may refer to the function itself.
        made = marshal.dumps(code), item.__name__, item.__qualname__, item.__module__
        return _empty, made, state, None, None, _fill


def _is_found_by_name(function):
    if function.__module__ == "__main__":
        return False
    found = sys.modules.get(function.__module__)
    try:
        return functools.reduce(getattr, function.__qualname__.split("."), found) is function
    except AttributeError:
        return False


def _names_in(code):
    """The names of globals that code may refer to, with those of functions in it."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname.endswith(("_GLOBAL", "_NAME"))}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_in(constant)
    return names


def _contents(cell):
    """[what a cell of a closure holds]; [] if nothing yet."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _empty(code, name, qualified, module):
    code = marshal.loads(code)
    function = types.FunctionType(code, {"__builtins__": builtins, "__name__": module}, name,
                                  closure=tuple(types.CellType() for _ in code.co_freevars))
    function.__qualname__, function.__module__ = qualified, module
    return function


def _fill(function, state):
    function.__defaults__, function.__kwdefaults__ = state["defaults"], state["kwdefaults"]
    function.__doc__ = state["doc"]
    function.__dict__.update(state["dict"])
    function.__globals__.update(state["globals"])
    for cell, held in zip(function.__closure__ or (), state["cells"]):
        if held:
            cell.cell_contents = held[0]
