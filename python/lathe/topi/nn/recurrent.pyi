"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe import te as te
from lathe import tir as tir

def lstm(Xs: Any, Wi: Any, Wh: Any, Bi: Any = ..., Bh: Any = ..., h_init: Any = ..., c_init: Any = ..., proj: Any = ..., p_i: Any = ..., p_f: Any = ..., p_o: Any = ..., f_act: Any = ..., g_act: Any = ..., h_act: Any = ..., reverse: Any = ..., weight_layout: Any = ...) -> Any:
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
