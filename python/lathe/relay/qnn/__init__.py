"""Operators on quantized tensors."""

from . import op
