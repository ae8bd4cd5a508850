"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import Sequential as Sequential
from lathe.relay.analysis import post_order as post_order
from lathe.ir import register_op_attr as register_op_attr

def is_tensorrt_runtime_enabled() -> Any:
    """Has this program registered a code generator for TensorRT?

    Example:
        >>> from lathe import relay
        >>> relay.op.contrib.tensorrt.is_tensorrt_runtime_enabled()
        False
    """

def partition_for_tensorrt(mod: Any, params: Any = ..., version: Any = ..., use_implicit_batch: Any = ..., remove_no_mac_subgraphs: Any = ..., max_workspace_size: Any = ..., use_fp16: Any = ..., use_uint8: Any = ...) -> Any:
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
