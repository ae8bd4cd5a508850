"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.topi._oracles import adaptive_pool as adaptive_pool
from lathe.topi._oracles import batch_matmul as batch_matmul
from lathe.topi._convolution_oracles import conv1d_ncw_python as conv1d_ncw_python
from lathe.topi._convolution_oracles import conv1d_transpose_ncw_python as conv1d_transpose_ncw_python
from lathe.topi._gradient_oracles import conv2d_backward_weight_python as conv2d_backward_weight_python
from lathe.topi._convolution_oracles import conv2d_hwcn_python as conv2d_hwcn_python
from lathe.topi._convolution_oracles import conv2d_nchw_python as conv2d_nchw_python
from lathe.topi._convolution_oracles import conv2d_nhwc_python as conv2d_nhwc_python
from lathe.topi._convolution_oracles import conv2d_transpose_nchw_python as conv2d_transpose_nchw_python
from lathe.topi._convolution_oracles import conv3d_ncdhw_python as conv3d_ncdhw_python
from lathe.topi._convolution_oracles import conv3d_ndhwc_python as conv3d_ndhwc_python
from lathe.topi._convolution_oracles import conv3d_transpose_ncdhw_python as conv3d_transpose_ncdhw_python
from lathe.topi._oracles import dense as dense
from lathe.topi._oracles import depth_to_space_python as depth_to_space_python
from lathe.topi._convolution_oracles import depthwise_conv2d_python_nchw as depthwise_conv2d_python_nchw
from lathe.topi._convolution_oracles import depthwise_conv2d_python_nhwc as depthwise_conv2d_python_nhwc
from lathe.topi._convolution_oracles import dilate_python as dilate_python
from lathe.topi._oracles import gather_nd_python as gather_nd_python
from lathe.topi._oracles import gather_python as gather_python
from lathe.topi._oracles import l2_normalize_python as l2_normalize_python
from lathe.topi._oracles import log_softmax_python as log_softmax_python
from lathe.topi._oracles import lrn_python as lrn_python
from lathe.topi._oracles import matrix_set_diag as matrix_set_diag
from lathe.topi._oracles import one_hot as one_hot
from lathe.topi._gradient_oracles import pool_grad_nchw as pool_grad_nchw
from lathe.topi._oracles import poolnd_python as poolnd_python
from lathe.topi._resize_oracles import resize1d_python as resize1d_python
from lathe.topi._resize_oracles import resize2d_python as resize2d_python
from lathe.topi._resize_oracles import resize3d_python as resize3d_python
from lathe.topi._oracles import searchsorted_ref as searchsorted_ref
from lathe.topi._oracles import sequence_mask as sequence_mask
from lathe.topi._oracles import slice_axis_python as slice_axis_python
from lathe.topi._oracles import softmax_python as softmax_python
from lathe.topi._oracles import space_to_depth_python as space_to_depth_python
from lathe.topi._oracles import strided_set_python as strided_set_python
from lathe.topi._oracles import strided_slice_python as strided_slice_python

def dispatch(target: Any, dispatch_map: Any) -> Any:
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

def get_broadcast_schedule(target: Any) -> Any:
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_broadcast_schedule("llvm"))
        True
    """

def get_conv2d_nchw_implement(target: Any) -> Any:
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

def get_elemwise_schedule(target: Any) -> Any:
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_elemwise_schedule("llvm"))
        True
    """

def get_injective_schedule(target: Any) -> Any:
    """The function tensors -> Schedule for elementwise operators. All names here give the same.

    Example:
        >>> from lathe import te, topi
        >>> make = topi.testing.get_injective_schedule("llvm")
        >>> len(make(topi.exp(te.placeholder((8,)))).outputs)
        1
    """

def get_reduce_schedule(target: Any) -> Any:
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_reduce_schedule("llvm"))
        True
    """
