"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.testing.init import refused as refused
from lathe.relay.expr import var as var

def get_net(batch_size: Any, random_len: Any = ..., oshape: Any = ..., ngf: Any = ..., code: Any = ..., layout: Any = ..., dtype: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, random_len) -> images (batch, 3, 64, 64).

    Args:
        oshape: channels, height and width of the image; 64 rows and columns.
        ngf: the channels of the last inner layer.
        code: an expression instead of the variable `data`.
        layout: must be "NCHW"; `relay.transform.ConvertLayout` changes layouts.

    Raises:
        LatheError: `testing-network`: another layout, or another size.

    Example:
        >>> from lathe import relay
        >>> relay.testing.dcgan.get_net(1, ngf=8).checked_type.ret_type
        float32[1, 3, 64, 64]
    """

def get_workload(batch_size: Any, oshape: Any = ..., ngf: Any = ..., random_len: Any = ..., layout: Any = ..., dtype: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.dcgan.get_workload(1, ngf=8)
        >>> params["g2_weight"].shape
        (64, 32, 4, 4)
    """
