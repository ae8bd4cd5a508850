"""MXNet's operators of elements, sums and shapes."""

import math

from .. import expr as _e
from .. import nn
from .. import op as _op
from ._mxnet_operators import expm1, log1p, operator, shape_of, softrelu


def _dtype(expr):
    return expr.checked_type.dtype


def _one(*names):
    """A decorator for functions of one expression."""
    def add(function):
        operator(*names)(lambda inputs, attrs: function(inputs[0]))
        return function

    return add


for _name in ("exp", "log", "sqrt", "rsqrt", "abs", "negative", "sigmoid", "tanh", "sin", "cos", "tan", "floor", "ceil",
              "trunc", "sign", "erf", "log2", "log10", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh",
              "atanh"):
    _theirs = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
               "atanh": "arctanh"}.get(_name, _name)
    _one(_theirs)(getattr(_op, _name))

_one("relu")(nn.relu)
_one("softrelu")(softrelu)
_one("square")(lambda x: x * x)
_one("reciprocal")(lambda x: _e.const(1.0, _dtype(x)) / x)
_one("log1p")(log1p)
_one("expm1")(expm1)
_one("softsign")(lambda x: x / (_op.abs(x) + 1.0))
_one("fix")(_op.trunc)
_one("rint")(lambda x: _op.ceil(x - 0.5))  # a half goes to the lower integer
_one("round")(lambda x: _op.sign(x) * _op.floor(_op.abs(x) + 0.5))  # a half goes away from 0
_one("ones_like")(_op.ones_like)
_one("zeros_like")(_op.zeros_like)
_one("Flatten", "flatten")(nn.batch_flatten)
_one("logical_not")(lambda x: _op.cast(_op.equal(x, _e.const(0, _dtype(x))), _dtype(x)))
_one("_contrib_div_sqrt_dim")(lambda x: x / math.sqrt(shape_of(x)[-1]))


def _compared(function):
    """Comparisons give numbers of the operands' element type."""
    return lambda a, b: _op.cast(function(a, b), _dtype(a))


def _logical(function):
    return lambda a, b: _op.cast(function(*[_op.not_equal(one, _e.const(0, _dtype(one))) for one in (a, b)]), _dtype(a))


_BINARY = {
    "add": _op.add, "sub": _op.subtract, "mul": _op.multiply, "div": _op.divide, "mod": _op.floor_mod,
    "power": _op.power, "maximum": _op.maximum, "minimum": _op.minimum,
    "hypot": lambda a, b: _op.sqrt(a * a + b * b),
    "equal": _compared(_op.equal), "not_equal": _compared(_op.not_equal), "greater": _compared(_op.greater),
    "greater_equal": _compared(_op.greater_equal), "lesser": _compared(_op.less),
    "lesser_equal": _compared(_op.less_equal), "logical_and": _logical(_op.logical_and),
    "logical_or": _logical(_op.logical_or), "logical_xor": _logical(_op.logical_xor),
}
_SPELLINGS = {"add": ("plus",), "sub": ("minus",), "power": ("pow",)}


def _add_binary(name, function):
    spelled = (name, *_SPELLINGS.get(name, ()))
    both = lambda inputs, attrs: function(*inputs)
    operator(*(prefix + one for one in spelled for prefix in ("broadcast_", "elemwise_", "_")))(both)
    operator("_" + name.capitalize(), *("_" + one.capitalize() for one in spelled))(both)

    def number(inputs, attrs):
        return _e.const(attrs.value("scalar"), _dtype(inputs[0]))

    operator(*(f"_{one}_scalar" for one in spelled), *(f"_{one.capitalize()}Scalar" for one in spelled))(
        lambda inputs, attrs: function(inputs[0], number(inputs, attrs)))
    operator(*(f"_r{one}_scalar" for one in spelled), *(f"_R{one.capitalize()}Scalar" for one in spelled))(
        lambda inputs, attrs: function(number(inputs, attrs), inputs[0]))


for _name, _function in _BINARY.items():
    _add_binary(_name, _function)


@operator("add_n", "ElementWiseSum")
def _sum_of_all(inputs, attrs):
    made = inputs[0]
    for one in inputs[1:]:
        made = _op.add(made, one)
    return made


@operator("hard_sigmoid")
def _hard_sigmoid(inputs, attrs):
    return _op.clip(inputs[0] * attrs.value("alpha", 0.2) + attrs.value("beta", 0.5), 0.0, 1.0)


@operator("clip")
def _clip(inputs, attrs):
    return _op.clip(inputs[0], attrs.value("a_min"), attrs.value("a_max"))


@operator("Cast", "cast", "amp_cast")
def _cast(inputs, attrs):
    return _op.cast(inputs[0], attrs.text("dtype"))


# -- Sums.

def _reduction(name, function):
    def convert(inputs, attrs):
        axis = attrs.value("axis")
        axis = None if axis in (None, ()) else list(attrs.numbers("axis"))
        given = dict(axis=axis, keepdims=attrs.flag("keepdims"), exclude=attrs.flag("exclude") and axis is not None)
        made = function(inputs[0], **given)
        # MXNet has no tensors of rank 0.
        return _op.reshape(made, (1,)) if not shape_of(made) else made

    operator(*name.split())(convert)


_reduction("sum sum_axis", _op.sum)
_reduction("mean", _op.mean)
_reduction("max max_axis", _op.max)
_reduction("min min_axis", _op.min)
_reduction("prod", _op.prod)


@operator("norm")
def _norm(inputs, attrs):
    axis = attrs.value("axis")
    given = dict(axis=None if axis is None else list(attrs.numbers("axis")), keepdims=attrs.flag("keepdims"))
    order = attrs.value("ord", 2)
    if order not in (1, 2):
        raise attrs.wrong("ord", order, "1 or 2")
    x = inputs[0]
    made = _op.sum(_op.abs(x), **given) if order == 1 else _op.sqrt(_op.sum(x * x, **given))
    return _op.reshape(made, (1,)) if not shape_of(made) else made


@operator("argmax", "argmin")
def _arg(inputs, attrs):
    axis = attrs.value("axis")
    build = _op.argmax if attrs.operator == "argmax" else _op.argmin
    made = build(inputs[0], axis=None if axis is None else [axis], keepdims=attrs.flag("keepdims"))
    made = _op.cast(made, "float32")
    return _op.reshape(made, (1,)) if not shape_of(made) else made


# -- Shapes.

@operator("Reshape", "reshape")
def _reshape(inputs, attrs):
    wanted = list(attrs.numbers("shape", ()))
    given = shape_of(inputs[0])
    if attrs.flag("reverse"):
        if -4 in wanted:
            raise attrs.wrong("shape", f"{wanted} with reverse=True", "no -4, or reverse=False")
        return _op.reshape(inputs[0], _shape(wanted[::-1], given[::-1], attrs)[::-1])
    return _op.reshape(inputs[0], _shape(wanted, given, attrs))


def _shape(wanted, given, attrs):
    """The extents for MXNet's codes: 0 keeps, -1 is the rest, -2 keeps all, -3 joins, -4 parts."""
    made, codes, at = [], list(wanted), 0
    wrong = attrs.wrong("shape", tuple(wanted), f"a shape for {tuple(given)}; 0 keeps an extent, -1 is the rest, -2 "
                        "keeps all that follow, -3 joins two, -4 parts one into the two behind it")
    while codes:
        code = codes.pop(0)
        if code < -4 or at + {0: 1, -3: 2, -4: 1}.get(code, 0) > len(given) or (code == -4 and len(codes) < 2):
            raise wrong
        if code == -2:
            made += given[at:]
            at = len(given)
        elif code == -3:
            made.append(given[at] * given[at + 1])
            at += 2
        elif code == -4:
            parts, codes = codes[:2], codes[2:]
            if sorted(parts)[0] == -1 and max(parts) > 0:
                parts[parts.index(-1)] = given[at] // max(parts)
            if math.prod(parts) != given[at] or min(parts) < 0:
                raise wrong
            made += parts
            at += 1
        else:
            made.append(given[at] if code == 0 else code)
            at += 1
    if made.count(-1) == 1 and math.prod(made) != 0:
        made[made.index(-1)] = math.prod(given) // -math.prod(made)
    if -1 in made or math.prod(made) != math.prod(given):
        raise wrong
    return made


@operator("transpose")
def _transpose(inputs, attrs):
    return _op.transpose(inputs[0], axes=list(attrs.numbers("axes", ())) or None)


@operator("SwapAxis", "swapaxes")
def _swap(inputs, attrs):
    axes = list(range(len(shape_of(inputs[0]))))
    one, other = attrs.value("dim1", 0), attrs.value("dim2", 0)
    axes[one], axes[other] = axes[other], axes[one]
    return _op.transpose(inputs[0], axes=axes)


@operator("expand_dims")
def _expand(inputs, attrs):
    return _op.expand_dims(inputs[0], axis=attrs.value("axis"))


@operator("squeeze")
def _squeeze(inputs, attrs):
    axis = attrs.value("axis")
    return _op.squeeze(inputs[0], axis=None if axis is None else list(attrs.numbers("axis")))


@operator("Concat", "concat")
def _concat(inputs, attrs):
    return _op.concatenate(inputs, axis=attrs.value("dim", 1))


@operator("stack")
def _stack(inputs, attrs):
    return _op.stack(inputs, axis=attrs.value("axis", 0))


@operator("SliceChannel", "split")
def _split(inputs, attrs):
    axis, count = attrs.value("axis", 1), attrs.value("num_outputs")
    parts = list(_op.split(inputs[0], indices_or_sections=count, axis=axis)) if count > 1 else [inputs[0]]
    return [_op.squeeze(part, axis=[axis]) for part in parts] if attrs.flag("squeeze_axis") else parts


def _slice_of(x, ranges):
    """`x` within ranges: {axis: (begin, end, step)}; None: to the edge."""
    extents = shape_of(x)
    begin, end, steps = [0] * len(extents), list(extents), [1] * len(extents)
    for axis, (low, high, step) in ranges.items():
        kept = range(*slice(low, high, step).indices(extents[axis]))
        begin[axis], steps[axis] = kept.start, kept.step
        end[axis] = kept.stop if kept.step > 0 or kept.stop >= 0 else -extents[axis] - 1
    return _op.strided_slice(x, begin=begin, end=end, strides=steps)


@operator("slice", "crop")
def _slice(inputs, attrs):
    begin, end = attrs.numbers("begin"), attrs.numbers("end")
    steps = attrs.numbers("step", ()) or (None,) * len(begin)
    return _slice_of(inputs[0], {axis: one for axis, one in enumerate(zip(begin, end, steps))})


@operator("slice_axis")
def _slice_axis(inputs, attrs):
    axis = attrs.value("axis") % len(shape_of(inputs[0]))
    return _slice_of(inputs[0], {axis: (attrs.value("begin"), attrs.value("end"), None)})


@operator("slice_like")
def _slice_like(inputs, attrs):
    wanted = shape_of(inputs[1])
    axes = [axis % len(wanted) for axis in attrs.numbers("axes", ())] or range(len(wanted))
    return _slice_of(inputs[0], {axis: (0, wanted[axis], None) for axis in axes})


@operator("tile")
def _tile(inputs, attrs):
    return _op.tile(inputs[0], reps=list(attrs.numbers("reps")))


@operator("repeat")
def _repeat(inputs, attrs):
    axis, x = attrs.value("axis"), inputs[0]
    if axis is None:
        axis, x = 0, _op.reshape(x, (math.prod(shape_of(x)),))
    return _op.repeat(x, attrs.value("repeats"), axis=axis)


@operator("reverse", "flip")
def _reverse(inputs, attrs):
    made = inputs[0]
    for axis in attrs.numbers("axis"):
        made = _op.reverse(made, axis=axis)
    return made


@operator("pad", "Pad")
def _pad(inputs, attrs):
    width, mode = attrs.numbers("pad_width"), attrs.text("mode", choices=["constant", "edge", "reflect"])
    pairs = tuple(zip(width[::2], width[1::2]))
    return nn.pad(inputs[0], pad_width=pairs, pad_value=attrs.value("constant_value", 0.0), pad_mode=mode)


@operator("where")
def _where(inputs, attrs):
    condition, x, y = inputs
    rank = len(shape_of(x))
    if len(shape_of(condition)) == 1 < rank:  # it chooses rows
        condition = _op.reshape(condition, (shape_of(condition)[0], *[1] * (rank - 1)))
    return _op.where(_op.not_equal(condition, _e.const(0, _dtype(condition))), x, y)


@operator("take")
def _take(inputs, attrs):
    mode = attrs.text("mode", "clip", ["clip", "wrap"])
    return _op.take(inputs[0], _op.cast(inputs[1], "int32"), axis=attrs.value("axis", 0), mode=mode)


@operator("one_hot")
def _one_hot(inputs, attrs):
    dtype = attrs.text("dtype", "float32")
    values = [_e.const(attrs.value(key, default), dtype) for key, default in (("on_value", 1.0), ("off_value", 0.0))]
    return _op.one_hot(_op.cast(inputs[0], "int32"), *values, depth=attrs.value("depth"), axis=-1, dtype=dtype)


@operator("broadcast_to")
def _broadcast_to(inputs, attrs):
    wanted = [old if new == 0 else new for new, old in zip(attrs.numbers("shape"), shape_of(inputs[0]))]
    return _op.broadcast_to(inputs[0], shape=wanted)


@operator("broadcast_axis", "broadcast_axes")
def _broadcast_axis(inputs, attrs):
    extents = shape_of(inputs[0])
    for axis, size in zip(attrs.numbers("axis", ()), attrs.numbers("size", ())):
        extents[axis] = size
    return _op.broadcast_to(inputs[0], shape=extents)


@operator("broadcast_like")
def _broadcast_like(inputs, attrs):
    if attrs.value("lhs_axes") is not None:
        raise attrs.wrong("lhs_axes", attrs.given["lhs_axes"], "None: all axes")
    return _op.broadcast_to(inputs[0], shape=shape_of(inputs[1]))


@operator("_zeros", "_ones", "_full")
def _full(inputs, attrs):
    value = {"_zeros": 0.0, "_ones": 1.0}.get(attrs.operator, attrs.value("value"))
    dtype = attrs.text("dtype", "float32")
    return _op.full(_e.const(value, dtype), shape=attrs.numbers("shape"), dtype=dtype)


@operator("_arange")
def _arange(inputs, attrs):
    if attrs.flag("infer_range"):
        raise attrs.wrong("infer_range", True, "False: `stop` says where it ends")
    start, stop, dtype = attrs.value("start", 0), attrs.value("stop"), attrs.text("dtype", "float32")
    start, stop = (0, start) if stop is None else (start, stop)
    made = _op.arange(*[_e.const(one, dtype) for one in (start, stop, attrs.value("step", 1.0))], dtype=dtype)
    repeat = attrs.value("repeat", 1)
    return made if repeat == 1 else _op.repeat(made, repeat, axis=0)


@operator("depth_to_space", "space_to_depth")
def _blocks(inputs, attrs):
    build = nn.depth_to_space if attrs.operator == "depth_to_space" else nn.space_to_depth
    return build(inputs[0], block_size=attrs.value("block_size"))
