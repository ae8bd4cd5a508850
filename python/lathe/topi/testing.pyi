"""Written by python/stubs/make_stubs.py."""

from typing import Any

def dispatch(target: Any, dispatch_map: Any) -> Any:
    """The item of a dict for a target: by its name, then its keys, then "generic".

    Args:
        target: text or Target.
        dispatch_map: {name or key: item}.

    Raises:
        KeyError: there is neither.

    Example:
        >>> from lathe import topi
        >>> topi.testing.dispatch("llvm", {"generic": 1, "cpu": 2, "cuda": 3})
        2
    """

def get_broadcast_schedule(target: Any) -> Any:
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_broadcast_schedule("llvm"))
        True
    """

def get_elemwise_schedule(target: Any) -> Any:
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_elemwise_schedule("llvm"))
        True
    """

def get_injective_schedule(target: Any) -> Any:
    """The function tensors -> Schedule for elementwise operators. All names here give the same.

    Example:
        >>> from lathe import te, topi
        >>> make = topi.testing.get_injective_schedule("llvm")
        >>> len(make(topi.exp(te.placeholder((8,)))).outputs)
        1
    """

def get_reduce_schedule(target: Any) -> Any:
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_reduce_schedule("llvm"))
        True
    """
