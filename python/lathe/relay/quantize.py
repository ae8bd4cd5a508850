"""Quantization of graphs whose numbers are floating: convolutions and dense layers in int8.

    >>> import numpy as np, lathe
    >>> from lathe import relay
    >>> x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 8))
    >>> mod = lathe.IRModule.from_expr(relay.Function([x, w], relay.nn.dense(x, w)))
    >>> with relay.quantize.qconfig(global_scale=4.0, skip_dense_layer=False):
    ...     made = relay.quantize.quantize(mod, {"w": np.ones((4, 8), "float32")})
    >>> "qnn.dense" in str(made)
    True
"""

import threading

from ..error import LatheValueError
from . import _calibrate, _operators, _rebuild
from . import expr as _e
from .analysis import post_order
from ._fake_quantization import is_call, layers_to_integers, to_integers

_current = threading.local()
_DEFAULTS = {
    "nbit_input": 8, "nbit_weight": 8, "nbit_activation": 32, "dtype_input": "int8", "dtype_weight": "int8",
    "dtype_activation": "int32", "calibrate_mode": "global_scale", "global_scale": 8.0, "weight_scale": "power2",
    "skip_dense_layer": True, "skip_conv_layers": (0,), "do_simulation": False,
}
_FIXED = {"nbit_input": (8,), "nbit_weight": (8,), "nbit_activation": (32,), "dtype_input": ("int8",),
          "dtype_weight": ("int8",), "dtype_activation": ("int32",),
          "calibrate_mode": ("global_scale", "percentile", "kl_divergence"),
          "weight_scale": ("power2", "max")}


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

    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            if key not in _DEFAULTS:
                raise LatheValueError(f"there is no option `{key}` of quantization", "relay-quantize",
                                      "expected: " + ", ".join(_DEFAULTS))
            if key in _FIXED and value not in _FIXED[key]:
                raise LatheValueError(f"option `{key}` of quantization cannot be {value!r}", "relay-quantize",
                                      "expected: " + " or ".join(map(repr, _FIXED[key])))
            if key == "global_scale" and not 0 < float(value) < float("inf"):
                raise LatheValueError("the range of the data must be a number above 0", "relay-quantize",
                                      f"expected: global_scale above 0\nfound: {value!r}")
        vars(self).update({**_DEFAULTS, **kwargs})
        self.skip_conv_layers = tuple(self.skip_conv_layers or ())

    def __enter__(self):
        if not hasattr(_current, "stack"):
            _current.stack = []
        _current.stack.append(self)
        return self

    def __exit__(self, *exc):
        _current.stack.pop()

    def __repr__(self):
        return "qconfig(" + ", ".join(f"{key}={value!r}" for key, value in vars(self).items()) + ")"


def qconfig(**kwargs):
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
    return QConfig(**{**vars(current_qconfig()), **kwargs})


def current_qconfig():
    """The QConfig that is in force in this thread.

    Example:
        >>> from lathe import relay
        >>> relay.quantize.current_qconfig().calibrate_mode
        'global_scale'
    """
    stack = getattr(_current, "stack", None)
    return stack[-1] if stack else QConfig()


def quantize(mod, params=None, dataset=None):
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
    from .build_module import bind_params_by_name
    from .transform import FoldConstant, SimplifyInference

    config, attrs = current_qconfig(), dict(mod.attrs)
    main = bind_params_by_name(mod["main"], params) if params else mod["main"]
    mod = FoldConstant()(SimplifyInference()(_calibrate.with_main(mod, main)))
    main = mod["main"]
    layers = _layers(main, config)
    if config.calibrate_mode == "global_scale":
        ranges = [float(config.global_scale)] * len(layers)
    else:
        dataset = list(dataset or ())
        if not dataset:
            raise LatheValueError(f"calibration by `{config.calibrate_mode}` measures a data set", "relay-quantize",
                                  "help: quantize(mod, params, dataset=[{name: array}, ...])")
        ranges = _calibrate.ranges(mod, main, [layer.args[0] for layer in layers], dataset, config.calibrate_mode)
    main = _annotated(main, layers, ranges, config)
    if not config.do_simulation:
        for change in (lambda func: to_integers(func, hard_fail=False), layers_to_integers):
            main = change(_calibrate.with_main(mod, main)["main"])  # the module says types of calls of its functions
    made = FoldConstant()(_calibrate.with_main(mod, main))
    made.attrs = attrs
    return made


def _layers(main, config):
    """The calls that are quantized: those with constant weights that no option leaves out."""
    found, convolutions = [], 0
    for item in post_order(main):
        if is_call(item, "nn.conv2d"):
            convolutions += 1
            if convolutions - 1 in config.skip_conv_layers:
                continue
        elif not is_call(item, "nn.dense") or config.skip_dense_layer:
            continue
        if isinstance(item.args[1], _e.Constant) and item.checked_type.dtype == "float32":
            found.append(item)
    return found


def _annotated(main, layers, ranges, config):
    """The function with quantized and dequantized data, and weights, in front of each layer."""
    weights = {id(layer) for layer in layers}
    data = {id(layer.args[0]): largest for layer, largest in zip(layers, ranges)}
    made = {}
    for item in post_order(main.body):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if id(item) in weights:
            weight = _rounded(new.args[1], _weight_scale(new.args[1], config) / 128.0)
            new = _e.Call(item.op, [new.args[0], weight], _operators.changed_attrs(item.op.name, item.attrs))
        if id(item) in data:  # all that reads the data gets the same numbers
            new = _rounded(new, data[id(item)] / 128.0)
        made[id(item)] = new
    return _e.Function(main.params, made[id(main.body)], main.ret_type, None, main.attrs)


def _rounded(expr, scale):
    """`expr` as int8 of a scale, and as floating numbers again."""
    scale, zero = _e.const(float(scale), "float32"), _e.const(0, "int32")
    made = _operators.builder("qnn.quantize")(expr, scale, zero, out_dtype="int8")
    return _operators.builder("qnn.dequantize")(made, scale, zero)


def _weight_scale(weight, config):
    import numpy as np

    largest = float(np.abs(weight.data.numpy()).max()) or 1.0
    return 2.0 ** np.ceil(np.log2(largest)) if config.weight_scale == "power2" else largest


from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
