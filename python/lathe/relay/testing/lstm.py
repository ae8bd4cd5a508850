"""A recurrent network of one LSTM layer [Hochreiter and Schmidhuber, 1997], unrolled."""

from .. import analysis, nn, op
from ..expr import Function, var
from .init import create_workload


def lstm_cell(data, hidden, cell, num_hidden, weights):
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
    i2h_weight, i2h_bias, h2h_weight, h2h_bias = weights
    from_data = nn.bias_add(nn.dense(data, i2h_weight, units=4 * num_hidden), i2h_bias)
    from_state = nn.bias_add(nn.dense(hidden, h2h_weight, units=4 * num_hidden), h2h_bias)
    gates = from_data + from_state

    def gate(i):
        return op.strided_slice(gates, begin=(i * num_hidden,), end=((i + 1) * num_hidden,),
                                axes=(1,))

    taken, kept, shown = (op.sigmoid(gate(i)) for i in (0, 1, 3))
    cell = kept * cell + taken * op.tanh(gate(2))
    return shown * op.tanh(cell), cell


def get_net(iterations, num_hidden, batch_size=1, dtype="float32"):
    """The network as a Function: data (batch, iterations, num_hidden) -> the last hidden state.

    Example:
        >>> from lathe import relay
        >>> relay.testing.lstm.get_net(3, 8).checked_type.ret_type
        float32[1, 8]
    """
    data = var("data", shape=(batch_size, iterations, num_hidden), dtype=dtype)
    weights = [var(f"lstm_{name}") for name in ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")]
    hidden = cell = op.zeros((batch_size, num_hidden), dtype)
    for i in range(iterations):
        step = op.squeeze(op.strided_slice(data, begin=(0, i, 0),
                                           end=(batch_size, i + 1, num_hidden)), axis=(1,))
        hidden, cell = lstm_cell(step, hidden, cell, num_hidden, weights)
    return Function(analysis.free_vars(hidden), hidden)


def get_workload(iterations, num_hidden, batch_size=1, dtype="float32", seed=0):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.lstm.get_workload(2, 8)
        >>> params["lstm_i2h_weight"].shape
        (32, 8)
    """
    return create_workload(get_net(iterations, num_hidden, batch_size, dtype), seed=seed)
