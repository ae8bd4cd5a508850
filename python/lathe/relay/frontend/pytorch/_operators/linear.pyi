"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend.pytorch._registry import operators as operators
from lathe.relay.frontend.pytorch._operators.shapes import reshaped as reshaped

def matmul(x: Any, y: Any) -> Any:
    """NumPy's and PyTorch's product: vectors become matrices for the time of the product."""
