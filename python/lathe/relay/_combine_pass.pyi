"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.analysis import post_order as post_order

def batch_matmul(data: Any, calls: Any) -> Any:
    """One product with the columns of all."""

def batch_matmul_key(call: Any) -> Any:
    """Products of batches with the same depth."""

def combine(func: Any, name: Any, least: Any, key_of: Any, combined: Any) -> Any:
    """`func` with each list of at least `least` calls replaced.

    Args:
        key_of: call -> what must be equal, or None for a call that stays.
        combined: (data, calls) -> the expressions that stand for the calls.
    """

def conv2d(data: Any, calls: Any) -> Any:
    """One convolution with the filters of all."""

def conv2d_key(call: Any) -> Any:
    """Convolutions with the same windows, without groups."""

def dense(data: Any, calls: Any) -> Any:
    """One product with the rows of all weights."""

def dense_batch(data: Any, calls: Any) -> Any:
    """One product of batches."""

def dense_batch_key(call: Any) -> Any:
    """Products of the same shape."""

def dense_key(call: Any) -> Any:
    """Products with the same depth."""
