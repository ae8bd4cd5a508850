"""Attention, rotary embeddings, recurrent networks, transforms of signals."""

import itertools
import math

import numpy as np

from comparison import Table, random
from comparison import torch as T

table = Table()

# -- Attention.


def attention(q, k, v, mask=None, scale=0.0, is_causal=False):
    repeats = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, repeats, 1), np.repeat(v, repeats, 1)
    scores = np.einsum("nhqd,nhkd->nhqk", q, k) * (scale or 1 / math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("nhqk,nhkd->nhqd", e / e.sum(-1, keepdims=True), v)


def torch_attention(q, k, v, mask=None, scale=0.0, is_causal=False):
    return T.nn.functional.scaled_dot_product_attention(
        q, k, v, mask, 0.0, is_causal, scale=scale or None, enable_gqa=True)


SEEN = random(5, 7, dtype=bool)
SEEN[:, 0] = True
for heads in (4, 2, 1):
    args = [random(2, 4, 5, 8), random(2, heads, 7, 8), random(2, heads, 7, 6)]
    for mask in (None, random(5, 7), random(2, 1, 5, 7), random(4, 1, 7), SEEN):
        table.add("nn.attention", attention, args + [mask], torch=torch_attention, rtol=1e-4)
    table.add("nn.attention", attention, args, is_causal=True, torch=torch_attention, rtol=1e-4)
    table.add("nn.attention", attention, args, scale=0.3, torch=torch_attention, rtol=1e-4)
table.add("nn.attention", attention, [random(1, 2, 6, 8), random(1, 2, 6, 8), random(1, 2, 6, 8)],
          is_causal=True, torch=torch_attention, rtol=1e-4)
table.add("nn.causal_mask", lambda x: np.where(np.tri(*x.shape[-2:], dtype=bool), x, -np.inf),
          [random(2, 5, 7)])
table.add("nn.causal_mask", lambda x: np.where(np.tri(*x.shape[-2:], dtype=bool), x, -np.inf),
          [random(7, 5, dtype="float16")])


def rotary_embedding(x, cos, sin, positions=None, interleaved=False, rotary_dim=0):
    d = rotary_dim or x.shape[-1]
    if positions is not None:
        cos, sin = cos[positions], sin[positions]
    cos, sin = (a if a.ndim == 2 else a[:, None] for a in (cos, sin))
    y = x.copy()
    first = slice(0, d, 2) if interleaved else slice(0, d // 2)
    second = slice(1, d, 2) if interleaved else slice(d // 2, d)
    a, b = x[..., first], x[..., second]
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y


ANGLES = random(9, 4)
for interleaved, dim in itertools.product((False, True), (0, 6)):
    half = (dim or 8) // 2
    cos, sin = np.cos(ANGLES[:, :half]), np.sin(ANGLES[:, :half])
    x = random(2, 3, 5, 8)
    attrs = {"interleaved": interleaved, "rotary_dim": dim}
    table.add("nn.rotary_embedding", rotary_embedding, [x, cos[:5], sin[:5]], **attrs)
    for places in ("int32", "int64"):
        positions = random(2, 5, dtype=places, low=0, high=9)
        table.add("nn.rotary_embedding", rotary_embedding, [x, cos, sin, positions], **attrs)
    table.add("nn.rotary_embedding", rotary_embedding,
              [x, random(2, 5, half), random(2, 5, half, seed=1)], **attrs)

# -- Recurrent networks, step by step.


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, w, r, b, state):
    h, c = state
    gates = x @ w.T + h @ r.T + sum(np.split(b, 2))
    i, o, f, g = np.split(gates, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_step(x, w, r, b, state, linear_before_reset):
    h, = state
    (wz, wr, wh), (rz, rr, rh) = np.split(w, 3), np.split(r, 3)
    (bz, br, bh), (cz, cr, ch) = (np.split(part, 3) for part in np.split(b, 2))
    z = sigmoid(x @ wz.T + h @ rz.T + bz + cz)
    reset = sigmoid(x @ wr.T + h @ rr.T + br + cr)
    if linear_before_reset:
        new = np.tanh(x @ wh.T + reset * (h @ rh.T + ch) + bh)
    else:
        new = np.tanh(x @ wh.T + (reset * h) @ rh.T + bh + ch)
    return (1 - z) * new + z * h,


def rnn_step(x, w, r, b, state, activation):
    function = {"tanh": np.tanh, "relu": lambda x: np.maximum(x, 0)}[activation]
    return function(x @ w.T + state[0] @ r.T + sum(np.split(b, 2))),


def recurrent(step, states, gates, **defaults):
    """`states`: how many tensors a step carries."""
    def call(x, w, r, b=None, *initial, direction="forward", panel=0, **attrs):
        attrs = {**defaults, **attrs}
        if panel:
            w, r = (np.swapaxes(m, 2, 3).reshape(len(m), -1, m.shape[2]) for m in (w, r))
        directions, hidden = w.shape[0], r.shape[2]
        b = np.zeros((directions, 2 * gates * hidden)) if b is None else b
        initial = list(initial) + [None] * (states - len(initial))
        every, last = [], []
        for d in range(directions):
            backwards = direction == "reverse" or d == 1
            state = [np.zeros((x.shape[1], hidden)) if s is None else s[d] for s in initial]
            outs = np.zeros((len(x), x.shape[1], hidden))
            for t in reversed(range(len(x))) if backwards else range(len(x)):
                state = step(x[t], w[d], r[d], b[d], state, **attrs)
                outs[t] = state[0]
            every.append(outs)
            last.append(state)
        return [np.stack(every, 1)] + [np.stack([s[i] for s in last]) for i in range(states)]
    return call


def torch_recurrent(name, order):
    """`order`: of PyTorch's gates, the numbers of ours."""
    def call(x, w, r, b, *initial, direction="forward", linear_before_reset=None,
             activation="tanh"):
        directions, hidden = w.shape[0], r.shape[2]
        kind = {"nonlinearity": activation} if name == "RNN" else {}
        net = getattr(T.nn, name)(x.shape[2], hidden, bidirectional=directions == 2, **kind)
        for d in range(directions):
            def gates(a):
                parts = a.reshape(len(order), hidden, *a.shape[1:])
                return T.nn.Parameter(parts[list(order)].reshape(a.shape))

            end = "_l0" + ("_reverse" if d else "")
            setattr(net, "weight_ih" + end, gates(w[d]))
            setattr(net, "weight_hh" + end, gates(r[d]))
            setattr(net, "bias_ih" + end, gates(b[d][:len(b[d]) // 2]))
            setattr(net, "bias_hh" + end, gates(b[d][len(b[d]) // 2:]))
        with T.no_grad():
            every, state = net(x, tuple(initial) if name == "LSTM" else initial[0])
        every = every.reshape(len(x), x.shape[1], directions, hidden).transpose(1, 2)
        return [every.contiguous(), *(state if name == "LSTM" else [state])]
    return call


for op, step, states, gates, name, order, variants in (
        ("nn.lstm", lstm_step, 2, 4, "LSTM", (0, 2, 3, 1), ({},)),
        ("nn.gru", gru_step, 1, 3, "GRU", (1, 0, 2), ({"linear_before_reset": True},
                                                      {"linear_before_reset": False})),
        ("nn.rnn", rnn_step, 1, 1, "RNN", (0,), ({"activation": "tanh"}, {"activation": "relu"}))):
    for attrs in variants:
        reference = recurrent(step, states, gates)
        other = None if attrs.get("linear_before_reset") is False else torch_recurrent(name, order)
        for direction, directions in (("forward", 1), ("reverse", 1), ("bidirectional", 2)):
            args = [random(5, 2, 4), random(directions, gates * 3, 4, low=-1, high=1),
                    random(directions, gates * 3, 3, low=-1, high=1)]
            more = [random(directions, gates * 6)] + [random(directions, 2, 3, seed=i)
                                                      for i in range(states)]
            table.add(op, reference, args + more, direction=direction, rtol=1e-4,
                      torch=None if direction == "reverse" else other, **attrs)
            table.add(op, reference, args, direction=direction, rtol=1e-4, **attrs)
            table.add(op, reference, args + more[:1], direction=direction, rtol=1e-4, **attrs)
            panels = [np.ascontiguousarray(np.swapaxes(m.reshape(directions, gates, 3, -1), 2, 3)) for m in args[1:]]
            table.add(op, reference, args[:1] + panels + more, direction=direction, rtol=1e-4, panel=3, **attrs)
    defaults = {"nn.gru": {"linear_before_reset": False}, "nn.rnn": {"activation": "tanh"}}
    table.add(op, recurrent(step, states, gates, **defaults.get(op, {})), args, rtol=1e-4,
              direction="bidirectional")

# -- Signals.


def dft(x, axis=1, inverse=False, onesided=False):
    axis %= x.ndim
    z = x[..., 0] + (1j * x[..., 1] if x.shape[-1] == 2 else 0)
    z = (np.fft.ifft if inverse else np.fft.fft)(z, axis=axis)
    if onesided:
        z = np.take(z, range(x.shape[axis] // 2 + 1), axis)
    return np.stack([z.real, z.imag], -1)


for inverse, parts in itertools.product((False, True), (1, 2)):
    for shape, axis in (((2, 8, parts), 1), ((7, 3, parts), 0), ((2, 3, 9, parts), 2)):
        for onesided in (False, True):
            table.add("dft", dft, [random(*shape)], axis=axis, inverse=inverse, onesided=onesided,
                      rtol=1e-4)
table.add("dft", dft, [random(2, 5, 2)])
table.add("dft", dft, [random(2, 5, 3, 2)], axis=-2, rtol=1e-4)
for axis in (0, 1):
    table.add("idft", lambda x, axis: dft(x, axis, inverse=True), [random(6, 7, 2)], axis=axis,
              rtol=1e-4)
table.add("idft", lambda x: dft(x, inverse=True), [random(2, 5, 1)], rtol=1e-4)


def stft(x, window=None, n_fft=0, hop_length=0, win_length=0, normalized=False, onesided=True):
    hop, length = hop_length or n_fft // 4, win_length or n_fft
    window = np.ones(length) if window is None else window
    left = (n_fft - length) // 2
    window = np.pad(window, (left, n_fft - length - left))
    frames = np.stack([x[..., m:m + n_fft] for m in range(0, x.shape[-1] - n_fft + 1, hop)], -1)
    y = np.fft.fft(frames * window[:, None], axis=-2)
    y = y[..., :n_fft // 2 + 1, :] if onesided else y
    y = y / np.sqrt(n_fft) if normalized else y
    return np.stack([y.real, y.imag], -1)


def torch_stft(x, window=None, n_fft=0, hop_length=0, win_length=0, **attrs):
    y = T.stft(x, n_fft, hop_length or None, win_length or None, window, center=False,
               return_complex=True, **attrs)
    return T.view_as_real(y).contiguous()


SIGNAL = random(2, 40)
for attrs in ({"n_fft": 8}, {"n_fft": 8, "hop_length": 3}, {"n_fft": 7, "hop_length": 5},
              {"n_fft": 8, "onesided": False}, {"n_fft": 16, "normalized": True}):
    for x in (SIGNAL, SIGNAL[0]):
        table.add("stft", stft, [x], torch=torch_stft, rtol=1e-4, **attrs)
        table.add("stft", stft, [x, random(attrs["n_fft"], seed=1)], torch=torch_stft, rtol=1e-4,
                  **attrs)
for length in (5, 6):
    table.add("stft", stft, [SIGNAL, random(length, seed=1)], n_fft=8, win_length=length,
              hop_length=4, torch=torch_stft, rtol=1e-4)
WINDOWS = {"hann_window": (0.5, 0.5, 0), "hamming_window": (25 / 46, 21 / 46, 0),
           "blackman_window": (0.42, 0.5, 0.08)}
for op, (a, b, c) in WINDOWS.items():
    for size, periodic, dtype in ((8, True, "float32"), (9, False, "float64"), (1, True, "float32")):
        def window(size, periodic=True, dtype="float32", a=a, b=b, c=c):
            if size == 1:
                return np.ones(1, dtype)
            angle = 2 * np.pi * np.arange(size) / (size if periodic else size - 1)
            return (a - b * np.cos(angle) + c * np.cos(2 * angle)).astype(dtype)

        def torch_window(size, periodic=True, dtype="float32", op=op):
            more = (25 / 46, 21 / 46) if op == "hamming_window" else ()
            return getattr(T, op)(size, periodic, *more, dtype=getattr(T, dtype))

        table.add(op, window, [], size=size, periodic=periodic, dtype=dtype, result=dtype,
                  torch=torch_window, rtol=1e-6)
    table.add(op, window, [], size=6)

test_numpy, test_torch = table.tests()
