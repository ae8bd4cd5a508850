"""Reductions over axes: one, several, or all (`axis=None`)."""

from .. import _ffi
from . import _derive

_derive.install(globals(), {
    **{f"{name}(data, axis=None, keepdims=False)": name
       for name in ("sum", "all", "any", "max", "min", "prod")},
    **{f"{name}(data, axis=None, keepdims=False, select_last_index=False)": name
       for name in ("argmax", "argmin")},
})


def _of_matrices(of_matrix, of_all):
    """`of_all`, but the operator with schedules of its own for a matrix along one axis."""
    import functools

    @functools.wraps(of_all)
    def function(data, axis=None, keepdims=False):
        plain = isinstance(axis, int) and not isinstance(axis, bool)
        if plain and -2 <= axis < 2 and not keepdims and data.ndim == 2:
            return _derive.named(of_matrix(data, axis in (-1, 1)), of_all.__name__)
        return of_all(data, axis, keepdims)

    del function.__wrapped__
    return function


sum = _of_matrices(_ffi.get("topi.sum"), globals()["sum"])
max = _of_matrices(_ffi.get("topi.max"), globals()["max"])
