"""Passes over modules that are written in Python, on expressions."""

import warnings

from .. import _ffi
from .._irmodule import IRModule
from ..error import LatheValueError
from . import _combine_pass as _combine
from . import _bindings, _operators, _rebuild
from . import expr as _e
from .analysis import CallGraph, post_order
from .transform import GraphPass, _builtin


def _over_functions(name, change, opt_level=0):
    """A pass that changes each function of a module."""
    def run(module, context):
        return IRModule({var: change(func) for var, func in module.items()}, attrs=module.attrs)

    return GraphPass(name, run, opt_level, ["InferType"])


def ConvertLayout(desired_layouts):
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
    desired = []
    for name, given in dict(desired_layouts).items():
        given = [given] if isinstance(given, str) else list(given)
        if not given or not all(isinstance(one, str) for one in given):
            raise LatheValueError(f"this is no wish for layouts: {name!r}: {given}", "graph-layout",
                                  'expected: {"nn.conv2d": ["NHWC", "default"]}')
        desired += [name, given[0], given[1] if len(given) > 1 else "default"]

    def run(module, context):
        return IRModule.from_node(_ffi.get("graph.convert_layout", True)(module.node, desired))

    return GraphPass("ConvertLayout", run, 3, ["InferType"])


def AlterOpLayout():
    """Convolutions in blocks of channels, as the target's vectors want them.

    Example:
        >>> from lathe import relay
        >>> relay.transform.AlterOpLayout().info.opt_level
        3
    """
    return _builtin("AlterOpLayout", ["choose_layouts", "fold_constants", "drop_dead_code"], 3)


def ToMixedPrecision(mixed_precision_type="float16", missing_op_mode=1):
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
    if mixed_precision_type not in ("float16", "bfloat16"):
        raise LatheValueError(f"mixed precision is of float16 or bfloat16, not {mixed_precision_type}",
                              "graph-precision")
    if missing_op_mode not in (0, 1, 2):
        raise LatheValueError("the mode for operators that are in no list must be 0, 1 or 2",
                              "graph-precision", f"found: {missing_op_mode!r}")

    def run(module, context):
        made, *unlisted = _ffi.get("graph.to_mixed_precision", True)(
            module.node, mixed_precision_type, missing_op_mode == 0)
        if unlisted and missing_op_mode == 1:
            warnings.warn("in float32, as they are in no list for mixed precision: "
                          + ", ".join(unlisted), stacklevel=3)
        return IRModule.from_node(made)

    return GraphPass("ToMixedPrecision", run, 0, ["InferType"])


def CombineParallelConv2D(min_num_branches=3):
    """Convolutions of the same data, with filters of their own, become one.

    Args:
        min_num_branches: how many there must be at least.

    Example:
        >>> from lathe import relay
        >>> relay.transform.CombineParallelConv2D(2).info.name
        'CombineParallelConv2D'
    """
    return _over_functions("CombineParallelConv2D", lambda func: _combine.combine(
        func, "nn.conv2d", min_num_branches, _combine.conv2d_key, _combine.conv2d), 4)


def CombineParallelDense(min_num_branches=3, to_batch=True):
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
    key, made = (_combine.dense_batch_key, _combine.dense_batch) if to_batch \
        else (_combine.dense_key, _combine.dense)
    return _over_functions("CombineParallelDense", lambda func: _combine.combine(
        func, "nn.dense", min_num_branches, key, made), 4)


def CombineParallelBatchMatmul(min_num_branches=3):
    """Products of the same batches of matrices, with right operands of their own, become one.

    Args:
        min_num_branches: how many there must be at least.

    Example:
        >>> from lathe import relay
        >>> relay.transform.CombineParallelBatchMatmul().info.opt_level
        4
    """
    return _over_functions("CombineParallelBatchMatmul", lambda func: _combine.combine(
        func, "nn.batch_matmul", min_num_branches, _combine.batch_matmul_key,
        _combine.batch_matmul), 4)


def ToANormalForm():
    """Leaves a module as it is: modules list their values one by one, each with a name.

    `ToANormalFormExpr` makes an expression of lets.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> len(relay.transform.ToANormalForm()(relay.exp(x)))
        1
    """
    return GraphPass("ToANormalForm", lambda module, context: module)


def ToANormalFormExpr(e):
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
    if isinstance(e, _e.Function):
        return _e.Function(e.params, ToANormalFormExpr(e.body), e.ret_type, None, e.attrs)
    named, bindings, root = {}, [], _without_lets(e)
    work = [(root, False)]
    while work:
        item, ready = work.pop()
        if id(item) in named or not isinstance(item, (_e.Call, _e.Tuple, _e.TupleGetItem, _e.If)):
            continue
        if not ready:
            work.append((item, True))
            work.extend((part, False) for part in reversed(_bindings._operands(item)))
            continue
        made = _rebuild.with_parts(item, lambda part: named.get(id(part), part))
        named[id(item)] = _e.Var(f"x{len(bindings)}")
        bindings.append((named[id(item)], made))
    body = named.get(id(root), root)
    for var, value in reversed(bindings):
        body = _e.Let(var, value, body)
    return body


def _without_lets(expr):
    made = {}
    for item in post_order(expr):
        made[id(item)] = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if isinstance(item, _e.Let):
            made[id(item)] = _rebuild.substitute(made[id(item)].body,
                                                 {item.var: made[id(item)].value})
    return made[id(expr)]


def ToGraphNormalForm():
    """Leaves a module as it is: values that are used twice are one value in modules, without lets.

    Example:
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y")
        >>> made = relay.transform.ToGraphNormalForm()(relay.Let(y, relay.exp(x), y + y))
        >>> type(made["main"].body).__name__
        'Call'
    """
    return GraphPass("ToGraphNormalForm", lambda module, context: module)


def Inline():
    """Calls of functions of the module become what they compute. Recursion stays.

    Example:
        >>> from lathe import relay
        >>> relay.transform.Inline().info.opt_level
        1
    """
    return _builtin("Inline", ["inline_functions", "drop_dead_code"], 1)


def RemoveUnusedFunctions(entry_functions=None):
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
    def run(module, context):
        kept = CallGraph(module).reached(entry_functions or ["main"])
        return IRModule({var: func for var, func in module.items() if var.name_hint in kept},
                        attrs=module.attrs)

    return GraphPass("RemoveUnusedFunctions", run, 1, ["InferType"])


def DynamicToStatic():
    """Shapes that the graph computes from constants become constants.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> made = relay.transform.DynamicToStatic()(relay.shape_of(x))
        >>> "shape_of" in str(made)
        False
    """
    def run(module, context):
        fold = _builtin("FoldConstant", ["fold_constants", "drop_dead_code"], 0)
        return fold(_over_functions("DynamicToStatic", _known_shapes)(module))

    return GraphPass("DynamicToStatic", run, 3, ["InferType"])


def _known_shapes(func):
    """`shape_of` and `ndarray_size` of tensors of known shapes become constants."""
    func.checked_type
    made = {}
    for item in post_order(func):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if isinstance(item, _e.Call) and item.op in (_e.Op("shape_of"), _e.Op("ndarray_size")):
            shape = [getattr(n, "value", None) for n in item.args[0].checked_type.shape]
            if None not in shape:
                import numpy as np

                values = shape if item.op.name == "shape_of" else np.prod(shape, dtype="int64")
                new = _e.const(np.asarray(values), item.checked_type.dtype)
        made[id(item)] = new
    return made[id(func)]


def CanonicalizeOps():
    """nn.bias_add becomes an addition.

    Example:
        >>> from lathe import relay
        >>> x, b = relay.var("x", shape=(1, 3, 8, 8)), relay.var("b", shape=(3,))
        >>> made = relay.transform.CanonicalizeOps()(relay.nn.bias_add(x, b))
        >>> "expand_dims" in str(made), "bias_add" in str(made)
        (True, False)
    """
    return _over_functions("CanonicalizeOps", _without_bias_add, 3)


def _without_bias_add(func):
    func.checked_type
    made = {}
    for item in post_order(func):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if isinstance(item, _e.Call) and item.op == _e.Op("nn.bias_add"):
            rank, bias = len(item.checked_type.shape), new.args[1]
            behind = rank - 1 - item.attrs["axis"] % rank
            if behind:
                bias = _operators.builder("expand_dims")(bias, axis=1, num_newaxis=behind)
            new = _operators.builder("add")(new.args[0], bias)
        made[id(item)] = new
    return made[id(func)]


def SimplifyExpr():
    """Drops calls that compute nothing new: repeated views and transpositions, `x * 1`, ...

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> made = relay.transform.SimplifyExpr()(relay.reshape(relay.reshape(x, (6,)), (3, 2)) * 1.0)
        >>> str(made).count("reshape"), "multiply" in str(made)
        (1, False)
    """
    return _builtin("SimplifyExpr", ["simplify", "drop_dead_code"], 0, ["InferType"])


def FoldExplicitPadding():
    """Frames of zeros around data become the padding of the convolution or pool that reads them.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
        >>> framed = relay.nn.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        >>> made = relay.transform.FoldExplicitPadding()(relay.nn.conv2d(framed, w))
        >>> "nn.pad" in str(made)
        False
    """
    return _builtin("FoldExplicitPadding", ["fold_padding", "drop_dead_code"], 0, ["InferType"])


def MergeComposite(pattern_table):
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
    from .dataflow_pattern import partition

    def change(func):
        func.checked_type
        for name, pattern, *check in pattern_table:
            func = partition(pattern, func, {"Composite": name}, *check)
        return func

    return _over_functions("MergeComposite", change)


def FoldConstantExpr(expr, mod=None, fold_qnn=False):
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
    made = _builtin("FoldConstant", ["fold_constants", "drop_dead_code"], 0)(expr)["main"]
    return made if isinstance(expr, _e.Function) else \
        _e.bind(made.body, dict(zip(made.params, _params_of(expr))))


def _params_of(expr):
    from .analysis import free_vars

    return free_vars(expr)


def InferTypeLocal(expr):
    """The type of an expression.

    Example:
        >>> from lathe import relay
        >>> relay.transform.InferTypeLocal(relay.const(1.0) + 2.0)
        float32[]
    """
    return expr.checked_type


def ForwardFoldScaleAxis():
    """Constant factors per channel in front of a convolution or dense layer go into its weights.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 3))
        >>> y = relay.nn.dense(x * relay.const([1.0, 2.0, 3.0]), w)
        >>> made = relay.transform.ForwardFoldScaleAxis()(y)["main"].body
        >>> made.args[0].name_hint, made.args[1].op
        ('x', Op(multiply))
    """
    from ._scale_pass import Forward
    from .dataflow_pattern import rewrite

    def change(func):
        func.checked_type
        return rewrite(Forward(), func)

    return _over_functions("ForwardFoldScaleAxis", change, 3)


def BackwardFoldScaleAxis():
    """Factors per channel behind a convolution or dense layer go into its weights.

    Example:
        >>> from lathe import relay
        >>> relay.transform.BackwardFoldScaleAxis().info.opt_level
        3
    """
    return _builtin("BackwardFoldScaleAxis", ["fold_scale", "fold_constants", "drop_dead_code"], 3)


def recast(expr, dtype, out_dtype, ops=None, skip_layers=None):
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
    chosen, number, made = set(ops or ["nn.conv2d"]), 0, {}
    expr.checked_type
    for item in post_order(expr):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if isinstance(item, _e.Call) and isinstance(item.op, _e.Op) and item.op.name in chosen:
            if number not in (skip_layers or ()):
                attrs = _operators.changed_attrs(item.op.name, item.attrs)
                if "out_dtype" in _operators.defaults(item.op.name):
                    attrs["out_dtype"] = out_dtype
                elif dtype != out_dtype:
                    raise LatheValueError(f"{item.op.name} computes in the type of its operands",
                                          "relay-precision", f"found: {dtype}, {out_dtype}")
                cast = _operators.builder("cast")
                new = cast(_e.Call(item.op, [cast(arg, dtype=dtype) for arg in new.args], attrs),
                           dtype=item.checked_type.dtype)
            number += 1
        made[id(item)] = new
    return made[id(expr)]
