"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._quantized import Packed as Packed
from lathe.relay.frontend.pytorch._quantized import Quantized as Quantized
from lathe.relay.frontend.pytorch._registry import find as find
from lathe.relay.frontend.pytorch._registry import operators as operators

def dequantize(x: Any) -> Any:
    """The float32 tensor that a Quantized stands for."""

def dequantize_if(value: Any) -> Any:
    """A Quantized as float32; other values as they are."""

def of_quantized(name: Any, overload: Any, args: Any) -> Any:
    """An operator that has no form of its own for quantized tensors.

    Args:
        name: its short name.
        overload: the overload.
        args: the Args.
    """

def quantize(x: Any, scale: Any, zero: Any, dtype: Any) -> Any:
    """A Quantized of a float32 tensor: x times the inverse of the scale, rounded."""
