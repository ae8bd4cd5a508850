"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.transform import GraphPass as GraphPass
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext
from lathe.relay.analysis import post_order as post_order

def FakeQuantizationToInteger(hard_fail: Any = ..., use_qat: Any = ...) -> Any:
    """What is computed in floating point between qnn.dequantize and qnn.quantize is computed in integers.

    Args:
        hard_fail: raise for an operator that has no form on integers; else such parts stay.
        use_qat: must be False: constants within such parts are quantized in any case.

    Raises:
        LatheError: `relay-fake-quantization`.

    Example:
        >>> from lathe import relay
        >>> x, s, z = relay.var("x", shape=(2, 8), dtype="int8"), relay.const(0.5), relay.const(0)
        >>> y = relay.qnn.op.quantize(relay.nn.relu(relay.qnn.op.dequantize(x, s, z)), s, z)
        >>> made = relay.transform.FakeQuantizationToInteger()(y)
        >>> relay.analysis.list_op_freqs(made)
        {'cast': 1, 'maximum': 1}
    """

def LazyGradientInit() -> Any:
    """Drops zeros and ones that gradients begin with: `x + 0` and `x * 1`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> made = relay.transform.LazyGradientInit()(relay.zeros_like(x) + x * relay.ones_like(x))
        >>> made["main"].body.name_hint
        'x'
    """

def Legalize(legalize_map_attr_name: Any = ...) -> Any:
    """Gives calls of operators the forms that `relay.op.register_legalize` registered.

    Args:
        legalize_map_attr_name: the attribute of operators that has the function.

    Example:
        >>> from lathe import relay
        >>> relay.transform.Legalize().info.opt_level
        1
    """

def PartialEvaluate() -> Any:
    """Computes what is known: calls of functions, choices by constants, parts of tuples and of data types.

    Functions that call themselves are followed while it is known which branch they take, up to 60 calls deep.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> double = relay.Function([h := relay.var("h", shape=(2,))], h + h)
        >>> relay.transform.PartialEvaluate()(relay.Function([x], double(x)))["main"].body.op
        Op(add)
    """

def PlanDevices(config: Any) -> Any:
    """Says where each call runs (`on_device`), and puts copies between devices.

    Args:
        config: a target.CompilationConfig.

    Raises:
        LatheError: `graph-no-target`: on_device names a device without a target; `relay-device`.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> targets = {"cpu": "llvm", "opencl": "opencl"}
        >>> config = lathe.target.make_compilation_config(lathe.transform.PassContext(), targets)
        >>> x = relay.var("x", shape=(2,))
        >>> y = relay.exp(relay.annotation.on_device(relay.tanh(x), "opencl"))
        >>> str(relay.transform.PlanDevices(config)(y)).count("device_copy")
        1
    """
