"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._fake_quantization import is_call as is_call
from lathe.relay._fake_quantization import layers_to_integers as layers_to_integers
from lathe.relay.analysis import post_order as post_order
from lathe.relay._fake_quantization import to_integers as to_integers

class QConfig:
    """How graphs are quantized. `with config:` puts it in force in this thread.

    Attributes:
        calibrate_mode: "global_scale": all data lies in [-global_scale, global_scale];
            "percentile" and "kl_divergence": ranges are those of `quantize`'s data set.
        global_scale: a number.
        weight_scale: "max": weights use their whole range; "power2": rounded up to a power of two.
        skip_dense_layer: leave dense layers as they are.
        skip_conv_layers: the numbers of convolutions, in the order of the graph, that stay.
        do_simulation: leave the operators in floating point, between quantized and dequantized data.
        nbit_input, nbit_weight, nbit_activation, dtype_input, dtype_weight, dtype_activation: 8, 8, 32,
            "int8", "int8" and "int32".

    Example:
        >>> from lathe import relay
        >>> with relay.quantize.qconfig(skip_conv_layers=[]):
        ...     relay.quantize.current_qconfig().skip_conv_layers
        ()
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: Any) -> Any: ...
    def __repr__(self) -> str: ...
    def __init__(self, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def current_qconfig() -> Any:
    """The QConfig that is in force in this thread.

    Example:
        >>> from lathe import relay
        >>> relay.quantize.current_qconfig().calibrate_mode
        'global_scale'
    """

def qconfig(**kwargs: Any) -> Any:
    """A QConfig with some options; the others are those in force.

    Args:
        kwargs: the attributes of QConfig.

    Raises:
        LatheValueError: `relay-quantize`: an unknown option or value.

    Example:
        >>> from lathe import relay
        >>> relay.quantize.qconfig(global_scale=4.0).global_scale
        4.0
    """

def quantize(mod: Any, params: Any = ..., dataset: Any = ...) -> Any:
    """A module whose convolutions and dense layers multiply int8 numbers, by the QConfig in force.

    Data is quantized in front of each layer, and weights when the module is made. What follows a layer
    and has a form on integers (bias, relu, pooling, ...) is computed in integers, up to the next layer.

    Args:
        mod: an IRModule whose weights are constants, or parameters of `main`.
        params: {name: Tensor or array}: these parameters become constants.
        dataset: dicts {name of an input: array}: what is measured if `calibrate_mode` says so.

    Returns:
        An IRModule.

    Raises:
        LatheValueError: `relay-quantize`: a mode that needs a data set, which is missing.

    Example:
        >>> import numpy as np
        >>> from lathe import IRModule, relay
        >>> x, w = relay.var("x", shape=(2, 8)), relay.const(np.ones((4, 8), "float32"))
        >>> with relay.quantize.qconfig(skip_dense_layer=False, global_scale=4.0):
        ...     made = relay.quantize.quantize(IRModule.from_expr(relay.nn.dense(x, w)))
        >>> "int8" in str(made)
        True
    """
