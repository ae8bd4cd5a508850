"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.runtime.packed_func import register_func as register_func
from lathe import te as te
from lathe import tir as tir

def normal(loc: Any, scale: Any, size: Any) -> Any:
    """Numbers of the normal distribution.

    Args:
        loc, scale: mean and standard deviation.
        size: the shape of the result.

    Returns:
        A float32 tensor: an extern operation.

    Example:
        >>> from lathe.contrib import random
        >>> random.normal(0.0, 1.0, (3, 4)).shape
        (3, 4)
    """

def packed_name(name: Any) -> Any:
    """The name in the registry of the function that draws the numbers of TVM's `tvm.contrib.random.<name>`.

    Args:
        name: "uniform", "normal", "randint", "random_fill" or "random_fill_for_measure".

    Returns:
        "" if there is no such function.

    Example:
        >>> from lathe.contrib import random
        >>> random.packed_name("uniform"), random.packed_name("seed")
        ('lathe.contrib.random.uniform', '')
    """

def randint(low: Any, high: Any, size: Any, dtype: Any = ...) -> Any:
    """Integers of [low, high), all with the same probability.

    Args:
        low, high: ints.
        size: the shape of the result.
        dtype: the element type, an integer.

    Returns:
        A tensor: an extern operation.

    Raises:
        LatheTypeError: `contrib-operands`: another element type.

    Example:
        >>> from lathe.contrib import random
        >>> random.randint(0, 10, (3,)).dtype
        'int32'
    """

def seed(number: Any) -> Any:
    """Begins the sequence of numbers of this thread anew.

    Example:
        >>> from lathe.contrib import random
        >>> random.seed(1)
    """

def uniform(low: Any, high: Any, size: Any) -> Any:
    """Numbers of [low, high), all with the same probability.

    Args:
        low, high: numbers.
        size: the shape of the result.

    Returns:
        A float32 tensor: an extern operation.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te
        >>> from lathe.contrib import random
        >>> A = random.uniform(2.0, 3.0, (100,))
        >>> f, a = lathe.build(te.create_schedule(A.op), [A], "llvm"), np.zeros(100, "float32")
        >>> f(a)
        >>> bool((a >= 2).all() and (a < 3).all())
        True
    """
