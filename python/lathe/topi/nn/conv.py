"""Convolutions.

Each function's name says the order of the data's dimensions: N batch, C channels, D depth,
H height, W width. `padding` is a number, numbers, "SAME" or "VALID" (`topi.nn.utils`).
"""

from ...error import LatheTypeError, LatheValueError
from .. import _derive
from .utils import get_pad_tuple_generic

_KERNELS = {"NCW": "OIW", "NWC": "WIO", "NCHW": "OIHW", "NHWC": "HWIO", "HWCN": "HWIO",
            "NCDHW": "OIDHW", "NDHWC": "DHWIO"}


def _number(extent):
    return int(getattr(extent, "value", extent))


def _conv(op, data, weight, stride, padding, dilation, layout, out_dtype, groups=1):
    if layout not in _KERNELS:
        raise LatheValueError(f"a convolution has no layout {layout!r}", "topi-layout",
                              "expected: " + ", ".join(_KERNELS))
    if layout == "HWCN":
        turned = _derive.apply("transpose", [data], axes=(3, 0, 1, 2))
        made = _conv(op, turned, weight, stride, padding, dilation, "NHWC", out_dtype, groups)
        return _derive.apply("transpose", [made], axes=(1, 2, 3, 0))
    kernel = _KERNELS[layout]
    for what, tensor, order in (("data", data, layout), ("the kernel", weight, kernel)):
        if len(getattr(tensor, "shape", order)) != len(order):
            raise LatheTypeError(f"{what} of a convolution has the wrong rank", "topi-operand",
                                 f"expected: {len(order)} dimensions ({order})\nfound: {list(tensor.shape)}")
    letters = [letter for letter in layout if letter in "DHW"]
    dilations = [dilation] * len(letters) if isinstance(dilation, int) else list(dilation)
    window = [(_number(weight.shape[kernel.index(letter)]) - 1) * d + 1
              for letter, d in zip(letters, dilations)]
    return _derive.apply(op, [data, weight], strides=stride,
                         padding=get_pad_tuple_generic(padding, window), dilation=dilations,
                         groups=groups, data_layout=layout, kernel_layout=kernel,
                         out_dtype=out_dtype or None)


_CONVOLUTIONS = {
    "conv1d(data, kernel, strides=1, padding='VALID', dilation=1, layout='NCW', out_dtype=None)": None,
    "conv1d_ncw(data, kernel, strides=1, padding='VALID', dilation=1, out_dtype=None)": "NCW",
    "conv1d_nwc(data, kernel, strides=1, padding='VALID', dilation=1, out_dtype=None)": "NWC",
    "group_conv1d_ncw(data, kernel, strides=1, padding='VALID', dilation=1, groups=1, "
    "out_dtype=None)": "NCW",
    "group_conv1d_nwc(data, kernel, strides=1, padding='VALID', dilation=1, groups=1, "
    "out_dtype=None)": "NWC",
    "conv2d(input, filter, strides, padding, dilation, layout='NCHW', out_dtype=None)": None,
    "conv2d_nchw(Input, Filter, stride, padding, dilation, out_dtype=None)": "NCHW",
    "conv2d_nhwc(Input, Filter, stride, padding, dilation, out_dtype=None)": "NHWC",
    "conv2d_hwcn(Input, Filter, stride, padding, dilation, out_dtype=None)": "HWCN",
    "group_conv2d_nchw(Input, Filter, stride, padding, dilation, groups, out_dtype=None)": "NCHW",
    "group_conv2d_nhwc(Input, Filter, stride, padding, dilation, groups, out_dtype=None)": "NHWC",
    "conv3d_ncdhw(Input, Filter, stride, padding, dilation, groups=1, out_dtype=None)": "NCDHW",
    "conv3d_ndhwc(Input, Filter, stride, padding, dilation, groups=1, out_dtype=None)": "NDHWC",
}


def _install():
    import inspect

    for row, layout in _CONVOLUTIONS.items():
        name, parameters = _derive._parsed(row)
        signature = inspect.Signature([
            inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for key, _, default in parameters])
        globals()[name] = _make(name, signature, layout, int(name[name.index("d") - 1])
                                if not name.startswith("group") else int(name[10]))


def _make(name, signature, layout, spatial):
    def function(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        data, weight, stride, padding, dilation = list(given.values())[:5]
        return _conv(f"nn.conv{spatial}d", data, weight, stride, padding, dilation,
                     layout or given["layout"], given["out_dtype"], given.get("groups", 1))

    used = layout or {1: "NCW", 2: "NCHW"}[spatial]
    kernel = _KERNELS[used]
    extents = {"N": 1, "C": 4, "D": 8, "H": 8, "W": 8}
    window = {"O": 6, "I": 4, "D": 3, "H": 3, "W": 3}
    data, weight = (tuple(table[letter] for letter in order)
                    for table, order in ((extents, used), (window, kernel)))
    more = ", 1" if name.startswith("group_conv2d") else ""
    if name.startswith(("group_conv1d", "conv1d")):
        call = f"{name}(te.placeholder({data}), te.placeholder({weight}))"
    else:
        call = f"{name}(te.placeholder({data}), te.placeholder({weight}), 1, 1, 1{more})"
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__signature__ = __name__, signature
    first, second = list(signature.parameters)[:2]
    function.__doc__ = "\n".join([
        f"A convolution of data in the order {used}.", "",
        "Args:", f"    {first}: a tensor {used}.", f"    {second}: a tensor {kernel}.",
        "    " + ("strides" if "strides" in signature.parameters else "stride") +
        ": elements from one window to the next: one number, or one for each dimension.",
        '    padding: zeros around the data: numbers, "SAME" or "VALID".',
        "    dilation: distance of a window's elements.",
        *["    layout: the order of the data's dimensions."] * (layout is None),
        *["    groups: groups of channels that are convolved separately."] *
        ("groups" in signature.parameters),
        "    out_dtype: the element type of sums and result.", "", "Returns:", "    A tensor.", "",
        "Example:", "    >>> from lathe import te, topi", f"    >>> y = topi.nn.{call}"])
    return function


_install()


def depthwise_conv2d_nchw(Input, Filter, stride, padding, dilation, out_dtype=None):
    """A convolution of each channel alone.

    Args:
        Input: a tensor (batch, channels, height, width).
        Filter: a tensor (channels, results of each channel, window height, window width).
        stride, padding, dilation, out_dtype: as for `conv2d_nchw`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.depthwise_conv2d_nchw(
        ...     te.placeholder((1, 4, 8, 8)), te.placeholder((4, 1, 3, 3)), 1, 1, 1).shape
        (1, 4, 8, 8)
    """
    channels, times, height, width = Filter.shape
    weight = Filter if _number(times) == 1 else _derive.apply(
        "reshape", [Filter], newshape=(channels * times, 1, height, width))
    return _conv("nn.conv2d", Input, weight, stride, padding, dilation, "NCHW", out_dtype,
                 _number(channels))


def depthwise_conv2d_nhwc(Input, Filter, stride, padding, dilation, out_dtype=None):
    """A convolution of each channel alone.

    Args:
        Input: a tensor (batch, height, width, channels).
        Filter: a tensor (window height, window width, channels, results of each channel).
        stride, padding, dilation, out_dtype: as for `conv2d_nhwc`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.depthwise_conv2d_nhwc(
        ...     te.placeholder((1, 8, 8, 4)), te.placeholder((3, 3, 4, 2)), 1, 1, 1).shape
        (1, 8, 8, 8)
    """
    height, width, channels, times = Filter.shape
    weight = _derive.apply("reshape", [Filter], newshape=(height, width, 1, channels * times))
    return _conv("nn.conv2d", Input, weight, stride, padding, dilation, "NHWC", out_dtype,
                 _number(channels))


def conv2d_NCHWc(data, kernel, stride, padding, dilation, layout="NCHWc", out_layout="NCHWc",
                 out_dtype=None):
    """A convolution over images whose channels are in blocks.

    Args:
        data: a tensor (batch, channels / c, height, width, c).
        kernel: a tensor (out / b, channels / c, window height, window width, c, b).
        stride, padding, dilation: as for `conv2d_nchw`.
        layout, out_layout, out_dtype: without effect: the operands say them.

    Returns:
        A tensor (batch, out / b, out height, out width, b).

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 4, 56, 56, 16)), te.placeholder((8, 4, 3, 3, 16, 16))
        >>> topi.nn.conv2d_NCHWc(data, kernel, 2, 1, 1).shape
        (1, 8, 28, 28, 16)
    """
    return _blocked("nn.contrib_conv2d_nchwc", data, kernel, stride, padding, dilation, 2)


def depthwise_conv2d_NCHWc(Input, Filter, stride, padding, dilation, layout="NCHWc",
                           out_layout="NCHWc", out_dtype=None):
    """A convolution of each channel alone, over images whose channels are in blocks.

    Args:
        Input: a tensor (batch, channels / c, height, width, c).
        Filter: a tensor (channels / c, 1, window height, window width, 1, c).
        stride, padding, dilation: as for `conv2d_nchw`.
        layout, out_layout, out_dtype: without effect: the operands say them.

    Returns:
        A tensor (batch, channels / c, out height, out width, c).

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 2, 14, 14, 16)), te.placeholder((2, 1, 3, 3, 1, 16))
        >>> topi.nn.depthwise_conv2d_NCHWc(data, kernel, 1, 1, 1).shape
        (1, 2, 14, 14, 16)
    """
    blocks, _, height, width, _, lanes = Filter.shape
    kernel = _derive.apply("reshape", [Filter], newshape=(blocks, height, width, lanes))
    return _blocked("nn.contrib_depthwise_conv2d_nchwc", Input, kernel, stride, padding, dilation, 1)


def _blocked(op, data, kernel, stride, padding, dilation, first):
    window = [_number(n) for n in kernel.shape[first:first + 2]]
    return _derive.apply(op, [data, kernel], strides=stride,
                         padding=get_pad_tuple_generic(padding, window), dilation=dilation)


def _transposed(spatial, layout, data, weight, stride, padding, out_dtype, output_padding, groups=1):
    window = [_number(n) for n in weight.shape[2:]]
    return _derive.apply(f"nn.conv{spatial}d_transpose", [data, weight], strides=stride,
                         padding=get_pad_tuple_generic(padding, window), groups=groups,
                         data_layout=layout, output_padding=output_padding,
                         out_dtype=out_dtype or None)


def conv1d_transpose_ncw(data, kernel, stride, padding, out_dtype, output_padding):
    """The transposed convolution, which makes the data longer.

    Args:
        data: a tensor (batch, channels, width).
        kernel: a tensor (channels, out, window).
        stride, padding, out_dtype: those of the convolution that this is the transposed one of.
        output_padding: elements added at the end of the result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.conv1d_transpose_ncw(
        ...     te.placeholder((1, 4, 8)), te.placeholder((4, 2, 4)), 2, 1, "float32", 0).shape
        (1, 2, 16)
    """
    return _transposed(1, "NCW", data, kernel, stride, padding, out_dtype, output_padding)


def conv2d_transpose_nchw(Input, Filter, strides, padding, out_dtype, output_padding):
    """The transposed convolution, which makes images larger.

    Args:
        Input: a tensor (batch, channels, height, width).
        Filter: a tensor (channels, out, window height, window width).
        strides, padding, out_dtype: those of the convolution that this is the transposed one of.
        output_padding: rows and columns added at the end of the result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 4, 8, 8)), te.placeholder((4, 2, 4, 4))
        >>> topi.nn.conv2d_transpose_nchw(data, kernel, 2, 1, "float32", 0).shape
        (1, 2, 16, 16)
    """
    return _transposed(2, "NCHW", Input, Filter, strides, padding, out_dtype, output_padding)


def group_conv2d_transpose_nchw(data, kernel, stride, padding, out_dtype, output_padding, groups):
    """`conv2d_transpose_nchw` of groups of channels.

    Args:
        data, kernel, stride, padding, out_dtype, output_padding: as for `conv2d_transpose_nchw`;
            `kernel` has the results of one group.
        groups: the number of groups.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 4, 8, 8)), te.placeholder((4, 2, 4, 4))
        >>> topi.nn.group_conv2d_transpose_nchw(data, kernel, 2, 1, "float32", 0, 2).shape
        (1, 4, 16, 16)
    """
    return _transposed(2, "NCHW", data, kernel, stride, padding, out_dtype, output_padding, groups)


def conv3d_transpose_ncdhw(Input, Filter, strides, padding, out_dtype, output_padding):
    """The transposed convolution of volumes.

    Args:
        Input: a tensor (batch, channels, depth, height, width).
        Filter: a tensor (channels, out, window depth, window height, window width).
        strides, padding, out_dtype, output_padding: as for `conv2d_transpose_nchw`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 2, 4, 4, 4)), te.placeholder((2, 3, 2, 2, 2))
        >>> topi.nn.conv3d_transpose_ncdhw(data, kernel, 2, 0, "float32", 0).shape
        (1, 3, 8, 8, 8)
    """
    return _transposed(3, "NCDHW", Input, Filter, strides, padding, out_dtype, output_padding)
