"""Builders whose extents may be expressions: they make the form of the operator in relay.dyn."""

import numpy as np

from . import expr as _e

# operator -> its dynamic form, and the attributes that are inputs there.
_FORMS = {
    "reshape": ("dyn.reshape", ["newshape"]),
    "broadcast_to": ("dyn.broadcast_to", ["shape"]),
    "full": ("dyn.full", ["shape"]),
    "zeros": ("dyn.full", ["shape"]),
    "ones": ("dyn.full", ["shape"]),
    "tile": ("dyn.tile", ["reps"]),
    "topk": ("dyn.topk", ["k"]),
    "one_hot": ("dyn.one_hot", ["depth"]),
    "arange": ("dyn.arange", ["start", "stop", "step"]),
    "strided_slice": ("dyn.strided_slice", ["begin", "end", "strides"]),
    "nn.pad": ("dyn.nn.pad", ["pad_width"]),
    "squeeze": ("dyn.squeeze", ["axis"]),
}


def _is_expr(value):
    return isinstance(value, _e.Expr)


def made_of(name, given, builder):
    """The call of the dynamic form of an operator, or None if no extent is an expression.

    Args:
        name: the operator.
        given: {parameter: value}.
        builder: gives the builder of an operator by its name.
    """
    form, inputs = _FORMS.get(name, (None, ()))
    if not any(_is_expr(given.get(key)) for key in inputs):
        return None
    rest = dict(given)
    dtype = rest.get("dtype")
    if name in ("zeros", "ones"):
        rest = {"fill_value": _e.const(int(name == "ones"), dtype), "shape": given["shape"]}
    if name == "arange":
        dtype = rest.pop("dtype", None) or "float32"
        if rest.get("stop") is None:
            rest["stop"] = rest.pop("start")
        rest = {"start": 0, "step": 1, **rest}
    returned = rest.pop("ret_type", "both")
    for key in inputs:
        value = rest.get(key)
        if value is None:
            rest.pop(key, None)
        elif _is_expr(value):
            if name == "arange" and value.checked_type.dtype != dtype:
                rest[key] = builder("cast")(value, dtype=dtype)
        else:
            rest[key] = _e.const(np.asarray(value, dtype if name == "arange" else "int64"))
    if rest.pop("slice_mode", "end") != "end":
        from ..error import LatheValueError

        raise LatheValueError("slices by size have bounds that are numbers", "relay-fixed-argument",
                              'help: give `end` and slice_mode="end"')
    rest.pop("allowzero", None)
    call = builder(form)(**rest)
    return call if returned == "both" else call[("values", "indices").index(returned)]
