"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.target import Target as Target
from lathe.runtime.packed_func import get_global_func as get_global_func

def can_use_thrust(target: Any, func_name: Any) -> Any:
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
