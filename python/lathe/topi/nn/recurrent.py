"""Recurrent networks."""

from ... import te, tir
from ...error import LatheValueError


def _check(inputs, outputs, hidden, Wi, Wh, Bi, Bh, proj):
    wanted = {"Wi": (Wi, (4 * hidden, inputs)), "Wh": (Wh, (4 * hidden, outputs if proj is not None else hidden)),
              "Bi": (Bi, (4 * hidden,)), "Bh": (Bh, (4 * hidden,)), "proj": (proj, (outputs, hidden))}
    for name, (one, shape) in wanted.items():
        if one is not None and tuple(one.shape) != shape:
            raise LatheValueError("the gates' weights do not fit", "topi-argument",
                                  f"expected: {name} of {shape}, for rows of four gates\nfound: {tuple(one.shape)}")


def lstm(Xs, Wi, Wh, Bi=None, Bh=None, h_init=None, c_init=None, proj=None, p_i=None, p_f=None, p_o=None,
         f_act=tir.sigmoid, g_act=tir.tanh, h_act=tir.tanh, reverse=False, weight_layout="IFGO"):
    """A long short-term memory, one step after the other.

    Args:
        Xs: a tensor (steps, batch, inputs).
        Wi: a tensor (4 hidden, inputs): the gates' weights of inputs.
        Wh: a tensor (4 hidden, outputs): the gates' weights of the last step's output. There are as many outputs as
            hidden elements, or with `proj` as it has rows.
        Bi, Bh: tensors (4 hidden,), added to both products, or None.
        h_init: a tensor (batch, outputs), the output before the first step; None: zeros.
        c_init: a tensor (batch, hidden), the memory before the first step; None: zeros.
        proj: a tensor (outputs, hidden): the output is a product with it; or None.
        p_i, p_f, p_o: tensors (batch, hidden), the weights of the memory in the input, forget and output gate (the
            latter sees the new memory), or None.
        f_act, g_act, h_act: functions of expressions: of the gates, of the new memory, and of the memory in the output.
        reverse: does the last element of `Xs` come first?
        weight_layout: the order of the gates: input, forget, new memory ("G"), output.

    Returns:
        Two tensors: outputs (steps, batch, outputs) and memories (steps, batch, hidden), in the order of the steps.

    Raises:
        LatheError: `topi-argument`: another order of gates, or weights that do not fit each other.

    Example:
        >>> from lathe import te, topi
        >>> x, wi, wh = te.placeholder((5, 2, 3)), te.placeholder((16, 3)), te.placeholder((16, 4))
        >>> [one.shape for one in topi.nn.lstm(x, wi, wh)]
        [(5, 2, 4), (5, 2, 4)]
    """
    if sorted(weight_layout) != sorted("IFGO"):
        raise LatheValueError("these are not the gates of a memory", "topi-argument",
                              f'expected: the letters of "IFGO" in any order\nfound: {weight_layout!r}')
    (steps, batch, inputs), outputs, dtype = Xs.shape, Wh.shape[1], Xs.dtype
    hidden, zero = Wi.shape[0] // 4, tir.const(0, dtype)
    _check(inputs, outputs, hidden, Wi, Wh, Bi, Bh, proj)
    # Row 0 of the states is what there was before the first step.
    h = te.placeholder((steps + 1, batch, outputs), dtype, name="output")
    c = te.placeholder((steps + 1, batch, hidden), dtype, name="memory")
    first_h, first_c = (te.compute((1, batch, width), lambda _, i, j, one=one: zero if one is None else one[i, j],
                                   name=name)
                        for one, width, name in ((h_init, outputs, "first_output"), (c_init, hidden, "first_memory")))
    k, m = te.reduce_axis((0, inputs), "k"), te.reduce_axis((0, outputs), "m")
    # The products of inputs do not depend on other steps.
    of_inputs = te.compute((steps, batch, 4 * hidden), lambda t, i, j: te.sum(
        Xs[steps - 1 - t if reverse else t, i, k] * Wi[j, k], axis=k), name="of_inputs")
    of_outputs = te.compute((steps + 1, batch, 4 * hidden), lambda t, i, j: te.sum(h[t - 1, i, m] * Wh[j, m], axis=m),
                            name="of_outputs")

    def gate(letter, t, i, j):
        row = weight_layout.index(letter) * hidden + j
        made = of_inputs[t - 1, i, row] + of_outputs[t, i, row]
        for bias in (Bi, Bh):
            made = made if bias is None else made + bias[row]
        return made

    def seen(weight, memory, i, j):
        return zero if weight is None else weight[i, j] * memory

    def remembered(t, i, j):
        before = c[t - 1, i, j]
        kept = f_act(gate("F", t, i, j) + seen(p_f, before, i, j)) * before
        return kept + f_act(gate("I", t, i, j) + seen(p_i, before, i, j)) * g_act(gate("G", t, i, j))

    next_c = te.compute((steps + 1, batch, hidden), remembered, name="next_memory")
    next_h = te.compute((steps + 1, batch, hidden), lambda t, i, j: f_act(
        gate("O", t, i, j) + seen(p_o, next_c[t, i, j], i, j)) * h_act(next_c[t, i, j]), name="next_output")
    if proj is not None:
        n, full = te.reduce_axis((0, hidden), "n"), next_h
        next_h = te.compute((steps + 1, batch, outputs), lambda t, i, j: te.sum(full[t, i, n] * proj[j, n], axis=n),
                            name="projected")
    all_h, all_c = te.scan([first_h, first_c], [next_h, next_c], [h, c], name="lstm")
    return [te.compute((steps, batch, width), lambda t, i, j, one=one: one[t + 1, i, j], name=name)
            for one, width, name in ((all_h, outputs, "outputs"), (all_c, hidden, "memories"))]
