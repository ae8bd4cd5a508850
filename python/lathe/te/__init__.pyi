"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.ir import ComputeOp as ComputeOp
from lathe.ir import ExternOp as ExternOp
from lathe.te._stage import Group as Group
from lathe._ops import Op as Op
from lathe.ir import PlaceholderOp as PlaceholderOp
from lathe.ir import ScanOp as ScanOp
from lathe.te.schedule import Schedule as Schedule
from lathe.te._stage import Stage as Stage
from lathe.ir import Tensor as Tensor
from lathe.ir import TensorComputeOp as TensorComputeOp
from lathe.ir import TensorIntrin as TensorIntrin
from lathe.te._tensor import TensorSlice as TensorSlice
from lathe.tir.expr import abs as abs
from lathe.tir.expr import acos as acos
from lathe.tir.expr import acosh as acosh
from lathe.tir.expr import add as add
from lathe.tir.expr import all as all
from lathe.tir.expr import any as any
from lathe.te.operation import argmax as argmax
from lathe.te.operation import argmin as argmin
from lathe.tir.expr import asin as asin
from lathe.tir.expr import asinh as asinh
from lathe.tir.expr import atan as atan
from lathe.tir.expr import atan2 as atan2
from lathe.tir.expr import atanh as atanh
from lathe.tir.expr import ceil as ceil
from lathe.tir.expr import ceildiv as ceildiv
from lathe.tir.expr import clz as clz
from lathe.te.operation import comm_reducer as comm_reducer
from lathe.te.operation import compute as compute
from lathe.te.operation import const as const
from lathe.te.operation import constant as constant
from lathe.tir.expr import copysign as copysign
from lathe.tir.expr import cos as cos
from lathe.tir.expr import cosh as cosh
from lathe.te.schedule import create_schedule as create_schedule
from lathe.te.tensor_intrin import decl_buffer as decl_buffer
from lathe.te.tensor_intrin import decl_tensor_intrin as decl_tensor_intrin
from lathe.tir.expr import div as div
from lathe.tir.expr import erf as erf
from lathe.tir.expr import exp as exp
from lathe.tir.expr import exp10 as exp10
from lathe.tir.expr import exp2 as exp2
from lathe.te.operation import extern as extern
from lathe.tir.expr import floor as floor
from lathe.tir.expr import floordiv as floordiv
from lathe.tir.expr import floormod as floormod
from lathe.tir.expr import fmod as fmod
from lathe.tir.expr import hypot as hypot
from lathe.tir.expr import if_then_else as if_then_else
from lathe.tir.expr import indexdiv as indexdiv
from lathe.tir.expr import indexmod as indexmod
from lathe.tir.expr import isfinite as isfinite
from lathe.tir.expr import isinf as isinf
from lathe.tir.expr import isnan as isnan
from lathe.tir.expr import ldexp as ldexp
from lathe.tir.expr import log as log
from lathe.tir.expr import log10 as log10
from lathe.tir.expr import log1p as log1p
from lathe.tir.expr import log2 as log2
from lathe.te.operation import max as max
from lathe.te.operation import max_value as max_value
from lathe.te.operation import min as min
from lathe.te.operation import min_value as min_value
from lathe.tir.expr import multiply as multiply
from lathe.tir.expr import nearbyint as nearbyint
from lathe.tir.expr import nextafter as nextafter
from . import operation as operation
from lathe.te.operation import placeholder as placeholder
from lathe.tir.expr import popcount as popcount
from lathe.tir.expr import power as power
from lathe.te.operation import prod as prod
from lathe.tir.expr import q_multiply_shift as q_multiply_shift
from lathe.te.operation import reduce_axis as reduce_axis
from lathe.te.tensor_intrin import register_tensor_intrin as register_tensor_intrin
from lathe.tir.expr import round as round
from lathe.tir.expr import rsqrt as rsqrt
from lathe.te.operation import scan as scan
from . import schedule as schedule
from lathe.tir.expr import sigmoid as sigmoid
from lathe.tir.expr import sin as sin
from lathe.tir.expr import sinh as sinh
from lathe.te.operation import size_var as size_var
from lathe.tir.expr import sqrt as sqrt
from lathe.tir.expr import subtract as subtract
from lathe.te.operation import sum as sum
from lathe.te.operation import tag_scope as tag_scope
from lathe.tir.expr import tan as tan
from lathe.tir.expr import tanh as tanh
from . import tensor_intrin as tensor_intrin
from lathe.te.tensor_intrin import tensor_intrinsics as tensor_intrinsics
from lathe.te.operation import thread_axis as thread_axis
from lathe.tir.expr import trunc as trunc
from lathe.tir.expr import truncdiv as truncdiv
from lathe.tir.expr import truncmod as truncmod
from lathe.te.operation import var as var
from . import hybrid as hybrid

AXIS_SEPARATOR: Any

Operation = Op

def create_prim_func(ops: Any) -> Any:
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
