"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.relay.analysis import post_order as post_order

class Affine:
    """Integers that stand for (integer - zero point) * scale."""
    def like(self, data: Any, dtype: Any = ...) -> Any: ...
    @property
    def one_scale(self) -> Any:
        """Has it one scale and one zero point for all channels?"""

    def __init__(self, data: Any, scale: Any, zero: Any, axis: Any, dtype: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def is_call(expr: Any, *names: Any) -> Any:
    """Is it a call of one of these operators?"""

def layers_to_integers(func: Any) -> Any:
    """The function with products of two dequantized tensors as dequantized products of integers.

    Args:
        func: a Function.
    """

def region(quantize: Any) -> Any:
    """The calls between `qnn.quantize` and the `qnn.dequantize` that it goes back to; None if something else
    than constants and dequantized tensors comes in.

    Args:
        quantize: the call.
    """

def to_integers(func: Any, hard_fail: Any) -> Any:
    """The function with the parts between quantized tensors in integers.

    Args:
        func: a Function.
        hard_fail: raise for an operator that has no such form; else the part stays.
    """
