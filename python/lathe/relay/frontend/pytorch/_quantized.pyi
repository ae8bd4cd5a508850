"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

class Packed:
    """The weights of a quantized layer.

    Args:
        weight: an expression of int8.
        scales, zeros: tensors of rank 0, or one number for each output.
        bias: a tensor of float32, or None.
        window: {name: value}: stride, padding, dilation, groups, transposed of a convolution.
    """
    def __init__(self, weight: Any, scales: Any, zeros: Any, bias: Any, window: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Quantized:
    """Numbers q that stand for (q - zero) * scale.

    Args:
        data: an expression of integers.
        scale, zero: numbers; or tensors, of one for each place along `axis`.
        axis: None, or the dimension of scales.
    """
    @property
    def dtype(self) -> Any:
        """The name of the element type."""

    def __init__(self, data: Any, scale: Any, zero: Any, axis: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def unpacked(value: Any, parameter: Any) -> Any:
    """The Packed of an object of PyTorch; None if it is none.

    Args:
        value: an attribute of the model.
        parameter: a function of (suffix of the name, tensor) that gives an expression.

    Raises:
        LatheValueError: `pytorch-unsupported`: a layer of another kind.
    """
