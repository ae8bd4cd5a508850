"""The shapes of weights: an operator knows them by its data and attributes.

So a variable without a type, used as a weight, gets its type there, as in
`relay.nn.conv2d(x, relay.var("w"), channels=64, kernel_size=(3, 3))`.
"""

from .. import _nodes
from ..error import LatheError


def complete(op, args, attrs):
    """Sets the types of the arguments that are variables without a type, if `op` says them."""
    rule = _RULES.get(op)
    if rule is None or all(arg._type is not None for arg in args):
        return
    try:
        data = args[0].checked_type
    except LatheError:
        return  # the data has no type yet, either
    if type(data).__name__ != "TensorType":
        return
    for arg, shape in zip(args[1:], rule(list(data.shape), attrs, len(args) - 1)):
        if shape is not None and arg._type is None and hasattr(arg, "name_hint"):
            arg._type = _nodes.CLASSES["TensorType"](shape, data.dtype)


def _channel(shape, attrs, count, default=1):
    axis = attrs.get("axis", default)
    if not -len(shape) <= axis < len(shape):
        return [None] * count
    return [(shape[axis],)] * count


def _dense(shape, attrs, count):
    units = attrs.get("units")
    return [(units, shape[-1]) if units is not None and shape else None]


def _conv(spatial, transposed=False):
    def rule(shape, attrs, count):
        channels, kernel = attrs.get("channels"), attrs.get("kernel_size")
        letters = "DHW"[3 - spatial:] if spatial > 1 else "W"
        layout = attrs.get("data_layout") or "NC" + letters
        if channels is None or kernel is None or len(shape) != len(layout) or "C" not in layout:
            return [None]
        sizes = (kernel,) * spatial if isinstance(kernel, int) else tuple(kernel)
        groups, given = attrs.get("groups", 1), shape[layout.index("C")]
        if len(sizes) != spatial or not hasattr(given, "value"):
            return [None]
        extents = dict(zip(letters, sizes))
        if transposed:
            extents.update(I=given.value, O=channels // groups)
            order = attrs.get("kernel_layout") or "IO" + letters
        else:
            extents.update(O=channels, I=given.value // groups)
            order = attrs.get("kernel_layout") or "OI" + letters
        if set(order) != set(extents):
            return [None]
        return [tuple(extents[letter] for letter in order)]

    return rule


_RULES = {
    "nn.dense": _dense,
    "nn.bias_add": _channel, "nn.batch_norm": _channel, "nn.instance_norm": _channel,
    "nn.group_norm": _channel, "nn.prelu": _channel,
    "nn.layer_norm": lambda shape, attrs, count: _channel(shape, attrs, count, -1),
    "nn.conv1d": _conv(1), "nn.conv2d": _conv(2), "nn.conv3d": _conv(3),
    "nn.conv1d_transpose": _conv(1, True), "nn.conv2d_transpose": _conv(2, True),
    "nn.conv3d_transpose": _conv(3, True),
}
