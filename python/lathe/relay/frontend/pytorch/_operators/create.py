"""New tensors."""

from .....error import LatheValueError
from .... import op as _op
from .. import _values as _v
from .._importer import flat
from .._registry import operator, operators
from .shapes import extents_of


def _dtype(a, default="float32"):
    return _v.dtype_name(a.dtype, default)


def _like(a):
    return _dtype(a, _v.dtype_of(a[0]))


operators({
    "zeros empty": lambda a: _v.full(extents_of(a[0]), 0, _dtype(a)),
    "empty_strided empty_permuted": lambda a: _v.full(extents_of(a[0]), 0, _dtype(a)),
    "ones": lambda a: _v.full(extents_of(a[0]), 1, _dtype(a)),
    "full": lambda a: _v.full(extents_of(a[0]), a.fill_value, _dtype(a, _of_number(a.fill_value))),
    "zeros_like empty_like": lambda a: _v.full(_v.shape_of(a[0]), 0, _like(a)),
    "ones_like": lambda a: _v.full(_v.shape_of(a[0]), 1, _like(a)),
    "full_like": lambda a: _v.full(_v.shape_of(a[0]), a.fill_value, _like(a)),
    "new_zeros new_empty new_empty_strided": lambda a: _v.full(extents_of(a[1]), 0, _like(a)),
    "new_ones": lambda a: _v.full(extents_of(a[1]), 1, _like(a)),
    "new_full": lambda a: _v.full(extents_of(a[1]), a.fill_value, _like(a)),
    "scalar_tensor": lambda a: _v.expr(a[0], _dtype(a)),
    "scalar_to_tensor tensor": lambda a: _tensor(a),
    "eye": lambda a: _op.eye(n=a[0], m=a.m if a.m is not None else -1, dtype=_dtype(a)),
    "tril_indices": lambda a: _v.expr(_v.torch().tril_indices(a[0], a[1], a[2] or 0)),
    "triu_indices": lambda a: _v.expr(_v.torch().triu_indices(a[0], a[1], a[2] or 0)),
})


def _of_number(value):
    return _v.dtype_of(value)


def _tensor(a):
    """The tensor of a number, or of lists of numbers in lists."""
    if not isinstance(a[0], (list, tuple)):
        return _v.expr(a[0], _dtype(a, _v.dtype_of(a[0])))
    numbers = list(flat(a[0]))
    dtype = _dtype(a, _v.promoted(*map(_v.expr, numbers))) if numbers else _dtype(a)
    return _stacked(a[0], dtype)


def _stacked(value, dtype):
    if not isinstance(value, (list, tuple)):
        return _v.expr(value, dtype)
    return _op.stack([_stacked(one, dtype) for one in value], axis=0) if value else \
        _v.full([0], 0, dtype)


@operator("arange")
def _arange(a):
    """The overloads are (end), (start, end) and (start, end, step)."""
    start = 0 if a.start is None else a.start
    end, step = a.end, 1 if a.step is None else a.step
    start, end, step = (int(n) if isinstance(n, bool) else n for n in (start, end, step))
    numbers = [start, end, step]
    whole = not any(isinstance(n, float) for n in numbers)
    dtype = _dtype(a, "int64" if whole else "float32")
    if all(isinstance(n, (int, float)) for n in numbers):
        torch = _v.torch()
        if not whole or (abs(end - start) < 4096 and dtype == "bool"):
            return _v.expr(torch.arange(start, end, step, dtype=getattr(torch, dtype)))
    if not all(_v.is_number(n) for n in numbers):
        raise LatheValueError("the bounds of arange are computed while the model runs",
                              "pytorch-value-needed",
                              "help: numbers, or expressions over the sizes of inputs")
    return _op.arange(start=start, stop=end, step=step, dtype=dtype)


@operator("linspace logspace")
def _linspace(a):
    torch = _v.torch()
    numbers = [_v.known_number(one, "a bound") for one in (a.start, a.end, a.steps)]
    dtype = getattr(torch, _dtype(a))
    if a.has("base"):
        return _v.expr(torch.logspace(*numbers, base=a.base, dtype=dtype))
    return _v.expr(torch.linspace(*numbers, dtype=dtype))


@operator("hann_window hamming_window blackman_window bartlett_window kaiser_window")
def _window(a):
    torch = _v.torch()
    function = getattr(torch, a._name.partition(".")[0])
    given = {"periodic": a.periodic, "dtype": getattr(torch, _dtype(a)), "alpha": a.alpha,
             "beta": a.beta}
    if "hamming" not in a._name:
        given.pop("alpha")
    if "kaiser" not in a._name or a.beta is None:
        given.pop("beta")
    return _v.expr(function(a[0], **{key: one for key, one in given.items() if one is not None}))
