"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe._irmodule as _irmodule
from lathe.transform import Pass as Pass
from lathe.relay._more_passes import AlterOpLayout as AlterOpLayout
from lathe.relay.partition import AnnotateTarget as AnnotateTarget
from lathe.relay._more_passes import BackwardFoldScaleAxis as BackwardFoldScaleAxis
from lathe.relay._more_passes import CanonicalizeOps as CanonicalizeOps
from lathe.relay._more_passes import CombineParallelBatchMatmul as CombineParallelBatchMatmul
from lathe.relay._more_passes import CombineParallelConv2D as CombineParallelConv2D
from lathe.relay._more_passes import CombineParallelDense as CombineParallelDense
from lathe.relay._more_passes import ConvertLayout as ConvertLayout
from lathe.relay._more_passes import DynamicToStatic as DynamicToStatic
from lathe.relay._known_passes import FakeQuantizationToInteger as FakeQuantizationToInteger
from lathe.relay._more_passes import FoldConstantExpr as FoldConstantExpr
from lathe.relay._more_passes import FoldExplicitPadding as FoldExplicitPadding
from lathe.relay._more_passes import ForwardFoldScaleAxis as ForwardFoldScaleAxis
from lathe._irmodule import IRModule as IRModule
from lathe.relay._more_passes import InferTypeLocal as InferTypeLocal
from lathe.relay._more_passes import Inline as Inline
from lathe.error import LatheTypeError as LatheTypeError
from lathe.relay._known_passes import LazyGradientInit as LazyGradientInit
from lathe.relay._known_passes import Legalize as Legalize
from lathe.relay.partition import MergeCompilerRegions as MergeCompilerRegions
from lathe.relay._more_passes import MergeComposite as MergeComposite
from lathe.relay._known_passes import PartialEvaluate as PartialEvaluate
from lathe.relay.partition import PartitionGraph as PartitionGraph
from lathe.transform import PassContext as PassContext
from lathe.relay._known_passes import PlanDevices as PlanDevices
from lathe.relay._more_passes import RemoveUnusedFunctions as RemoveUnusedFunctions
from lathe.transform import Sequential as Sequential
from lathe.relay._more_passes import SimplifyExpr as SimplifyExpr
from lathe.relay._more_passes import ToANormalForm as ToANormalForm
from lathe.relay._more_passes import ToANormalFormExpr as ToANormalFormExpr
from lathe.relay._more_passes import ToGraphNormalForm as ToGraphNormalForm
from lathe.relay._more_passes import ToMixedPrecision as ToMixedPrecision
from lathe.transform import module_pass as module_pass
from lathe.transform import pass_maker as pass_maker
from lathe.relay._more_passes import recast as recast

class GraphPass(Pass):
    """A pass over modules of graphs: IRModule -> IRModule.

    Example:
        >>> from lathe import relay
        >>> relay.transform.FoldConstant().info
        PassInfo(FoldConstant)
    """
    def __call__(self, module: Any) -> _irmodule.IRModule: ...
    ...

def DeadCodeElimination(inline_once: Any = ..., ignore_impurity: Any = ...) -> GraphPass:
    """Drops what nobody reads.

    Args:
        inline_once, ignore_impurity: without effect.

    Example:
        >>> from lathe import relay
        >>> x, unused = relay.var("x", shape=(2,)), relay.var("unused")
        >>> mod = relay.transform.DeadCodeElimination()(relay.Let(unused, x + x, x))
        >>> "add(" in str(mod)
        False
    """

def EliminateCommonSubexpr(fskip: Any = ...) -> GraphPass:
    """Equal calls of operators on the same values become one.

    Args:
        fskip: must be None.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> mod = relay.transform.EliminateCommonSubexpr()((x + x) * (x + x))
        >>> str(mod).count("add(")
        1
    """

def FoldConstant(fold_qnn: Any = ...) -> GraphPass:
    """Replaces what is computed from constants only by constants.

    Args:
        fold_qnn: without effect: operators on quantized tensors are folded like all others.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> mod = relay.transform.FoldConstant()(x + (relay.const(1.0) + 2.0))
        >>> str(mod).count("add(")
        1
    """

def FoldScaleAxis() -> GraphPass:
    """Factors per channel go into the weights before them.

    Example:
        >>> from lathe import relay
        >>> relay.transform.FoldScaleAxis().info.opt_level
        3
    """

FunctionPass = GraphPass

def FuseOps(fuse_opt_level: Any = ...) -> GraphPass:
    """Groups operators that become one kernel each: a group is a function within the function.

    Args:
        fuse_opt_level: 0: the module stays as it is; -1: the PassContext's level.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> "primitive" in str(relay.transform.FuseOps()(relay.exp(x + x)))
        True
    """

def InferType() -> GraphPass:
    """Infers all types; a module always has them, so this only checks.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.transform.InferType()(relay.Function([x], x))["main"].checked_type
        fn(float32[2]) -> float32[2]
    """

def SimplifyInference() -> GraphPass:
    """Replaces operators that are compositions (nn.batch_norm, ...) by what they are made of.

    Example:
        >>> from lathe import relay
        >>> relay.transform.SimplifyInference().info.name
        'SimplifyInference'
    """

def builtin_pass(*names: Any) -> GraphPass:
    """Lathe's own passes of these names (`passes()`), as one pass.

    Raises:
        LatheError: `unknown-pass`.

    Example:
        >>> from lathe import relay
        >>> relay.transform.builtin_pass("share_equal").info.name
        'share_equal'
    """

def function_pass(pass_func: Any = ..., opt_level: Any = ..., name: Any = ..., required: Any = ...) -> Any:
    """Makes a pass from a function (func, module, context) -> func, or from a class.

    The instances of a class are passes; its method `transform_function` is that function.

    Example:
        >>> from lathe import relay
        >>> @relay.transform.function_pass(opt_level=1)
        ... def leave(func, module, context):
        ...     return func
        >>> leave.info.name
        'leave'
    """

def gradient(expr: Any, mod: Any = ..., mode: Any = ...) -> Any:
    """A function of the same inputs that returns (result, (gradient of each input)).

    The gradient of the result is 1 everywhere, so the gradients are those of the sum of its
    elements. They have the inputs' types; an input without floating elements has zeros. Calls of
    functions are inlined. Applied to its own result, it gives second derivatives.

    Args:
        expr: a relay.Function, a GlobalVar of `mod`, or another expression, which is taken as a
            function of its free variables.
        mod: an IRModule with the functions that `expr` calls.
        mode: "higher_order" or "first_order". Both give the same: Relay's first order refuses
            control flow and functions, which are no problem here.

    Raises:
        LatheError: operators on the way have no gradient (`graph-no-gradient` names all of them),
            or it is not known how often a loop runs (`graph-gradient-loop`).

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(3,))
        >>> slope = relay.transform.gradient(relay.Function([x], relay.tanh(x)))
        >>> y, (g,) = relay.create_executor("debug", slope).evaluate()(np.zeros(3, "float32"))
        >>> g.numpy().tolist()
        [1.0, 1.0, 1.0]
    """

def passes() -> list[tuple[str, str, int]]:
    """[(name, what it does, level from which on it runs)] for all passes over graphs, in order.

    Example:
        >>> from lathe import relay
        >>> "fold_constants" in [name for name, _, _ in relay.transform.passes()]
        True
    """
