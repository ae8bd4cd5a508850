"""Operators on quantized tensors."""

from . import op
from ... import _lazy

_LAZY = ("transform",)
__getattr__ = _lazy.submodules(__name__, _LAZY)
