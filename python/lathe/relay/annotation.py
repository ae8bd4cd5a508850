"""Annotations of graphs: where values are computed."""

import threading

from .. import _nodes
from ..error import LatheValueError
from ..runtime import device as _device
from . import expr as _e


def device_name(device):
    """The name of a device as graphs have it: "opencl", or "opencl:1" for another than the first.

    Args:
        device: a Device, its number (`device_type`), or a text.

    Example:
        >>> import lathe
        >>> from lathe.relay.annotation import device_name
        >>> device_name(lathe.device("opencl", 1)), device_name("cl"), device_name(1)
        ('opencl:1', 'opencl', 'cpu')
    """
    if isinstance(device, str):
        kind, _, slot = device.partition(":")
        if slot and not slot.isdigit():
            raise LatheValueError(f"`{device}` names no device", "relay-device",
                                  "expected: a kind, or a kind and a number: `opencl:1`")
        device = _device(kind, int(slot or 0))
    elif isinstance(device, int):
        device = _device(device, 0)
    return device.kind if device.device_id == 0 else f"{device.kind}:{device.device_id}"


def on_device(body, device, constrain_result=False, constrain_body=True):
    """`body`, computed on a device.

    What `body` is computed from is computed there as well, up to other annotations. What reads it
    elsewhere gets a copy. `relay.build` needs a target for the device.

    Args:
        body: an expression.
        device: a Device, a target.VirtualDevice, or a text: "opencl", "opencl:1", "cpu". A number counts the devices of
            one kind in the order in which the executor gets them: `lib["default"](cpu, cl0, cl1)`.
        constrain_result: without effect: what needs the result elsewhere gets a copy.
        constrain_body: False: nothing is annotated.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> y = relay.annotation.on_device(relay.exp(x), "opencl")
        >>> lib = relay.build(relay.Function([x], relay.tanh(y)),
        ...                   {"cpu": "llvm", "opencl": "opencl"})
    """
    if getattr(device, "memory_scope", ""):
        raise LatheValueError("a value of a graph has no memory scope", "relay-device",
                              f"found: {device}\nhelp: target.VirtualDevice(device) without `memory_scope`")
    name = device_name(getattr(device, "device", device))
    if constrain_body:
        return _e.Call(_e.Op("on_device"), [_e.as_expr(body, "`body` of on_device")],
                       {"device": name})
    return _e.as_expr(body, "`body` of on_device")


_STOP = "annotation.stop_fusion"
_registering = threading.Lock()


def stop_fusion(data):
    """`data`, computed apart from what reads it: the operators before and after are in different kernels.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> kernels = lambda y: str(relay.transform.FuseOps()(y)).count("primitive")
        >>> y = relay.exp(x)
        >>> kernels(relay.tanh(y)) < kernels(relay.tanh(relay.annotation.stop_fusion(y)))
        True
    """
    from . import op

    def copied(tensors, attrs):
        from .. import te

        return te.compute(tensors[0].shape, lambda *i: tensors[0](*i), name="stop_fusion")

    with _registering:
        if _STOP not in op.list_op_names():
            op.register_op(_STOP, ["data"], type=lambda types, attrs: types[0], compute=copied,
                           doc="The data, in a kernel of its own.")
    return _e.Call(_e.Op(_STOP), [_e.as_expr(data, "`data` of stop_fusion")])


def without_stops(func):
    """The Function without its calls of `stop_fusion`: what it computes is the same.

    Args:
        func: a Function.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.annotation.without_stops(relay.Function([x], relay.annotation.stop_fusion(x))).body.name_hint
        'x'
    """
    from . import _rebuild
    from .analysis import post_order

    made = {}
    for item in post_order(func):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        stop = isinstance(item, _e.Call) and isinstance(item.op, _e.Op) and item.op.name == _STOP
        made[id(item)] = new.args[0] if stop else new
    return made[id(func)]


def compiler_begin(data, compiler):
    """Marks `data` as what a part of the graph reads that another code generator takes.

    `relay.transform.PartitionGraph` makes a function of each part between such marks. Marks that
    nobody uses have no effect.

    Args:
        data: an expression. Of a tuple, each field is marked.
        compiler: the code generator's name.

    Example:
        >>> from lathe import relay
        >>> relay.annotation.compiler_begin(relay.var("x", shape=(2,)), "npu").attrs.compiler
        'npu'
    """
    return _marked("annotation.compiler_begin", _e.as_expr(data, "`data` of compiler_begin"), compiler)


def compiler_end(data, compiler):
    """Marks `data` as a result of a part of the graph that another code generator takes.

    Args:
        data: an expression. Of a tuple, each field is marked.
        compiler: the code generator's name.

    Example:
        >>> from lathe import relay
        >>> relay.annotation.compiler_end(relay.var("x", shape=(2,)), "npu").op
        Op(annotation.compiler_end)
    """
    return _marked("annotation.compiler_end", _e.as_expr(data, "`data` of compiler_end"), compiler)


def _marked(mark, data, compiler):
    if isinstance(data, _e.Tuple):
        return _e.Tuple([_marked(mark, field, compiler) for field in data.fields])
    if isinstance(data._type, _nodes.CLASSES["TupleType"]):
        return _e.Tuple([_marked(mark, _typed(_e.TupleGetItem(data, i), field), compiler)
                         for i, field in enumerate(data._type.fields)])
    return _typed(_e.Call(_e.Op(mark), [data], {"compiler": str(compiler)}), data._type)


def _typed(expr, known):
    expr._type = known
    return expr
