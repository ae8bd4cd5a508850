"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.expr import var as var

def get_net(iterations: Any, num_hidden: Any, batch_size: Any = ..., dtype: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, iterations, num_hidden) -> the last hidden state.

    Example:
        >>> from lathe import relay
        >>> relay.testing.lstm.get_net(3, 8).checked_type.ret_type
        float32[1, 8]
    """

def get_workload(iterations: Any, num_hidden: Any, batch_size: Any = ..., dtype: Any = ..., seed: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.lstm.get_workload(2, 8)
        >>> params["lstm_i2h_weight"].shape
        (32, 8)
    """

def lstm_cell(data: Any, hidden: Any, cell: Any, num_hidden: Any, weights: Any) -> Any:
    """One step.

    Args:
        data, hidden, cell: expressions (batch, num_hidden).
        num_hidden: the size of the state.
        weights: the expressions i2h_weight, i2h_bias, h2h_weight, h2h_bias.

    Returns:
        (the new hidden state, the new cell).

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 4))
        >>> weights = [relay.var(name) for name in ("iw", "ib", "hw", "hb")]
        >>> hidden, cell = relay.testing.lstm.lstm_cell(x, x, x, 4, weights)
        >>> hidden.checked_type
        float32[1, 4]
    """
