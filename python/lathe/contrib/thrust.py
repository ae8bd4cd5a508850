"""Thrust's functions, which programs register by themselves."""

from ..runtime import get_global_func
from ..target import Target


def can_use_thrust(target, func_name):
    """Can code for a target call a function of Thrust?

    Args:
        target: text or Target; it must have the library: "cuda -libs=thrust".
        func_name: the function's name in the registry, such as "tvm.contrib.thrust.sort". Lathe has
            none of these: its sorting is its own.

    Returns:
        A bool.

    Example:
        >>> from lathe.contrib import thrust
        >>> thrust.can_use_thrust("llvm", "tvm.contrib.thrust.sort")
        False
    """
    target = Target(target)
    return str(target.kind) in ("cuda", "rocm") and "thrust" in target.libs and \
        get_global_func(func_name, allow_missing=True) is not None

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
