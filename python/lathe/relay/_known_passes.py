"""Passes of TVM's over modules: forms of operators, devices, evaluation, integers."""

from .. import _ffi
from .._irmodule import IRModule
from ..error import LatheValueError
from ..transform import PassContext
from . import _pass_options, _rebuild
from . import expr as _e
from ._more_passes import _over_functions
from .analysis import post_order
from .transform import GraphPass, _builtin


def Legalize(legalize_map_attr_name="FTVMLegalize"):
    """Gives calls of operators the forms that `relay.op.register_legalize` registered.

    Args:
        legalize_map_attr_name: the attribute of operators that has the function.

    Example:
        >>> from lathe import relay
        >>> relay.transform.Legalize().info.opt_level
        1
    """
    from .op._legalize import legalized

    return _over_functions("Legalize", lambda func: legalized(func, legalize_map_attr_name), 1)


def PlanDevices(config):
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
    known, default = _pass_options.graph_passes(), config.default_primitive_virtual_device.device
    if default.device_type != 1 and len(config.primitive_targets) > 1:
        raise LatheValueError("the default device must be the host", "relay-device",
                              f"expected: calls without on_device run on the host\nfound: they run on {default}\n"
                              "help: relay.build does it otherwise, by the PassContext's config "
                              "\"relay.fallback_device_type\"")

    def run(module, context):
        quiet = PassContext(opt_level=3, config=context.config)
        options = _pass_options.packed(quiet, level=3, leave_out=[one for one in known if one != "place_devices"])
        return IRModule.from_node(_ffi.get("graph.optimize", True)(module.node, config.primitive_targets, options))

    return GraphPass("PlanDevices", run, 0, ["InferType"])


def PartialEvaluate():
    """Computes what is known: calls of functions, choices by constants, parts of tuples and of data types.

    Functions that call themselves are followed while it is known which branch they take, up to 60 calls deep.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> double = relay.Function([h := relay.var("h", shape=(2,))], h + h)
        >>> relay.transform.PartialEvaluate()(relay.Function([x], double(x)))["main"].body.op
        Op(add)
    """
    from ._partial import evaluated

    def run(module, context):
        functions = {var.name_hint: func for var, func in module.items()}
        made = {name: evaluated(func, functions) for name, func in functions.items()}
        return _builtin("FoldConstant", ["fold_constants", "drop_dead_code"], 0)(
            IRModule(made, module.type_definitions, module.attrs))

    return GraphPass("PartialEvaluate", run, 1, ["InferType"])


def FakeQuantizationToInteger(hard_fail=False, use_qat=False):
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
    from ._fake_quantization import to_integers

    if use_qat:
        raise LatheValueError("graphs of quantized training have no passes of their own", "relay-pass-argument",
                              "help: use_qat=False")
    return _over_functions("FakeQuantizationToInteger", lambda func: to_integers(func, hard_fail))


def LazyGradientInit():
    """Drops zeros and ones that gradients begin with: `x + 0` and `x * 1`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> made = relay.transform.LazyGradientInit()(relay.zeros_like(x) + x * relay.ones_like(x))
        >>> made["main"].body.name_hint
        'x'
    """
    return _over_functions("LazyGradientInit", _without_fillers)


_FILLERS = {"zeros": 0, "zeros_like": 0, "ones": 1, "ones_like": 1}


def _without_fillers(func):
    func.checked_type
    made, values = {}, {}  # id of a new expression -> the number that all its elements are
    for item in post_order(func):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if isinstance(item, _e.Call) and isinstance(item.op, _e.Op):
            name = item.op.name
            if name in _FILLERS:
                values[id(new)] = _FILLERS[name]
            elif name in ("add", "multiply"):
                new = _absorbed(name, item, new, values)
        made[id(item)] = new
    return made[id(func)]


def _absorbed(name, item, new, values):
    """A sum or product without an operand of zeros or ones, if the other has the result's type."""
    neutral = 0 if name == "add" else 1
    for mine, other in ((0, 1), (1, 0)):
        known = values.get(id(new.args[mine]))
        if known == neutral and item.args[other].checked_type == item.checked_type:
            return new.args[other]
    # A product with zeros stays: 0 * infinity is no number.
    return new
