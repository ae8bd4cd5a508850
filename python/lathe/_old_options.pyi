"""Written by python/stubs/make_stubs.py."""

from typing import Any

NAMES: Any

NO_VECTORS: Any

PARTS: Any

SAME: Any

TURNS_OFF: Any

WITHOUT_EFFECT: Any

def translated(config: Any) -> Any:
    """({Lathe's option: int}, [passes to leave out], the options that neither TVM nor this table knows).

    Args:
        config: {option: value}; Lathe's own options stay.

    Example:
        >>> from lathe import _old_options
        >>> _old_options.translated({"tir.UnrollLoop": {"auto_max_step": 16}, "tir.disable_cse_tir": True, "check": 1})
        ({'unroll.auto_max_step': 16, 'check': 1}, ['cse'], [])
    """

def without_vectors(module: Any) -> Any:
    """A module in which vectorized loops run one after the other.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> s[B].vectorize(B.op.axis[0])
        >>> "vectorized" in str(lathe._old_options.without_vectors(lathe.lower(s, [A, B])))
        False
    """
