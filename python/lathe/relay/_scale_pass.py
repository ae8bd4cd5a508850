"""ForwardFoldScaleAxis: factors per channel in front of a layer go into its weights."""

from . import _operators
from . import expr as _e
from ._operators import builder as _op
from .dataflow_pattern import DFPatternCallback, is_constant, is_op, wildcard


class Forward(DFPatternCallback):
    """conv2d(x * s, w) --> conv2d(x, w * s), for a constant s with a factor for each channel.

    The same for nn.dense. Padding stays right: it is 0 on both sides.
    """

    def __init__(self):
        super().__init__()
        self.x, self.scale, self.weight = wildcard(), is_constant(), wildcard()
        scaled = is_op("multiply")(self.x, self.scale)
        self.pattern = is_op("nn.conv2d")(scaled, self.weight) | is_op("nn.dense")(scaled, self.weight)

    def callback(self, pre, post, node_map):
        """The layer with other weights; the same if the factors do not belong to channels."""
        x, scale, weight = (node_map[p][0] for p in (self.x, self.scale, self.weight))
        attrs = pre.attrs
        is_dense = pre.op == _e.Op("nn.dense")
        data, kernel = ("NC", "OI") if is_dense else (attrs["data_layout"], attrs["kernel_layout"])
        if attrs.get("groups", 1) != 1 or not isinstance(scale, _e.Constant):
            return post
        shape = list(scale.checked_type.concrete_shape)
        shape = [1] * (len(data) - len(shape)) + shape
        place = data.index("C")
        if len(shape) != len(data) or any(n != 1 for i, n in enumerate(shape) if i != place):
            return post
        channels = [1] * len(kernel)
        channels[kernel.index("I")] = shape[place]
        factors = _op("reshape")(scale, newshape=channels)
        return _e.Call(pre.op, [x, _op("multiply")(weight, factors)],
                       _operators.changed_attrs(pre.op.name, attrs))
