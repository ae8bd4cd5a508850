"""MXNet's operators as expressions: layers. `_mxnet_elements` has those of elements and of shapes."""

import ast
import math

from ...error import LatheValueError
from .. import expr as _e
from .. import op as _op
from .. import image, nn


class Attributes:
    """The attributes of a node, which are texts in MXNet's files.

    Args:
        operator, name: of the node, for errors.
        given: {attribute: text}.
    """

    def __init__(self, operator, name, given):
        self.operator, self.name, self.given = operator, name, given

    def text(self, key, default=None, choices=None):
        """An attribute as it is written. `choices`: those that can be imported."""
        found = self.given.get(key, default)
        if found is None:
            raise self.wrong(key, "nothing", "a text")
        if choices is not None and found not in choices:
            raise self.wrong(key, found, " or ".join(map(str, choices)))
        return found

    def value(self, key, default=None):
        """A number, bool, None or tuple."""
        found = self.given.get(key)
        if found is None:
            return default
        if not isinstance(found, str):
            return found
        try:
            made = ast.literal_eval({"true": "True", "false": "False"}.get(found, found))
        except (ValueError, SyntaxError):
            raise self.wrong(key, found, "a number, True, False, None or a tuple of these") from None
        return tuple(made) if isinstance(made, list) else made

    def numbers(self, key, default=None):
        """A tuple of ints."""
        found = self.value(key, default)
        if found is None:
            raise self.wrong(key, "nothing", "whole numbers, such as (1, 2)")
        return (found,) if isinstance(found, int) else tuple(found)

    def flag(self, key, default=False):
        """A bool."""
        return bool(self.value(key, default))

    def wrong(self, key, found, expected):
        """The error for an attribute whose value cannot be imported."""
        return LatheValueError(f"attribute `{key}` of node `{self.name}` ({self.operator}) cannot be imported",
                               "mxnet-attribute", f"expected: {expected}\nfound: {found}\nhelp: change the node in the "
                               "model, or export the model as ONNX, and read it with relay.frontend.from_onnx")


class Operator:
    """How an operator is converted.

    Args:
        convert: (inputs, Attributes) -> an expression, or a list with one for each result.
        most: how many inputs are read; None: all.
    """

    def __init__(self, convert, most=None):
        self.convert, self.most = convert, most

    def reads(self, count):
        """How many of `count` inputs are read."""
        return count if self.most is None else min(count, self.most)


OPERATORS = {}


def operator(*names, most=None):
    """A decorator: the function converts the operators of these names."""
    def add(convert):
        for name in names:
            OPERATORS[name] = Operator(convert, most)
        return convert

    return add


def shape_of(expr):
    """The extents as ints."""
    return list(expr.checked_type.concrete_shape)


_ORDERS = {1: ("NCW", "OIW"), 2: ("NCHW", "OIHW"), 3: ("NCDHW", "OIDHW")}


def _layout(attrs, rank):
    """The default order of dimensions; others are refused."""
    order = _ORDERS[rank][0]
    given = attrs.given.get("layout") or order
    if given not in (order, "None"):
        raise attrs.wrong("layout", given, order)
    return order


def _window(attrs, key, rank, default):
    found = attrs.numbers(key, ())
    return found if found else (default,) * rank


def _with_bias(made, inputs, no_bias):
    return made if no_bias or len(inputs) < 3 else nn.bias_add(made, inputs[2], axis=1)


@operator("Convolution", "Convolution_v1")
def _convolution(inputs, attrs):
    kernel = attrs.numbers("kernel")
    rank = len(kernel)
    build = {1: nn.conv1d, 2: nn.conv2d, 3: nn.conv3d}[rank]
    made = build(inputs[0], inputs[1], strides=_window(attrs, "stride", rank, 1),
                 padding=_window(attrs, "pad", rank, 0), dilation=_window(attrs, "dilate", rank, 1),
                 groups=attrs.value("num_group", 1), channels=attrs.value("num_filter"), kernel_size=kernel,
                 data_layout=_layout(attrs, rank), kernel_layout=_ORDERS[rank][1])
    return _with_bias(made, inputs, attrs.flag("no_bias"))


@operator("Deconvolution")
def _deconvolution(inputs, attrs):
    kernel = attrs.numbers("kernel")
    rank = len(kernel)
    if any(attrs.numbers("target_shape", ())):
        raise attrs.wrong("target_shape", attrs.given["target_shape"], "none: `pad` and `adj` say the size")
    build = {1: nn.conv1d_transpose, 2: nn.conv2d_transpose, 3: nn.conv3d_transpose}[rank]
    made = build(inputs[0], inputs[1], strides=_window(attrs, "stride", rank, 1),
                 padding=_window(attrs, "pad", rank, 0), dilation=_window(attrs, "dilate", rank, 1),
                 groups=attrs.value("num_group", 1), channels=attrs.value("num_filter"), kernel_size=kernel,
                 output_padding=_window(attrs, "adj", rank, 0), data_layout=_layout(attrs, rank))
    return _with_bias(made, inputs, attrs.flag("no_bias", True))


@operator("FullyConnected")
def _fully_connected(inputs, attrs):
    data, weight = inputs[:2]
    shape = shape_of(data)
    if attrs.flag("flatten", True):
        made = nn.dense(nn.batch_flatten(data) if len(shape) != 2 else data, weight)
    else:
        rows = _op.reshape(data, (math.prod(shape[:-1]), shape[-1]))
        made = _op.reshape(nn.dense(rows, weight), (*shape[:-1], shape_of(weight)[0]))
    if attrs.flag("no_bias") or len(inputs) < 3:
        return made
    return nn.bias_add(made, inputs[2], axis=-1)


def log1p(x):
    """log(1 + x) of an expression. What rounding takes from 1 + x is given back, so a small x keeps its digits."""
    total = x + 1.0
    kept = total - 1.0
    zero = _e.const(0.0, x.checked_type.dtype)
    exact = _op.equal(kept, x)  # also of infinity, where x / kept is no number
    made = _op.log(total) * _op.where(exact, _op.ones_like(x), x / kept)
    return _op.where(_op.equal(kept, zero), x, made)


def expm1(x):
    """exp(x) - 1 of an expression. As `log1p`: a small x keeps its digits."""
    one, half = (_e.const(value, x.checked_type.dtype) for value in (1.0, 0.5))
    power = _op.exp(x)
    small = (power - 1.0) * (x / _op.log(power))
    made = _op.where(_op.less(_op.abs(x), half), small, power - 1.0)
    return _op.where(_op.equal(power, one), x, made)


def softrelu(x):
    """log(1 + exp(x)) of an expression, without overflow."""
    return nn.relu(x) + log1p(_op.exp(_op.negative(_op.abs(x))))


_ACTIVATIONS = {"relu": nn.relu, "sigmoid": _op.sigmoid, "tanh": _op.tanh, "softrelu": softrelu,
                "softsign": lambda x: x / (_op.abs(x) + 1.0)}


@operator("Activation")
def _activation(inputs, attrs):
    return _ACTIVATIONS[attrs.text("act_type", choices=list(_ACTIVATIONS))](inputs[0])


@operator("LeakyReLU")
def _leaky_relu(inputs, attrs):
    kind, x = attrs.text("act_type", "leaky", ["leaky", "prelu", "elu", "selu", "gelu", "rrelu"]), inputs[0]
    slope = attrs.value("slope", 0.25)
    if kind == "leaky":
        return nn.leaky_relu(x, alpha=slope)
    if kind == "rrelu":
        return nn.leaky_relu(x, alpha=(attrs.value("lower_bound", 0.125) + attrs.value("upper_bound", 0.334)) / 2)
    if kind == "prelu":
        gamma, extents = inputs[1], shape_of(x)
        if shape_of(gamma) == [1]:
            gamma = _op.repeat(gamma, extents[1], axis=0)
        return nn.prelu(x, gamma, axis=1)
    if kind == "gelu":
        return x * (_op.erf(x * math.sqrt(0.5)) + 1.0) * 0.5
    alpha, scale = (slope, 1.0) if kind == "elu" else (1.6732632423543772, 1.0507009873554805)
    low = expm1(_op.minimum(x, _e.const(0.0, x.checked_type.dtype))) * alpha
    made = nn.relu(x) + low
    return made if kind == "elu" else made * scale


@operator("Pooling", "Pooling_v1")
def _pooling(inputs, attrs):
    x = inputs[0]
    kind, rank = attrs.text("pool_type", "max", ["max", "avg", "sum"]), len(shape_of(x)) - 2
    order = _layout(attrs, rank)
    if attrs.flag("global_pool"):
        axes = list(range(2, rank + 2))
        return {"max": _op.max, "avg": _op.mean, "sum": _op.sum}[kind](x, axis=axes, keepdims=True)
    kernel, padding = attrs.numbers("kernel"), list(_window(attrs, "pad", rank, 0))
    convention = attrs.text("pooling_convention", "valid", ["valid", "full"])
    given = dict(pool_size=kernel, strides=_window(attrs, "stride", rank, 1), padding=tuple(padding * 2), layout=order,
                 ceil_mode=convention == "full")
    if kind == "max":
        return {1: nn.max_pool1d, 2: nn.max_pool2d, 3: nn.max_pool3d}[rank](x, **given)
    counted = kind == "sum" or attrs.flag("count_include_pad", True)
    if kind == "sum" and convention == "full":
        raise attrs.wrong("pooling_convention", "full with pool_type=sum", "valid, or another `pool_type`")
    made = {1: nn.avg_pool1d, 2: nn.avg_pool2d, 3: nn.avg_pool3d}[rank](x, **given, count_include_pad=counted)
    return made * float(math.prod(kernel)) if kind == "sum" else made


@operator("_contrib_AdaptiveAvgPooling2D")
def _adaptive_average(inputs, attrs):
    size = attrs.numbers("output_size", (1, 1))
    return nn.adaptive_avg_pool2d(inputs[0], output_size=size * 2 if len(size) == 1 else size)


@operator("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm")
def _batch_norm(inputs, attrs):
    data, gamma, beta, mean, variance = inputs
    if attrs.flag("output_mean_var"):
        raise attrs.wrong("output_mean_var", True, "False: there is one result")
    made = nn.batch_norm(data, gamma, beta, mean, variance, axis=attrs.value("axis", 1),
                         epsilon=attrs.value("eps", 1e-3), scale=not attrs.flag("fix_gamma", True))
    return made[0]


@operator("InstanceNorm")
def _instance_norm(inputs, attrs):
    return nn.instance_norm(*inputs, axis=1, epsilon=attrs.value("eps", 1e-3))


@operator("LayerNorm")
def _layer_norm(inputs, attrs):
    data, gamma, beta = inputs
    rank = len(shape_of(data))
    axis, epsilon = attrs.value("axis", -1) % rank, attrs.value("eps", 1e-5)
    if axis == rank - 1:
        return nn.layer_norm(data, gamma, beta, axis=-1, epsilon=epsilon)
    turned = [*range(axis), *range(axis + 1, rank), axis]
    made = nn.layer_norm(_op.transpose(data, turned), gamma, beta, axis=-1, epsilon=epsilon)
    return _op.transpose(made, [turned.index(i) for i in range(rank)])


@operator("GroupNorm")
def _group_norm(inputs, attrs):
    data, groups = inputs[0], attrs.value("num_groups", 1)
    # A factor and a shift for each group.
    each = shape_of(data)[1] // groups
    gamma, beta = (one if shape_of(one)[0] != groups else _op.repeat(one, each, axis=0) for one in inputs[1:])
    return nn.group_norm(data, gamma, beta, num_groups=groups, axis=1, epsilon=attrs.value("eps", 1e-5))


@operator("L2Normalization")
def _l2_normalization(inputs, attrs):
    rank = len(shape_of(inputs[0]))
    axes = {"instance": list(range(1, rank)), "channel": [1], "spatial": list(range(2, rank))}
    axis = axes[attrs.text("mode", "instance", list(axes))]
    squares = _op.sum(inputs[0] * inputs[0], axis=axis, keepdims=True)
    return inputs[0] / _op.sqrt(squares + attrs.value("eps", 1e-10))


@operator("LRN")
def _lrn(inputs, attrs):
    return nn.lrn(inputs[0], size=attrs.value("nsize"), axis=1, bias=attrs.value("knorm", 2.0),
                  alpha=attrs.value("alpha", 1e-4), beta=attrs.value("beta", 0.75))


_FLOATS = ("float16", "float32", "float64")


@operator("softmax", "log_softmax", "softmin")
def _softmax(inputs, attrs):
    if attrs.flag("use_length"):
        raise attrs.wrong("use_length", True, "False: whole rows")
    x, temperature = inputs[0], attrs.value("temperature")
    given = x.checked_type.dtype
    wanted = attrs.text("dtype", given, ["None", *_FLOATS, given])
    wanted = given if wanted == "None" else wanted
    # Computed in the wider of both.
    x = x if wanted == given or wanted == "float16" else _op.cast(x, wanted)
    x = x if temperature in (None, 1.0) else x / float(temperature)
    x = _op.negative(x) if attrs.operator == "softmin" else x
    build = nn.log_softmax if attrs.operator == "log_softmax" else nn.softmax
    made = build(x, axis=attrs.value("axis", -1))
    return made if made.checked_type.dtype == wanted else _op.cast(made, wanted)


@operator("SoftmaxActivation")
def _softmax_activation(inputs, attrs):
    if attrs.text("mode", "instance", ["instance", "channel"]) == "channel":
        return nn.softmax(inputs[0], axis=1)
    return _softmax_of_rows(inputs[0])


def _softmax_of_rows(x):
    """A row has all elements but those of the first axis."""
    shape = shape_of(x)
    return _op.reshape(nn.softmax(nn.batch_flatten(x), axis=1), shape) if len(shape) > 2 else nn.softmax(x, axis=-1)


@operator("SoftmaxOutput", "Softmax", most=1)
def _softmax_output(inputs, attrs):
    if attrs.flag("multi_output"):
        return nn.softmax(inputs[0], axis=1)
    return nn.softmax(inputs[0], axis=-1) if attrs.flag("preserve_shape") else _softmax_of_rows(inputs[0])


@operator("LogisticRegressionOutput", most=1)
def _logistic_output(inputs, attrs):
    return _op.sigmoid(inputs[0])


@operator("LinearRegressionOutput", "MAERegressionOutput", "Dropout", "BlockGrad", "identity", "_copy", "MakeLoss",
          "make_loss", "_identity_with_attr_like_rhs", most=1)
def _as_it_is(inputs, attrs):
    return inputs[0]


@operator("UpSampling")
def _up_sampling(inputs, attrs):
    if attrs.text("sample_type", choices=["nearest"]) and len(inputs) != 1:
        raise attrs.wrong("num_args", len(inputs), 1)
    scale = attrs.value("scale")
    return nn.upsampling(inputs[0], scale_h=scale, scale_w=scale, method="nearest_neighbor")


@operator("_contrib_BilinearResize2D", most=1)
def _bilinear_resize(inputs, attrs):
    attrs.text("mode", "size", ["size"])
    extents = shape_of(inputs[0])
    size = []
    for key, axis in (("height", 2), ("width", 3)):
        scale = attrs.value("scale_" + key)
        size.append(int(attrs.value(key, 1) if scale is None else extents[axis] * scale))
    method = "align_corners" if attrs.flag("align_corners", True) else "half_pixel"
    return image.resize2d(inputs[0], size=size, layout="NCHW", method="linear", coordinate_transformation_mode=method)


@operator("Embedding")
def _embedding(inputs, attrs):
    return _op.take(inputs[1], _op.cast(inputs[0], "int32"), axis=0, mode="clip")


@operator("dot")
def _dot(inputs, attrs):
    a, b = inputs
    if attrs.flag("transpose_a"):
        a = _op.transpose(a, [*range(1, len(shape_of(a))), 0])
    if attrs.flag("transpose_b"):
        b = _op.transpose(b, [len(shape_of(b)) - 1, *range(len(shape_of(b)) - 1)])
    left, right = shape_of(a), shape_of(b)
    rows, columns = math.prod(left[:-1]), math.prod(right[1:])
    made = nn.dense(_op.reshape(a, (rows, left[-1])), _op.transpose(_op.reshape(b, (right[0], columns)), (1, 0)))
    return _op.reshape(made, [*left[:-1], *right[1:]] or [1])  # MXNet has no tensors of rank 0


@operator("batch_dot", "_linalg_gemm2", "linalg_gemm2")
def _batch_dot(inputs, attrs):
    a, b = inputs
    if attrs.value("axis", -2) not in (-2, len(shape_of(a)) - 2):
        raise attrs.wrong("axis", attrs.given["axis"], "-2: matrices are the two last axes")
    shape = shape_of(a)[:-2]
    a, b = (_op.reshape(one, (math.prod(shape), *shape_of(one)[-2:])) if len(shape) != 1 else one for one in (a, b))
    if attrs.flag("transpose_a"):
        a = _op.transpose(a, (0, 2, 1))
    if not attrs.flag("transpose_b"):
        b = _op.transpose(b, (0, 2, 1))
    made = nn.batch_matmul(a, b)
    alpha = float(attrs.value("alpha", 1.0))
    made = made if alpha == 1.0 else made * alpha
    return made if len(shape) == 1 else _op.reshape(made, [*shape, *shape_of(made)[-2:]])


from . import _mxnet_elements  # noqa: E402,F401: it adds the others
