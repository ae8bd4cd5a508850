"""Random numbers that compiled code asks for, drawn by NumPy in the process that compiled it."""

import threading

from .. import te, tir
from ..error import LatheTypeError
from ..runtime import register_func

_state = threading.local()
_NAME = "lathe.contrib.random."


def _generator():
    import numpy as np

    if not hasattr(_state, "generator"):
        _state.generator = np.random.default_rng()
    return _state.generator


def seed(number):
    """Begins the sequence of numbers of this thread anew.

    Example:
        >>> from lathe.contrib import random
        >>> random.seed(1)
    """
    import numpy as np

    _state.generator = np.random.default_rng(int(number))


def _drawn(kind, first, second, size, dtype):
    return te.extern(tuple(size), [], lambda ins, outs: tir.call_packed(_NAME + kind, first, second, outs[0]),
                     dtype=dtype, name=kind)


def uniform(low, high, size):
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
    return _drawn("uniform", float(low), float(high), size, "float32")


def normal(loc, scale, size):
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
    return _drawn("normal", float(loc), float(scale), size, "float32")


def randint(low, high, size, dtype="int32"):
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
    if not str(dtype).startswith(("int", "uint")):
        raise LatheTypeError("random integers must have an integer type", "contrib-operands", f"found: {dtype}")
    return _drawn("randint", int(low), int(high), size, dtype)


def packed_name(name):
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
    return _NAME + name if name in ("uniform", "normal", "randint", "random_fill", "random_fill_for_measure") else ""


def _register():
    for kind, method in (("uniform", "uniform"), ("normal", "normal"), ("randint", "integers")):
        def fill(first, second, out, method=method):
            out.copyfrom(getattr(_generator(), method)(first, second, out.shape).astype(out.dtype))

        register_func(_NAME + kind, fill, override=True)

    def random_fill(out):
        if out.dtype.startswith(("int", "uint", "bool")):
            made = _generator().integers(0, 2 if out.dtype == "bool" else 10, out.shape)
        else:
            made = _generator().uniform(0.0, 10.0, out.shape)
        out.copyfrom(made.astype(out.numpy().dtype))

    for kind in ("random_fill", "random_fill_for_measure"):
        register_func(_NAME + kind, random_fill, override=True)


_register()
