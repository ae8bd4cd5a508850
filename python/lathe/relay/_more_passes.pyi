"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay._counts import CallGraph as CallGraph
from lathe.relay.transform import GraphPass as GraphPass
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.analysis import post_order as post_order

def AlterOpLayout() -> GraphPass:
    """Convolutions in blocks of channels, as the target's vectors want them.

    Example:
        >>> from lathe import relay
        >>> relay.transform.AlterOpLayout().info.opt_level
        3
    """

def BackwardFoldScaleAxis() -> GraphPass:
    """Factors per channel behind a convolution or dense layer go into its weights.

    Example:
        >>> from lathe import relay
        >>> relay.transform.BackwardFoldScaleAxis().info.opt_level
        3
    """

def CanonicalizeOps() -> GraphPass:
    """nn.bias_add becomes an addition.

    Example:
        >>> from lathe import relay
        >>> x, b = relay.var("x", shape=(1, 3, 8, 8)), relay.var("b", shape=(3,))
        >>> made = relay.transform.CanonicalizeOps()(relay.nn.bias_add(x, b))
        >>> "expand_dims" in str(made), "bias_add" in str(made)
        (True, False)
    """

def CombineParallelBatchMatmul(min_num_branches: Any = ...) -> GraphPass:
    """Products of the same batches of matrices, with right operands of their own, become one.

    Args:
        min_num_branches: how many there must be at least.

    Example:
        >>> from lathe import relay
        >>> relay.transform.CombineParallelBatchMatmul().info.opt_level
        4
    """

def CombineParallelConv2D(min_num_branches: Any = ...) -> GraphPass:
    """Convolutions of the same data, with filters of their own, become one.

    Args:
        min_num_branches: how many there must be at least.

    Example:
        >>> from lathe import relay
        >>> relay.transform.CombineParallelConv2D(2).info.name
        'CombineParallelConv2D'
    """

def CombineParallelDense(min_num_branches: Any = ..., to_batch: Any = ...) -> GraphPass:
    """Dense layers of the same data become one product.

    Args:
        min_num_branches: how many there must be at least.
        to_batch: a product of batches, of weights of the same shape; else one matrix with the rows
            of all weights.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 8))
        >>> parts = [relay.nn.dense(x, relay.var(f"w{i}", shape=(4, 8))) for i in range(3)]
        >>> made = relay.transform.CombineParallelDense()(relay.Tuple(parts))
        >>> str(made).count("nn.batch_matmul")
        1
    """

def ConvertLayout(desired_layouts: Any) -> GraphPass:
    """Convolutions, pools and resizing with other orders of dimensions, and what is around them.

    The types of functions stay: data is turned at the beginning and the end. Operators of elements
    and operators with axes follow the order; the others read the old one.

    Args:
        desired_layouts: {operator: [order of the data, order of the kernel]}; "default" for the
            kernel goes with the data's: OIHW with NCHW, HWIO with NHWC.

    Raises:
        LatheError: `graph-layout`.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
        >>> turned = relay.transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]})(
        ...     relay.Function([x, w], relay.nn.relu(relay.nn.conv2d(x, w))))
        >>> str(turned).count("layout_transform")
        3
    """

def DynamicToStatic() -> GraphPass:
    """Shapes that the graph computes from constants become constants.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> made = relay.transform.DynamicToStatic()(relay.shape_of(x))
        >>> "shape_of" in str(made)
        False
    """

def FoldConstantExpr(expr: Any, mod: Any = ..., fold_qnn: Any = ...) -> Any:
    """An expression with what is computed from constants only as constants.

    Args:
        expr: an expression.
        mod: accepted for old programs.
        fold_qnn: without effect.

    Example:
        >>> from lathe import relay
        >>> type(relay.transform.FoldConstantExpr(relay.const(1.0) + 2.0)).__name__
        'Constant'
    """

def FoldExplicitPadding() -> GraphPass:
    """Frames of zeros around data become the padding of the convolution or pool that reads them.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
        >>> framed = relay.nn.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        >>> made = relay.transform.FoldExplicitPadding()(relay.nn.conv2d(framed, w))
        >>> "nn.pad" in str(made)
        False
    """

def ForwardFoldScaleAxis() -> GraphPass:
    """Constant factors per channel in front of a convolution or dense layer go into its weights.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
        >>> y = relay.nn.dense(x * relay.const([1.0, 2.0, 3.0]), w)
        >>> made = relay.transform.ForwardFoldScaleAxis()(y)["main"].body
        >>> made.args[0].name_hint, made.args[1].op
        ('x', Op(multiply))
    """

def InferTypeLocal(expr: Any) -> Any:
    """The type of an expression.

    Example:
        >>> from lathe import relay
        >>> relay.transform.InferTypeLocal(relay.const(1.0) + 2.0)
        float32[]
    """

def Inline() -> GraphPass:
    """Calls of functions of the module become what they compute. Recursion stays.

    Example:
        >>> from lathe import relay
        >>> relay.transform.Inline().info.opt_level
        1
    """

def MergeComposite(pattern_table: Any) -> GraphPass:
    """Parts that patterns match become functions with the attribute "Composite".

    Args:
        pattern_table: [(name, pattern)] or [(name, pattern, check)]: a pattern of
            `relay.dataflow_pattern`; `check(expression)` says whether a match counts. The first
            ones go first.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, wildcard
        >>> x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 8))
        >>> table = [("mine.dense_relu", is_op("nn.relu")(is_op("nn.dense")(wildcard(), wildcard())))]
        >>> made = relay.transform.MergeComposite(table)(relay.nn.relu(relay.nn.dense(x, w)))
        >>> made["main"].body.op.attrs["Composite"]
        'mine.dense_relu'
    """

def RemoveUnusedFunctions(entry_functions: Any = ...) -> GraphPass:
    """Drops functions that the entry functions do not call, directly or not.

    Args:
        entry_functions: a list of names; by default ["main"].

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> mod = lathe.IRModule({"main": relay.Function([x], x), "f": relay.Function([y], y)})
        >>> list(relay.transform.RemoveUnusedFunctions()(mod))
        ['main']
    """

def SimplifyExpr() -> GraphPass:
    """Drops calls that compute nothing new: repeated views and transpositions, `x * 1`, ...

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> made = relay.transform.SimplifyExpr()(relay.reshape(relay.reshape(x, (6,)), (3, 2)) * 1.0)
        >>> str(made).count("reshape"), "multiply" in str(made)
        (1, False)
    """

def ToANormalForm() -> GraphPass:
    """Leaves a module as it is: modules list their values one by one, each with a name.

    `ToANormalFormExpr` makes an expression of lets.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> len(relay.transform.ToANormalForm()(relay.exp(x)))
        1
    """

def ToANormalFormExpr(e: Any) -> Any:
    """An expression whose values are bound by lets, one by one.

    Args:
        e: an expression. Functions and branches within it stay as they are.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> made = relay.transform.ToANormalFormExpr(relay.exp(relay.exp(x)))
        >>> type(made).__name__, type(made.body).__name__
        ('Let', 'Let')
    """

def ToGraphNormalForm() -> GraphPass:
    """Leaves a module as it is: values that are used twice are one value in modules, without lets.

    Example:
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y")
        >>> made = relay.transform.ToGraphNormalForm()(relay.Let(y, relay.exp(x), y + y))
        >>> type(made["main"].body).__name__
        'Call'
    """

def ToMixedPrecision(mixed_precision_type: Any = ..., missing_op_mode: Any = ...) -> GraphPass:
    """Convolutions and products of float32 in a narrow type, with sums in float32.

    Operators of elements follow if their operands are narrow; exp, softmax, norms, sums and the
    like stay in float32. Results that products computed get the narrow type.

    Args:
        mixed_precision_type: "float16" or "bfloat16".
        missing_op_mode: for operators that are in no list: 0 refuses them, 1 keeps them in float32
            and warns, 2 keeps them quietly.

    Raises:
        LatheError: `graph-precision`.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 8))
        >>> narrow = relay.transform.ToMixedPrecision("bfloat16")(relay.nn.dense(x, w))
        >>> narrow["main"].checked_type.ret_type
        bfloat16[2, 4]
    """

def recast(expr: Any, dtype: Any, out_dtype: Any, ops: Any = ..., skip_layers: Any = ...) -> Any:
    """An expression with some operators computed in another element type.

    Args:
        expr: an expression.
        dtype: the element type of the operands.
        out_dtype: the element type of sums and results. Results are cast back.
        ops: the operators' names; by default ["nn.conv2d"].
        skip_layers: the numbers of calls, in the order of the graph, that stay.

    Returns:
        An expression of the same type.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
        >>> relay.transform.recast(relay.nn.conv2d(x, w), "int8", "int32").op
        Op(cast)
    """
