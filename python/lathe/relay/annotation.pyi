"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

def compiler_begin(data: Any, compiler: Any) -> Any:
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

def compiler_end(data: Any, compiler: Any) -> Any:
    """Marks `data` as a result of a part of the graph that another code generator takes.

    Args:
        data: an expression. Of a tuple, each field is marked.
        compiler: the code generator's name.

    Example:
        >>> from lathe import relay
        >>> relay.annotation.compiler_end(relay.var("x", shape=(2,)), "npu").op
        Op(annotation.compiler_end)
    """

def device_name(device: Any) -> Any:
    """The name of a device as graphs have it: "opencl", or "opencl:1" for another than the first.

    Args:
        device: a Device, its number (`device_type`), or a text.

    Example:
        >>> import lathe
        >>> from lathe.relay.annotation import device_name
        >>> device_name(lathe.device("opencl", 1)), device_name("cl"), device_name(1)
        ('opencl:1', 'opencl', 'cpu')
    """

def on_device(body: Any, device: Any, constrain_result: Any = ..., constrain_body: Any = ...) -> Any:
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

def stop_fusion(data: Any) -> Any:
    """`data`, computed apart from what reads it: the operators before and after are in different kernels.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> kernels = lambda y: str(relay.transform.FuseOps()(y)).count("primitive")
        >>> y = relay.exp(x)
        >>> kernels(relay.tanh(y)) < kernels(relay.tanh(relay.annotation.stop_fusion(y)))
        True
    """

def without_stops(func: Any) -> Any:
    """The Function without its calls of `stop_fusion`: what it computes is the same.

    Args:
        func: a Function.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.annotation.without_stops(relay.Function([x], relay.annotation.stop_fusion(x))).body.name_hint
        'x'
    """
