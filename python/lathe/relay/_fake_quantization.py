"""Parts of graphs that compute in floating point between quantized tensors, computed in integers.

`qnn.quantize(f(qnn.dequantize(x)))` becomes f on integers, for the operators here. A value in such a
part is a tensor of integers with a scale, a zero point and the axis of its channels.
"""

from ..error import LatheError
from . import _operators, _rebuild
from . import expr as _e
from ._operators import builder as _op
from .analysis import post_order


class Affine:
    """Integers that stand for (integer - zero point) * scale."""

    def __init__(self, data, scale, zero, axis, dtype):
        self.data, self.scale, self.zero, self.axis, self.dtype = data, scale, zero, axis, dtype

    def like(self, data, dtype=None):
        """Other integers with the same meaning."""
        return Affine(data, self.scale, self.zero, self.axis, dtype or self.dtype)

    @property
    def one_scale(self):
        """Has it one scale and one zero point for all channels?"""
        return all(not one.checked_type.shape for one in (self.scale, self.zero))


class _Unsupported(Exception):
    """An operator that has no form on integers."""


def is_call(expr, *names):
    """Is it a call of one of these operators?"""
    return isinstance(expr, _e.Call) and isinstance(expr.op, _e.Op) and expr.op.name in names


def region(quantize):
    """The calls between `qnn.quantize` and the `qnn.dequantize` that it goes back to; None if something else
    than constants and dequantized tensors comes in.

    Args:
        quantize: the call.
    """
    found = _part(quantize)
    return None if found is None else found[0]


def _part(quantize):
    """(calls between, calls of `qnn.dequantize` that they read) as of `region`."""
    found, seen, leaves = [], set(), []
    work = [(quantize.args[0], False)]
    while work:
        item, ready = work.pop()
        if ready:
            found.append(item)
            continue
        if id(item) in seen:
            continue
        seen.add(id(item))
        if is_call(item, "qnn.dequantize"):
            leaves.append(item)
        elif isinstance(item, (_e.Tuple, _e.TupleGetItem)) or isinstance(item, _e.Call) and isinstance(item.op, _e.Op):
            parts = item.args if isinstance(item, _e.Call) else item.fields if isinstance(item, _e.Tuple) else \
                [item.tuple_value]
            if not parts:
                return None
            work.append((item, True))
            work += [(part, False) for part in reversed(parts)]
        elif not isinstance(item, _e.Constant):
            return None
    return (found, leaves) if leaves else None


def to_integers(func, hard_fail):
    """The function with the parts between quantized tensors in integers.

    Args:
        func: a Function.
        hard_fail: raise for an operator that has no such form; else the part stays.
    """
    func.checked_type
    made = {}

    def now(part):
        return made.get(id(part), part)

    for item in post_order(func):
        made[id(item)] = _rebuild.with_parts(item, now)
        if not is_call(item, "qnn.quantize") or region(item) is None:
            continue
        try:
            made[id(item)] = _Region(item, now).result()
        except _Unsupported as error:
            if hard_fail:
                raise LatheError("a part between quantized tensors cannot be computed in integers",
                                 "relay-fake-quantization",
                                 f"found: {error}\nhelp: hard_fail=False leaves such parts as they are",
                                 where=item.span) from None
    return made[id(func)]


def layers_to_integers(func):
    """The function with products of two dequantized tensors as dequantized products of integers.

    Args:
        func: a Function.
    """
    func.checked_type
    made = {}
    for item in post_order(func):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if is_call(item, "nn.conv2d", "nn.dense") and all(is_call(arg, "qnn.dequantize") for arg in new.args):
            try:
                found = _RULES[item.op.name](_Layer(item, new), item)
                new = _op("qnn.dequantize")(found.data, found.scale, found.zero, axis=found.axis)
            except _Unsupported:
                pass
        made[id(item)] = new
    return made[id(func)]


class _Layer:
    """The operands of one call, in the form that the rules ask for."""

    def __init__(self, item, new):
        self._known = {id(old): Affine(arg.args[0], arg.args[1], arg.args[2], arg.attrs["axis"],
                                       arg.args[0].checked_type.dtype)
                       for old, arg in zip(item.args, new.args)}

    def need(self, item):
        return self._known[id(item)]


class _Region:
    """One part: `now` gives what stands for an expression outside of it."""

    def __init__(self, quantize, now):
        self.quantize, self.now, self.known = quantize, now, {}
        scale, zero = quantize.args[1:]
        attrs = quantize.attrs
        self.out = Affine(None, scale, zero, attrs["axis"], attrs["out_dtype"])
        self.calls, self.leaves = _part(quantize)
        self._inner = set()  # ids of what is computed further from, so that limits of the result are not its own
        for item in reversed(self.calls):
            if id(item) in self._inner or not (isinstance(item, (_e.Tuple, _e.TupleGetItem))
                                               or item.op.name in _MONOTONE):
                self._inner.update(map(id, item.args if isinstance(item, _e.Call) else getattr(
                    item, "fields", None) or [item.tuple_value]))

    def is_final(self, call):
        """Can a value have the limits of the result?"""
        return id(call) not in self._inner

    def wide(self):
        """int32 in which sums are computed: parts of the steps of the result, without its limits."""
        if not self.out.one_scale:
            raise _Unsupported("a result whose channels have scales of their own")
        scale = _op("multiply")(self.out.scale, _e.const(1.0 / 256, "float32"))
        return Affine(None, _folded(scale), _e.const(0, "int32"), -1, "int32")

    def result(self):
        """The integers that `qnn.quantize` gives."""
        for item in [*self.leaves, *self.calls]:
            self.known[id(item)] = self._value(item)
        found = self.need(self.quantize.args[0])
        return self.requantized(found, self.out).data

    def _value(self, item):
        if is_call(item, "qnn.dequantize"):
            data = item.args[0]
            return Affine(self.now(data), item.args[1], item.args[2], item.attrs["axis"], data.checked_type.dtype)
        if isinstance(item, _e.Tuple):
            return [self.known.get(id(field)) for field in item.fields]
        if isinstance(item, _e.TupleGetItem):
            found = self.known.get(id(item.tuple_value))
            if not isinstance(found, list):
                raise _Unsupported("a field of what is no tuple of quantized tensors")
            return found[item.index]
        rule = _RULES.get(item.op.name)
        if rule is None:
            raise _Unsupported(f"{item.op.name}")
        return rule(self, item)

    def need(self, item):
        """The integers of an operand that is no constant."""
        found = self.known.get(id(item))
        if not isinstance(found, Affine):
            raise _Unsupported(f"{getattr(item, 'op', type(item).__name__)}")
        return found

    def operand(self, item, wanted):
        """An operand with the meaning of `wanted`: constants are quantized so."""
        if not isinstance(item, _e.Constant):
            return self.requantized(self.need(item), wanted)
        data = _op("qnn.quantize")(item, wanted.scale, wanted.zero, axis=wanted.axis, out_dtype=wanted.dtype)
        return wanted.like(data)

    @staticmethod
    def requantized(found, wanted):
        """Integers with the meaning of `wanted`."""
        same = found.dtype == wanted.dtype and found.axis == wanted.axis and \
            all(_equal(a, b) for a, b in ((found.scale, wanted.scale), (found.zero, wanted.zero)))
        if same:
            return found
        if not found.one_scale and not wanted.one_scale:
            raise _Unsupported("channels that get other scales of their own")
        axis = found.axis if not found.one_scale else wanted.axis
        return wanted.like(_op("qnn.requantize")(found.data, found.scale, found.zero, wanted.scale, wanted.zero,
                                                 axis=axis, out_dtype=wanted.dtype))


def _equal(a, b):
    if a is b:
        return True
    if isinstance(a, _e.Constant) and isinstance(b, _e.Constant):
        a, b = a.data.numpy(), b.data.numpy()
        return a.shape == b.shape and a.dtype == b.dtype and bool((a == b).all())
    return False


# -- Rules: (region, call) -> Affine, or a list of them.

def _same(part, call):
    """Operators that move or select elements: the same on integers."""
    x = part.need(call.args[0])
    if not x.one_scale:
        raise _Unsupported(f"{call.op.name} of channels with scales of their own")
    made = _e.Call(call.op, [x.data, *map(part.now, call.args[1:])], _operators.changed_attrs(call.op.name, call.attrs))
    return x.like(made)


def _relu(part, call):
    x = part.need(call.args[0])
    if not x.one_scale:
        if not _equal(x.zero, _e.const(0, x.zero.checked_type.dtype)):
            raise _Unsupported("nn.relu of channels with zero points of their own")
    return x.like(_op("maximum")(x.data, _op("cast")(x.zero, dtype=x.dtype)))


def _limits(x):
    if x.dtype not in _LIMITS:
        raise _Unsupported(f"a limit of numbers of type {x.dtype}")
    return _LIMITS[x.dtype]


def _clip(part, call):
    x = part.need(call.args[0])
    if not x.one_scale or not isinstance(x.scale, _e.Constant) or not isinstance(x.zero, _e.Constant):
        raise _Unsupported("clip of numbers whose scale is not known")
    scale, zero = float(x.scale.data.numpy()), int(x.zero.data.numpy())
    least, most = _limits(x)
    ends = [min(max(call.attrs[key] / scale + zero, least), most) for key in ("a_min", "a_max")]
    if any(end != end for end in ends):
        raise _Unsupported("clip to what is no number")
    return x.like(_op("clip")(x.data, float(round(ends[0])), float(round(ends[1]))))


def _pad(part, call):
    x = part.need(call.args[0])
    value = call.args[1] if len(call.args) > 1 else _e.const(0.0)
    if not x.one_scale:
        raise _Unsupported("nn.pad of channels with scales of their own")
    if not isinstance(value, _e.Constant):
        raise _Unsupported("nn.pad with a value that is not known")
    if float(value.data.numpy()) != 0:
        if not isinstance(x.scale, _e.Constant) or not isinstance(x.zero, _e.Constant):
            raise _Unsupported("nn.pad of numbers whose scale is not known")
        least, most = _limits(x)
        if not least <= float(value.data.numpy()) / float(x.scale.data.numpy()) + int(x.zero.data.numpy()) <= most:
            raise _Unsupported("nn.pad with a value that the data's element type does not have")
    border = part.operand(value, x).data
    attrs = _operators.changed_attrs(call.op.name, call.attrs)
    return x.like(_e.Call(call.op, [x.data, border], attrs))


def _wide(part, call):
    """Averages: computed in float32 and rounded, with the same scale."""
    x = part.need(call.args[0])
    if not x.one_scale:
        raise _Unsupported(f"{call.op.name} of channels with scales of their own")
    wide = _op("cast")(x.data, dtype="float32")
    attrs = _operators.changed_attrs(call.op.name, call.attrs)
    centred = _op("subtract")(wide, _op("cast")(x.zero, dtype="float32"))
    made = _op("add")(_op("round")(_e.Call(call.op, [centred], attrs)), _op("cast")(x.zero, dtype="float32"))
    return x.like(_op("cast")(made, dtype=x.dtype))


def _product(name, channels, outer):
    def rule(part, call):
        x, w = part.need(call.args[0]), part.need(call.args[1])
        if not x.one_scale:
            raise _Unsupported(f"{call.op.name} of channels with scales of their own")
        if x.dtype not in _SMALL or w.dtype not in _SMALL:
            raise _Unsupported(f"{call.op.name} of sums that are not quantized again")
        if not w.one_scale:
            rank, count = len(call.args[1].checked_type.shape), str(call.checked_type.shape[channels(call)])
            sizes = [[str(n) for n in one.checked_type.shape] for one in (w.scale, w.zero)]
            if w.axis % rank != outer(call) or any(one not in ([], [count]) for one in sizes):
                raise _Unsupported(f"{call.op.name} of weights with scales along another axis than that of the result")
        attrs = _operators.changed_attrs(call.op.name, call.attrs, "out_dtype")
        known = _operators.defaults(name)
        args = [x.data, w.data, x.zero, w.zero, x.scale, w.scale]
        made = _e.Call(_e.Op(name), args, {key: value for key, value in attrs.items() if key in known})
        scale = _op("multiply")(x.scale, w.scale)
        zero = _e.const(0, "int32")
        return Affine(made, _folded(scale), zero, channels(call), "int32")

    return rule


def _folded(scale):
    from .transform import FoldConstantExpr

    return FoldConstantExpr(scale)


def _bias_add(part, call):
    x = part.need(call.args[0])
    axis, rank = call.attrs["axis"], len(call.checked_type.shape)
    if not x.one_scale and axis % rank != x.axis % rank:
        raise _Unsupported("nn.bias_add along another axis than that of the scales")
    if x.dtype != "int32" or not _equal(x.zero, _e.const(0, "int32")):
        raise _Unsupported("nn.bias_add of what is no product")
    wanted = Affine(None, x.scale, x.zero, 0, "int32")
    bias = None if isinstance(call.args[1], _e.Constant) else part.need(call.args[1])
    if bias is None:
        bias = part.operand(call.args[1], wanted)
    elif not (_equal(bias.scale, x.scale) and _equal(bias.zero, x.zero) and bias.dtype == "int32"):
        bias = part.requantized(Affine(bias.data, bias.scale, bias.zero, 0, bias.dtype), wanted)
    return x.like(_op("nn.bias_add")(x.data, bias.data, axis=axis))


def _sum(part, call):
    wanted = part.wide()
    a, b = (part.operand(arg, wanted) for arg in call.args)
    return wanted.like(_op(call.op.name)(a.data, b.data))


def _multiply(part, call):
    for x, factor in (call.args, call.args[::-1]):
        if isinstance(factor, _e.Constant) and not factor.checked_type.shape and float(factor.data.numpy()) > 0:
            x = part.need(x)
            scale = _folded(_op("multiply")(x.scale, factor))
            return Affine(x.data, scale, x.zero, x.axis, x.dtype)
    sides = [_constant(arg) if isinstance(arg, _e.Constant) else part.need(arg) for arg in call.args]
    if any(one.dtype not in _SMALL or not one.one_scale for one in sides):
        raise _Unsupported("multiply of sums, or of channels with scales of their own")
    centred = [_op("subtract")(_op("cast")(one.data, dtype="int32"), _op("cast")(one.zero, dtype="int32"))
               for one in sides]
    scale = _folded(_op("multiply")(sides[0].scale, sides[1].scale))
    return Affine(_op("multiply")(*centred), scale, _e.const(0, "int32"), -1, "int32")


def _constant(item):
    """A constant as int8, with a scale of its own."""
    import numpy as np

    numbers = item.data.numpy()
    scale = float(np.abs(numbers).max(initial=0)) / 127 or 1.0
    if not np.isfinite(scale):
        raise _Unsupported("a constant that is not finite")
    return Affine(_e.const(np.round(numbers / scale).astype("int8")), _e.const(scale, "float32"), _e.const(0, "int32"),
                  -1, "int8")


def _concatenate(part, call):
    packed = len(call.args) == 1 and isinstance(call.args[0], _e.Tuple)
    items = call.args[0].fields if packed else call.args
    wanted = part.out if part.is_final(call) else part.wide()
    if not wanted.one_scale:
        raise _Unsupported("concatenate to channels with scales of their own")
    sides = [part.operand(item, wanted) for item in items]
    return wanted.like(_op("concatenate")([one.data for one in sides], axis=call.attrs["axis"]))


_RULES = {name: _same for name in (
    "reshape", "transpose", "squeeze", "expand_dims", "strided_slice", "nn.batch_flatten", "nn.max_pool2d", "reverse",
    "nn.depth_to_space", "nn.space_to_depth", "max", "min", "tile", "repeat", "broadcast_to", "layout_transform")}
_RULES.update({"nn.relu": _relu, "clip": _clip, "nn.pad": _pad, "nn.bias_add": _bias_add, "concatenate": _concatenate})
_RULES.update({name: _wide for name in ("nn.avg_pool2d", "nn.global_avg_pool2d", "nn.adaptive_avg_pool2d", "mean")})
_RULES["nn.conv2d"] = _product("qnn.conv2d", lambda call: call.attrs["data_layout"].index("C"),
                               lambda call: call.attrs["kernel_layout"].index("O"))
_RULES["nn.dense"] = _product("qnn.dense", lambda call: len(call.checked_type.shape) - 1, lambda call: 0)
_RULES.update({"add": _sum, "subtract": _sum, "multiply": _multiply})
_MONOTONE = {name for name, rule in _RULES.items() if rule is _same} | {"nn.relu", "clip", "nn.pad", "concatenate"}
_SMALL = ("int8", "uint8")
_LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int32": (-2147483520, 2147483520)}  # numbers that float32 has
