"""TVM's names of packed functions that modules of `contrib` have."""

import importlib

from .. import _ffi
from ..error import LatheError

_PREFIX = "tvm.contrib."
_BLAS = ("cblas", "mkl", "dnnl")


def _ours(module, function):
    """The name of our packed function for TVM's `tvm.contrib.<module>.<function>`; "" if there is none."""
    if module not in (*_BLAS, "cublas", "random"):
        return ""
    found = importlib.import_module("." + module, __package__)
    if module == "random":
        return found.packed_name(function)
    if function not in ("matmul", "batch_matmul", "batch_matmul_iterative"):
        return ""
    if module == "cublas":
        found._library()  # raises if it is not here
        return found._registered()
    from . import _blas

    return _blas._registered(module, found._NAMES)


def register(name):
    """Registers a function of `contrib` under TVM's name.

    Returns:
        Is the name registered now? False if `contrib` has no such function, or if its library is missing.

    Example:
        >>> from lathe.contrib import _names_of_tvm
        >>> _names_of_tvm.register("tvm.contrib.random.uniform"), _names_of_tvm.register("tvm.contrib.sort.argsort")
        (True, False)
    """
    module, _, function = name.removeprefix(_PREFIX).rpartition(".")
    try:
        ours = _ours(module, function) if name.startswith(_PREFIX) else ""
    except LatheError:
        return False
    if not ours:
        return False
    _ffi.get("registry.register")(name, _ffi.get(ours), True, False)
    return True
