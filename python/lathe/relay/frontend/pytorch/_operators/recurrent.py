"""Recurrent networks."""

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operator


def _ordered(weight, order, hidden):
    """The gates of PyTorch's weight in the order of the operator."""
    if order is None:
        return weight
    parts = [_op.strided_slice(weight, begin=[i * hidden], end=[(i + 1) * hidden], axes=[0])
             for i in order]
    return _op.concatenate(parts, axis=0)


def _weights(params, directions, biased, order, hidden):
    """(W, R, bias) of one layer, each with the directions in front."""
    size = 4 if biased else 2
    found = []
    for i in range(directions):
        one = [_ordered(_v.expr(p), order, hidden) for p in params[i * size:(i + 1) * size]]
        found.append((one[0], one[1], _op.concatenate(one[2:4], axis=0) if biased else None))
    weight, again = (_op.stack([one[k] for one in found], axis=0) for k in (0, 1))
    bias = _op.stack([one[2] for one in found], axis=0) if biased else \
        _v.full([directions, 2 * _v.shape_of(again)[1]], 0, _v.dtype_of(weight))
    return weight, again, bias


def _read(a, states):
    """The arguments of aten::lstm.input, gru.input, rnn_tanh.input."""
    if a.has("batch_sizes") or a.has("data"):
        raise LatheValueError("packed sequences are not supported", "pytorch-value",
                              "help: give the model padded sequences")
    if a.train and a.dropout:
        raise LatheValueError("dropout of a model in training is random", "pytorch-training",
                              "help: model.eval() before the model is traced")
    x = _v.expr(a.input)
    if a.batch_first:
        x = _op.transpose(x, axes=[1, 0, 2])
    return x, [_v.expr(one) for one in states]


def _layers(a, states, order, run):
    x, states = _read(a, states)
    directions = 2 if a.bidirectional else 1
    layers = int(a.num_layers)
    hidden = _v.shape_of(states[0])[-1]
    each = (4 if a.has_biases else 2) * directions
    if len(a.params) != each * layers:
        raise LatheValueError("recurrent layers with projections are not supported",
                              "pytorch-value")
    last = [[] for _ in states]
    for layer in range(layers):
        weights = _weights(a.params[layer * each:(layer + 1) * each], directions,
                           bool(a.has_biases), order, hidden)
        begin = [_op.strided_slice(one, begin=[layer * directions], end=[(layer + 1) * directions],
                                   axes=[0]) for one in states]
        outputs = run(x, weights, begin, "bidirectional" if directions == 2 else "forward")
        y = _op.transpose(outputs[0], axes=[0, 2, 1, 3])  # [steps, n, directions, hidden]
        steps, n = _v.shape_of(y)[:2]
        x = _op.reshape(y, newshape=[steps, n, directions * hidden])
        for found, one in zip(last, outputs[1:]):
            found.append(one)
    if a.batch_first:
        x = _op.transpose(x, axes=[1, 0, 2])
    return (x, *[one[0] if len(one) == 1 else _op.concatenate(one, axis=0) for one in last])


def _results(call, count):
    return list(call)[:count] if not hasattr(call, "checked_type") or \
        type(call).__name__ == "TupleWrapper" else [call[i] for i in range(count)]


@operator("lstm")
def _lstm(a):
    def run(x, weights, begin, direction):
        return _results(_nn.lstm(x, *weights, *begin, direction=direction), 3)

    # PyTorch has i f c o; the operator i o f c.
    return _layers(a, a.hx, (0, 3, 1, 2), run)


@operator("gru")
def _gru(a):
    def run(x, weights, begin, direction):
        return _results(_nn.gru(x, *weights, *begin, direction=direction,
                                linear_before_reset=True), 2)

    # PyTorch has r z n; the operator z r h.
    return _layers(a, [a.hx], (1, 0, 2), run)


@operator("rnn_tanh rnn_relu")
def _rnn(a):
    activation = a._name.partition(".")[0].removeprefix("rnn_")

    def run(x, weights, begin, direction):
        return _results(_nn.rnn(x, *weights, *begin, direction=direction, activation=activation), 2)

    return _layers(a, [a.hx], None, run)


@operator("lstm_cell")
def _lstm_cell(a):
    h, c = (_v.expr(one) for one in a.hx)
    gates = _nn.dense(_v.expr(a.input), _v.expr(a.w_ih)) + _nn.dense(h, _v.expr(a.w_hh))
    for bias in (a.b_ih, a.b_hh):
        gates = gates if bias is None else gates + _v.expr(bias)
    i, f, g, o = _op.split(gates, 4, axis=1)
    c = _op.sigmoid(f) * c + _op.sigmoid(i) * _op.tanh(g)
    return _op.sigmoid(o) * _op.tanh(c), c
