"""Parts of graphs that TensorRT computes.

Lathe has no code generator for it: a program that has one registers it as "relay.ext.tensorrt"
(`relay.partition`). What is here cuts graphs for it.
"""

from ..error import LatheValueError
from ..ir import register_op_attr
from .._irmodule import IRModule
from ..transform import Sequential
from . import _rebuild
from . import expr as _e
from . import transform as _passes
from .analysis import post_order

_NAME = "tensorrt"
_ELEMENTS = ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "exp", "log", "sqrt", "abs",
             "negative", "ceil", "floor", "sigmoid", "tanh", "erf", "sin", "cos", "atan", "clip", "nn.relu",
             "nn.leaky_relu", "nn.bias_add", "nn.prelu")
_LAYERS = ("nn.conv1d", "nn.conv2d", "nn.conv2d_transpose", "nn.conv3d", "nn.conv3d_transpose", "nn.dense",
           "nn.batch_matmul", "nn.batch_norm", "nn.layer_norm", "nn.softmax", "nn.max_pool2d", "nn.avg_pool2d",
           "nn.global_max_pool2d", "nn.global_avg_pool2d", "nn.max_pool3d", "nn.avg_pool3d",
           "nn.adaptive_avg_pool2d", "nn.adaptive_max_pool2d", "nn.pad", "nn.batch_flatten", "image.resize2d")
_SHAPES = ("reshape", "transpose", "squeeze", "expand_dims", "strided_slice", "concatenate", "split",
           "layout_transform", "sum", "prod", "max", "min", "mean")
_PRODUCTS = ("nn.conv1d", "nn.conv2d", "nn.conv2d_transpose", "nn.conv3d", "nn.conv3d_transpose", "nn.dense",
             "nn.batch_matmul")


def _is_taken(call):
    """Does TensorRT take a call? All tensors are of float32 or float16, and extents but the first are known."""
    types, work = [], [call.checked_type, *(arg.checked_type for arg in call.args)]
    while work:
        one = work.pop()
        if hasattr(one, "fields"):
            work += one.fields
        else:
            types.append(one)
    return all(one.dtype in ("float32", "float16") and all(hasattr(n, "value") for n in one.shape[1:]) for one in types)


for _op in (*_ELEMENTS, *_LAYERS, *_SHAPES):
    register_op_attr(_op, "target." + _NAME, _is_taken)


def is_tensorrt_runtime_enabled():
    """Has this program registered a code generator for TensorRT?

    Example:
        >>> from lathe import relay
        >>> relay.op.contrib.tensorrt.is_tensorrt_runtime_enabled()
        False
    """
    from ..runtime import get_global_func

    return get_global_func("relay.ext." + _NAME, allow_missing=True) is not None


def partition_for_tensorrt(mod, params=None, version=None, use_implicit_batch=True, remove_no_mac_subgraphs=False,
                           max_workspace_size=1 << 30, use_fp16=False, use_uint8=False):
    """A module in which the parts that TensorRT takes are functions with the attribute "Compiler".

    Args:
        mod: an IRModule.
        params: {name: Tensor or array}: parameters of `main` that become constants.
        version: (major, minor, patch) of TensorRT, by default (6, 0, 1); for the code generator.
        use_implicit_batch, max_workspace_size, use_fp16, use_uint8: for the code generator.
        remove_no_mac_subgraphs: leave parts without convolutions and products of matrices to Lathe.

    Returns:
        (mod, options): an IRModule, and a dict for the PassContext's config "relay.ext.tensorrt.options",
        where the code generator finds it.

    Raises:
        LatheValueError: `relay-tensorrt`: the version is no triple.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w", shape=(4, 3, 3, 3))
        >>> net = lathe.IRModule.from_expr(relay.Function([x, w], relay.nn.relu(relay.nn.conv2d(x, w))))
        >>> mod, options = relay.op.contrib.tensorrt.partition_for_tensorrt(net)
        >>> [func.attrs["Compiler"] for var, func in mod.functions.items() if var.name_hint != "main"]
        ['tensorrt']
    """
    version = (6, 0, 1) if version is None else tuple(version)
    if len(version) != 3:
        raise LatheValueError("a version of TensorRT has three numbers", "relay-tensorrt", f"found: {version}")
    options = {"use_implicit_batch": use_implicit_batch, "max_workspace_size": max_workspace_size, "use_fp16": use_fp16,
               "use_uint8": use_uint8, "remove_no_mac_subgraphs": remove_no_mac_subgraphs, "tensorrt_version": version}
    if params:
        from .build_module import bind_params_by_name

        mod = IRModule({**mod.functions, mod.get_global_var("main"): bind_params_by_name(mod["main"], params)},
                       mod.type_definitions, mod.attrs)
    made = Sequential([_passes.FoldConstant(), _passes.AnnotateTarget(_NAME), _passes.MergeCompilerRegions(),
                       _passes.PartitionGraph()], opt_level=3)(mod)
    return (_without_small(made) if remove_no_mac_subgraphs else made), options


def _without_small(mod):
    """The module without parts that multiply nothing: they are part of `main` again."""
    functions = {var.name_hint: func for var, func in mod.functions.items()}
    small = {name for name, func in functions.items() if func.attrs.get("Compiler") == _NAME and not any(
        isinstance(item, _e.Call) and isinstance(item.op, _e.Op) and item.op.name in _PRODUCTS
        for item in post_order(func))}
    made = {}
    for name, func in functions.items():
        if name not in small:
            made[name] = _inlined(func, {one: functions[one] for one in small})
    return IRModule(made, mod.type_definitions, mod.attrs)


def _inlined(func, callees):
    made = {}
    for item in post_order(func):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if isinstance(item, _e.Call) and isinstance(item.op, _e.GlobalVar) and item.op.name_hint in callees:
            callee = callees[item.op.name_hint]
            new = _rebuild.substitute(callee.body, dict(zip(callee.params, new.args)))
        made[id(item)] = new
    return made[id(func)]
