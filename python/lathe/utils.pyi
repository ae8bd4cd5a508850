"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.target import Target as Target
from lathe.driver import build as build
from lathe import te as te

def estimate_peak_bandwidth(target: Any, dev: Any, vec_width: Any = ..., remote: Any = ...) -> Any:
    """The most bytes per second that a machine reads from memory, by sums of an array of 128 MiB.

    Args:
        target, dev, vec_width, remote: as for `estimate_peak_fma_flops`.

    Returns:
        A float.

    Raises:
        LatheValueError: `peak-target`.

    Example:
        >>> import lathe
        >>> lathe.utils.estimate_peak_bandwidth("llvm", lathe.cpu()) > 1e7
        True
    """

def estimate_peak_fma_flops(target: Any, dev: Any, vec_width: Any = ..., num_vector_registers: Any = ..., remote: Any = ...) -> Any:
    """The most float32 operations per second of a machine, by multiplications with additions in registers.

    Args:
        target: text or Target of a processor. Its features decide how wide vectors are.
        dev: the device.
        vec_width: float32 lanes of a vector; by default 16 with AVX-512, else 8.
        num_vector_registers: how many sums are kept at once; by default 10.
        remote: an rpc session that `dev` is of, or None.

    Returns:
        A float: a multiplication and an addition are two operations.

    Raises:
        LatheValueError: `peak-target`: the target is no processor.

    Example:
        >>> import lathe
        >>> lathe.utils.estimate_peak_fma_flops("llvm", lathe.cpu()) > 1e8
        True
    """
