"""Tensor expressions, which say what to compute, and schedules, which say how.

Example:
    >>> import lathe
    >>> from lathe import te
    >>> A = te.placeholder((64,), name="A")
    >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
    >>> s = te.create_schedule(B.op)
    >>> outer, inner = s[B].split(B.op.axis[0], factor=16)
"""

from .. import _generate, _lazy  # noqa: F401
from .._nodes import CLASSES as _classes
from ..tir.expr import (abs, acos, acosh, add, all, any, asin, asinh, atan, atan2, atanh, ceil, ceildiv,
                        clz, copysign, cos, cosh, div, erf, exp, exp2, exp10, floor, floordiv,
                        floormod, fmod, hypot, if_then_else, indexdiv, indexmod, isfinite, isinf,
                        isnan, ldexp, log, log1p, log2, log10, multiply, nearbyint, nextafter, popcount, power,
                        q_multiply_shift, round, rsqrt, sigmoid, sin, sinh, sqrt, subtract, tan, tanh, trunc,
                        truncdiv, truncmod)
from ._tensor import TensorSlice
from .operation import (argmax, argmin, comm_reducer, compute, const, constant, extern,
                        max, max_value, min, min_value, placeholder, prod,
                        reduce_axis, scan, size_var, sum, tag_scope, thread_axis, var)
from .schedule import AXIS_SEPARATOR, Group, Schedule, Stage, create_schedule
from .tensor_intrin import decl_buffer, decl_tensor_intrin, register_tensor_intrin, tensor_intrinsics
from . import schedule


_LAZY = ("hybrid",)  # its imports (inspect, ast) take longer than the rest of the package
__getattr__ = _lazy.submodules(__name__, _LAZY)


def create_prim_func(ops):
    """The function of loops that computes tensors, without a schedule.

    Args:
        ops: the tensors, in the order of the parameters: inputs, then outputs.

    Returns:
        A tir.Func of the name "main", which `lathe.build` takes.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> func, b = te.create_prim_func([A, B]), np.zeros(4, "float32")
        >>> lathe.build(func, target="llvm")(np.ones(4, "float32"), b)
        >>> b.tolist()
        [2.0, 2.0, 2.0, 2.0]
    """
    from ..driver import lower

    ops = list(ops)
    made = [one.op for one in ops if not isinstance(one.op, _classes["PlaceholderOp"])]
    return lower(create_schedule(made), ops)["main"]


Tensor = _classes["Tensor"]
TensorIntrin = _classes["TensorIntrin"]
PlaceholderOp = _classes["PlaceholderOp"]
ComputeOp = _classes["ComputeOp"]
ScanOp = _classes["ScanOp"]
ExternOp = _classes["ExternOp"]
TensorComputeOp = _classes["TensorComputeOp"]
Operation = _generate._ops.Op
