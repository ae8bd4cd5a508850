"""Parts of graphs that compute in floating point between quantized tensors, computed in integers.

`qnn.quantize(f(qnn.dequantize(x)))` becomes f on integers, for the operators here. A value in such a
part is a tensor of integers with a scale, a zero point and the axis of its channels.
"""

from ..error import LatheError
from . import _operators, _rebuild
from . import expr as _e
from .analysis import post_order


def _op(name):
    return _operators.builder(name)


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
    found, seen, real = [], set(), False
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
            real = True
        elif isinstance(item, (_e.Tuple, _e.TupleGetItem)) or isinstance(item, _e.Call) and isinstance(item.op, _e.Op):
            parts = item.args if isinstance(item, _e.Call) else item.fields if isinstance(item, _e.Tuple) else \
                [item.tuple_value]
            if not parts:
                return None
            work.append((item, True))
            work += [(part, False) for part in reversed(parts)]
        elif not isinstance(item, _e.Constant):
            return None
    return found if real else None


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
        self._known = {id(old): Affine(arg.args[0], arg.args[1], arg.args[2], arg.attrs["axis"], old.checked_type.dtype)
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

    def result(self):
        """The integers that `qnn.quantize` gives."""
        for item in [*self._leaves(), *region(self.quantize)]:
            self.known[id(item)] = self._value(item)
        found = self.need(self.quantize.args[0])
        return self.requantized(found, self.out).data

    def _leaves(self):
        inner = {id(item) for item in region(self.quantize)}
        return [item for item in post_order(self.quantize.args[0])
                if is_call(item, "qnn.dequantize") and id(item) not in inner]

    def _value(self, item):
        if is_call(item, "qnn.dequantize"):
            data = item.args[0]
            return Affine(self.now(data), item.args[1], item.args[2], item.attrs["axis"], data.checked_type.dtype)
        if isinstance(item, _e.Tuple):
            return [self.need(field) for field in item.fields]
        if isinstance(item, _e.TupleGetItem):
            return self.known[id(item.tuple_value)][item.index]
        rule = _RULES.get(item.op.name)
        if rule is None:
            raise _Unsupported(f"{item.op.name}")
        return rule(self, item)

    def need(self, item):
        """The integers of an operand."""
        found = self.known.get(id(item))
        if found is None and isinstance(item, _e.Constant):
            return None
        if not isinstance(found, Affine):
            raise _Unsupported(f"{getattr(item, 'op', type(item).__name__)}")
        return found

    def operand(self, item, wanted):
        """An operand with the meaning of `wanted`: constants are quantized so."""
        found = self.need(item)
        if found is not None:
            return self.requantized(found, wanted)
        data = _op("qnn.quantize")(item, wanted.scale, wanted.zero, axis=wanted.axis, out_dtype=wanted.dtype)
        return wanted.like(data)

    @staticmethod
    def requantized(found, wanted):
        """Integers with the meaning of `wanted`."""
        same = found.dtype == wanted.dtype and found.axis == wanted.axis and \
            all(_equal(a, b) for a, b in ((found.scale, wanted.scale), (found.zero, wanted.zero)))
        if same:
            return found
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
    if x is None or not x.one_scale:
        raise _Unsupported(f"{call.op.name} of channels with scales of their own")
    made = _e.Call(call.op, [x.data, *map(part.now, call.args[1:])], _operators.changed_attrs(call.op.name, call.attrs))
    return x.like(made)


def _relu(part, call):
    x = part.need(call.args[0])
    if not x.one_scale:
        if not _equal(x.zero, _e.const(0, x.zero.checked_type.dtype)):
            raise _Unsupported("nn.relu of channels with zero points of their own")
    return x.like(_op("maximum")(x.data, _op("cast")(x.zero, dtype=x.dtype)))


def _clip(part, call):
    x = part.need(call.args[0])
    if not x.one_scale or not isinstance(x.scale, _e.Constant) or not isinstance(x.zero, _e.Constant):
        raise _Unsupported("clip of numbers whose scale is not known")
    scale, zero = float(x.scale.data.numpy()), int(x.zero.data.numpy())
    ends = [round(call.attrs[key] / scale) + zero for key in ("a_min", "a_max")]
    return x.like(_op("clip")(x.data, float(ends[0]), float(ends[1])))


def _pad(part, call):
    x = part.need(call.args[0])
    value = call.args[1] if len(call.args) > 1 else _e.const(0.0)
    if not x.one_scale:
        raise _Unsupported("nn.pad of channels with scales of their own")
    border = part.operand(value, x).data
    attrs = _operators.changed_attrs(call.op.name, call.attrs)
    return x.like(_e.Call(call.op, [x.data, border], attrs))


def _wide(part, call):
    """Averages: computed in int32 and rounded, with the same scale."""
    x = part.need(call.args[0])
    if not x.one_scale:
        raise _Unsupported(f"{call.op.name} of channels with scales of their own")
    wide = _op("cast")(x.data, dtype="float32")
    attrs = _operators.changed_attrs(call.op.name, call.attrs)
    centred = _op("subtract")(wide, _op("cast")(x.zero, dtype="float32"))
    made = _op("add")(_op("round")(_e.Call(call.op, [centred], attrs)), _op("cast")(x.zero, dtype="float32"))
    return x.like(_op("cast")(made, dtype=x.dtype))


def _product(name, channels):
    def rule(part, call):
        x, w = part.need(call.args[0]), part.need(call.args[1])
        if x is None or w is None or not x.one_scale:
            raise _Unsupported(f"{call.op.name} of an operand that is not quantized")
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
    bias = part.need(call.args[1])
    axis = call.attrs["axis"]
    if x.dtype != "int32" or not _equal(x.zero, _e.const(0, "int32")):
        raise _Unsupported("nn.bias_add of what is no product")
    wanted = Affine(None, x.scale, x.zero, 0, "int32")
    if bias is None:
        bias = part.operand(call.args[1], wanted)
    elif not (_equal(bias.scale, x.scale) and bias.dtype == "int32"):
        bias = part.requantized(Affine(bias.data, bias.scale, bias.zero, 0, bias.dtype), wanted)
    return x.like(_op("nn.bias_add")(x.data, bias.data, axis=axis))


def _arithmetic(name):
    def rule(part, call):
        sides = [part.need(arg) for arg in call.args]
        out = part.out
        dtype = out.dtype
        for i, one in enumerate(sides):
            if one is None:  # a constant in the scale of the result
                sides[i] = part.operand(call.args[i], out)
            elif one.dtype != dtype:
                sides[i] = part.requantized(one, out)
        a, b = sides
        if not (a.one_scale and b.one_scale and out.one_scale):
            raise _Unsupported(f"{call.op.name} of channels with scales of their own")
        build = getattr(__import__("lathe.relay.qnn.op", fromlist=["op"]), name)
        return out.like(build(a.data, b.data, a.scale, a.zero, b.scale, b.zero, out.scale, out.zero))

    return rule


def _concatenate(part, call):
    sides = part.known[id(call.args[0])] if len(call.args) == 1 and isinstance(call.args[0], _e.Tuple) else \
        [part.need(arg) for arg in call.args]
    items = call.args[0].fields if len(call.args) == 1 and isinstance(call.args[0], _e.Tuple) else call.args
    sides = [part.operand(item, part.out) for item, _ in zip(items, sides)]
    return part.out.like(_op("concatenate")([one.data for one in sides], axis=call.attrs["axis"]))


_RULES = {name: _same for name in (
    "reshape", "transpose", "squeeze", "expand_dims", "strided_slice", "nn.batch_flatten", "nn.max_pool2d", "reverse",
    "nn.depth_to_space", "nn.space_to_depth", "max", "min", "tile", "repeat", "broadcast_to", "layout_transform")}
_RULES.update({"nn.relu": _relu, "clip": _clip, "nn.pad": _pad, "nn.bias_add": _bias_add, "concatenate": _concatenate})
_RULES.update({name: _wide for name in ("nn.avg_pool2d", "nn.global_avg_pool2d", "nn.adaptive_avg_pool2d", "mean")})
_RULES["nn.conv2d"] = _product("qnn.conv2d", lambda call: call.attrs["data_layout"].index("C"))
_RULES["nn.dense"] = _product("qnn.dense", lambda call: len(call.checked_type.shape) - 1)
_RULES.update({"add": _arithmetic("add"), "subtract": _arithmetic("subtract"), "multiply": _arithmetic("mul")})
