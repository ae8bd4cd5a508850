"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.ir import Add as Add
from lathe.ir import AllocConst as AllocConst
from lathe.tir._views import Allocate as Allocate
from lathe.ir import And as And
from lathe.ir import Assert as Assert
from lathe.tir._views import AssertStmt as AssertStmt
from lathe.ir import Attr as Attr
from lathe.tir._data_layout import BijectiveLayout as BijectiveLayout
from lathe.ir import Broadcast as Broadcast
from lathe.ir import Buffer as Buffer
from lathe.ir import Load as Load
from lathe.ir import Realize as Realize
from lathe.ir import Store as Store
from lathe.ir import Call as Call
from lathe.tir._views import CallEffectKind as CallEffectKind
from lathe.ir import Cast as Cast
from lathe.ir import Reducer as Reducer
from lathe.ir import ComputeOp as ComputeOp
from lathe.ir import Constant as Constant
from lathe.ir import DeclBuffer as DeclBuffer
from lathe.ir import Div as Div
from lathe.ir import EQ as EQ
from lathe.ir import Evaluate as Evaluate
from lathe._ops import Expr as Expr
from lathe.ir import ExternOp as ExternOp
from lathe.ir import FloatImm as FloatImm
from lathe.ir import FloorDiv as FloorDiv
from lathe.ir import FloorMod as FloorMod
from lathe.ir import For as For
from lathe.tir._views import ForKind as ForKind
from lathe.ir import Func as Func
from lathe.ir import FuncType as FuncType
from lathe.ir import GE as GE
from lathe.ir import GT as GT
from lathe.ir import GraphBinding as GraphBinding
from lathe.ir import GraphBlock as GraphBlock
from lathe.ir import GraphCall as GraphCall
from lathe.ir import GraphCase as GraphCase
from lathe.ir import GraphConstruct as GraphConstruct
from lathe.ir import GraphConstructor as GraphConstructor
from lathe.ir import GraphDataType as GraphDataType
from lathe.ir import GraphFunc as GraphFunc
from lathe.ir import GraphIf as GraphIf
from lathe.ir import GraphInvoke as GraphInvoke
from lathe.ir import GraphLoop as GraphLoop
from lathe.ir import GraphMatch as GraphMatch
from lathe.ir import GraphModule as GraphModule
from lathe.ir import GraphTuple as GraphTuple
from lathe.ir import GraphTupleGet as GraphTupleGet
from lathe.ir import GraphVar as GraphVar
from lathe.ir import If as If
from lathe.ir import IntImm as IntImm
from lathe.ir import IterVar as IterVar
from lathe.ir import LE as LE
from lathe.ir import LT as LT
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.tir._data_layout import Layout as Layout
from lathe.ir import Let as Let
from lathe.ir import LetStmt as LetStmt
from lathe.ir import Max as Max
from lathe.ir import Min as Min
from lathe.ir import Mod as Mod
from lathe.ir import Module as Module
from lathe.ir import Mul as Mul
from lathe.ir import NE as NE
from lathe.ir import Not as Not
from lathe.ir import Or as Or
from lathe.ir import PlaceholderOp as PlaceholderOp
from lathe.tir._types import PointerType as PointerType
from lathe.ir import Prefetch as Prefetch
from lathe.tir._views import PrimFunc as PrimFunc
from lathe.tir._types import PrimType as PrimType
from lathe.ir import Program as Program
from lathe.ir import Ramp as Ramp
from lathe.ir import Range as Range
from lathe.ir import Reduce as Reduce
from lathe.ir import ScanOp as ScanOp
from lathe.ir import Select as Select
from lathe.ir import Seq as Seq
from lathe.ir import Shuffle as Shuffle
from lathe.tir._views import SizeVar as SizeVar
from lathe.ir import Step as Step
from lathe._ops import Stmt as Stmt
from lathe.ir import StringImm as StringImm
from lathe.ir import Sub as Sub
from lathe.ir import Tensor as Tensor
from lathe.ir import TensorComputeOp as TensorComputeOp
from lathe.ir import TensorIntrin as TensorIntrin
from lathe.ir import TensorType as TensorType
from lathe.ir import TupleType as TupleType
from lathe.ir import TypeRef as TypeRef
from lathe.ir import Var as Var
from lathe.ir import While as While
from lathe.tir.expr import abs as abs
from lathe.tir.expr import acos as acos
from lathe.tir.expr import acosh as acosh
from lathe.tir.expr import add as add
from lathe.tir.expr import all as all
from lathe.tir.expr import any as any
from lathe.tir.expr import asin as asin
from lathe.tir.expr import asinh as asinh
from lathe.tir.expr import atan as atan
from lathe.tir.expr import atan2 as atan2
from lathe.tir.expr import atanh as atanh
from lathe.tir._data_layout import bijective_layout as bijective_layout
from lathe.tir.expr import bitwise_and as bitwise_and
from lathe.tir.expr import bitwise_not as bitwise_not
from lathe.tir.expr import bitwise_or as bitwise_or
from lathe.tir.expr import bitwise_xor as bitwise_xor
from lathe.tir.expr import call_extern as call_extern
from lathe.tir.expr import call_intrin as call_intrin
from lathe.tir.expr import call_llvm_intrin as call_llvm_intrin
from lathe.tir.expr import call_llvm_pure_intrin as call_llvm_pure_intrin
from lathe.tir.expr import call_packed as call_packed
from lathe.tir.expr import call_pure_extern as call_pure_extern
from lathe.tir.expr import ceil as ceil
from lathe.tir.expr import ceildiv as ceildiv
from lathe.tir.expr import clz as clz
from lathe.tir.expr import const as const
from lathe.tir.expr import convert as convert
from lathe.tir.expr import copysign as copysign
from lathe.tir.expr import cos as cos
from lathe.tir.expr import cosh as cosh
from lathe.tir.expr import div as div
from lathe.tir.expr import erf as erf
from lathe.tir.expr import exp as exp
from lathe.tir.expr import exp10 as exp10
from lathe.tir.expr import exp2 as exp2
from lathe.tir.expr import expm1 as expm1
from . import expr as expr
from lathe.tir.expr import floor as floor
from lathe.tir.expr import floordiv as floordiv
from lathe.tir.expr import floormod as floormod
from lathe.tir.expr import fma as fma
from lathe.tir.expr import fmod as fmod
from lathe.tir.functor import free_vars as free_vars
from . import functor as functor
from lathe.tir.expr import hypot as hypot
from lathe.tir.expr import if_then_else as if_then_else
from lathe.tir.expr import indexdiv as indexdiv
from lathe.tir.expr import indexmod as indexmod
from lathe.tir.expr import intrinsic_doc as intrinsic_doc
from lathe.tir.expr import intrinsics as intrinsics
from . import ir_builder as ir_builder
from lathe.tir.functor import ir_transform as ir_transform
from lathe.tir.expr import isfinite as isfinite
from lathe.tir.expr import isinf as isinf
from lathe.tir.expr import isnan as isnan
from lathe.tir._data_layout import layout as layout
from lathe.tir.expr import ldexp as ldexp
from lathe.tir.expr import likely as likely
from lathe.tir.expr import load_vector as load_vector
from lathe.tir.expr import log as log
from lathe.tir.expr import log10 as log10
from lathe.tir.expr import log1p as log1p
from lathe.tir.expr import log2 as log2
from lathe.tir.expr import logical_not as logical_not
from lathe.tir.expr import max as max
from lathe.tir.expr import min as min
from lathe.tir.expr import multiply as multiply
from lathe.tir.expr import nearbyint as nearbyint
from lathe.tir.expr import nextafter as nextafter
from lathe.tir.expr import popcount as popcount
from lathe.tir.functor import post_order_visit as post_order_visit
from lathe.tir.expr import power as power
from lathe.tir.expr import q_multiply_shift as q_multiply_shift
from lathe.tir.expr import reinterpret as reinterpret
from lathe.tir.expr import round as round
from lathe.tir.expr import rsqrt as rsqrt
from lathe.tir.expr import select as select
from lathe.tir.expr import shift_left as shift_left
from lathe.tir.expr import shift_right as shift_right
from lathe.tir.expr import sigmoid as sigmoid
from lathe.tir.expr import sin as sin
from lathe.tir.expr import sinh as sinh
from lathe.tir.expr import sqrt as sqrt
from . import stmt_functor as stmt_functor
from lathe.tir.expr import store_vector as store_vector
from lathe.tir.functor import substitute as substitute
from lathe.tir.expr import subtract as subtract
from lathe.tir.expr import tan as tan
from lathe.tir.expr import tanh as tanh
from lathe.tir.expr import trunc as trunc
from lathe.tir.expr import truncdiv as truncdiv
from lathe.tir.expr import truncmod as truncmod
from . import transform as transform
from . import analysis as analysis
from lathe.tir._index_map import IndexMap as IndexMap
from lathe.tir._trace import trace as trace
from lathe.te.operation import sum as sum
from lathe.te.operation import comm_reducer as comm_reducer
from lathe.te.operation import min_value as min_value
from lathe.te.operation import max_value as max_value

AttrStmt = Attr

BufferLoad = Load

BufferRealize = Realize

BufferStore = Store

CommReducer = Reducer

IfThenElse = If

PrimExpr = Expr

ProducerLoad = Load

SeqStmt = Seq

def decl_buffer(shape: Any, dtype: Any = ..., name: Any = ..., data: Any = ..., strides: Any = ..., elem_offset: Any = ..., scope: Any = ..., data_alignment: Any = ..., offset_factor: Any = ..., buffer_type: Any = ..., axis_separators: Any = ..., span: Any = ...) -> Any:
    """A buffer.

    Args:
        shape: extents.
        dtype: the element type.
        strides: in elements; compact by default.
        elem_offset: the offset of the first element, in elements.
        scope: memory scope.
        data_alignment: alignment of the memory, in bytes; 0 or -1: that of the element type.
        offset_factor: elem_offset must be a multiple of it.
        buffer_type: must be "": `te.compute` says what is broadcast.
        axis_separators: must be empty: `Schedule.transform_layout` sets them.

    Raises:
        LatheError: `buffer-declared`: one of the last two is given.

    Example:
        >>> from lathe import tir
        >>> tir.decl_buffer((4, 4), "float32", "A").scope
        ''
    """

pow = power

def register_intrin_lowering(op_name: Any, target: Any = ..., f: Any = ..., level: Any = ...) -> Any:
    """Registers a rule that replaces calls of an intrinsic on a target.

    Args:
        op_name: the intrinsic ("exp"; "tir.exp" is the same).
        target: a kind or key of targets; "default" for all targets.
        f: called with the Call, whose arguments are already lowered. Returns an expression of the
            same type, or None to leave the call to other rules. Without it, this is a decorator.
        level: rules with a higher level come first. Lathe's own rules have level 0.

    Raises:
        LatheError: `intrinsic-rule-exists`, `unknown-intrinsic`.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> @lathe.register_intrin_lowering("hypot", target="doc-example", level=11)
        ... def rule(call):
        ...     a, b = call.args
        ...     return tir.sqrt(a * a + b * b)
    """

def stmt_list(stmt: Any) -> Any:
    """The statements of a sequence; for any other statement, a list with only that statement.

    Example:
        >>> from lathe import tir
        >>> len(tir.stmt_list(tir.Evaluate(1)))
        1
    """

def stmt_seq(*stmts: Any) -> Any:
    """A sequence of statements. An expression becomes a statement that evaluates it.

    Example:
        >>> from lathe import tir
        >>> len(tir.stmt_list(tir.stmt_seq(tir.Evaluate(1), tir.Evaluate(2))))
        2
    """
