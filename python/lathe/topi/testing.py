"""Schedules by target, as tests of operators take them, and operators computed by NumPy to compare with."""

from ._convolution_oracles import (conv1d_ncw_python, conv1d_transpose_ncw_python, conv2d_hwcn_python,
                                   conv2d_nchw_python, conv2d_nhwc_python, conv2d_transpose_nchw_python,
                                   conv3d_ncdhw_python, conv3d_ndhwc_python, conv3d_transpose_ncdhw_python,
                                   depthwise_conv2d_python_nchw, depthwise_conv2d_python_nhwc, dilate_python)
from ._gradient_oracles import conv2d_backward_weight_python, pool_grad_nchw
from ._oracles import (adaptive_pool, batch_matmul, dense, depth_to_space_python, gather_nd_python, gather_python,
                       l2_normalize_python, log_softmax_python, lrn_python, matrix_set_diag, one_hot, poolnd_python,
                       searchsorted_ref, sequence_mask, slice_axis_python, softmax_python, space_to_depth_python,
                       strided_set_python, strided_slice_python)
from ._resize_oracles import resize1d_python, resize2d_python, resize3d_python
from ._schedules import schedule as _schedule


def get_injective_schedule(target):
    """The function tensors -> Schedule for elementwise operators. All names here give the same.

    Example:
        >>> from lathe import te, topi
        >>> make = topi.testing.get_injective_schedule("llvm")
        >>> len(make(topi.exp(te.placeholder((8,)))).outputs)
        1
    """
    return lambda outs: _schedule(outs, target).schedule


def get_conv2d_nchw_implement(target):
    """(compute, schedule) of convolutions (N, C, H, W) for a target.

    Args:
        target: text or Target.

    Returns:
        `topi.nn.conv2d_nchw`, and a function tensors -> Schedule.

    Example:
        >>> from lathe import te, topi
        >>> compute, schedule = topi.testing.get_conv2d_nchw_implement("llvm")
        >>> made = compute(te.placeholder((1, 3, 8, 8)), te.placeholder((4, 3, 3, 3)), 1, 1, 1, "float32")
        >>> len(schedule([made]).outputs)
        1
    """
    from .nn import conv2d_nchw

    return conv2d_nchw, get_injective_schedule(target)


def get_broadcast_schedule(target):
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_broadcast_schedule("llvm"))
        True
    """
    return get_injective_schedule(target)


def get_elemwise_schedule(target):
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_elemwise_schedule("llvm"))
        True
    """
    return get_injective_schedule(target)


def get_reduce_schedule(target):
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_reduce_schedule("llvm"))
        True
    """
    return get_injective_schedule(target)


def dispatch(target, dispatch_map):
    """The item of a dict for a target: by its name, then its keys, then "generic".

    Args:
        target: text or Target.
        dispatch_map: {name or key: item}.

    Raises:
        KeyError: there is neither.

    Example:
        >>> from lathe import topi
        >>> topi.testing.dispatch("llvm", {"generic": 1, "cpu": 2, "cuda": 3})
        2
    """
    from ..target import Target

    target = Target(target) if isinstance(target, str) else target
    for key in (target.kind.name, *target.keys, "generic"):
        if key in dispatch_map:
            return dispatch_map[key]
    raise KeyError(f"no item for {target}, and none for generic")
