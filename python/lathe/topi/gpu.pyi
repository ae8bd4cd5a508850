"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.te.schedule as _schedule
from lathe.topi.nn.pooling import adaptive_pool as adaptive_pool
from lathe.topi.nn.pooling import adaptive_pool3d as adaptive_pool3d
from lathe.topi.nn.layers import batch_matmul as batch_matmul
from lathe.topi.nn.layers import batch_norm as batch_norm
from lathe.topi.nn.layers import batch_to_space_nd as batch_to_space_nd
from lathe.topi.nn.layers import bias_add as bias_add
from lathe.topi.nn.bits import binarize_pack as binarize_pack
from lathe.topi.nn.bits import binary_dense as binary_dense
from lathe.topi.nn.sparse import bitpack as bitpack
from lathe.topi.nn.sparse import bitserial_conv2d_nchw as bitserial_conv2d_nchw
from lathe.topi.nn.sparse import bitserial_conv2d_nhwc as bitserial_conv2d_nhwc
from lathe.topi.nn.sparse import bitserial_dense as bitserial_dense
from lathe.topi.nn.conv import conv1d as conv1d
from lathe.topi.nn.conv import conv1d_ncw as conv1d_ncw
from lathe.topi.nn.conv import conv1d_nwc as conv1d_nwc
from lathe.topi.nn.conv import conv1d_transpose_ncw as conv1d_transpose_ncw
from lathe.topi.nn.conv import conv2d as conv2d
from lathe.topi.nn.conv import conv2d_NCHWc as conv2d_NCHWc
from lathe.topi.nn.composed import conv2d_NCHWc_int8 as conv2d_NCHWc_int8
from lathe.topi.nn.conv import conv2d_hwcn as conv2d_hwcn
from lathe.topi.nn.conv import conv2d_nchw as conv2d_nchw
from lathe.topi.nn.conv import conv2d_nhwc as conv2d_nhwc
from lathe.topi.nn.conv import conv2d_transpose_nchw as conv2d_transpose_nchw
from lathe.topi.nn.conv import conv3d_ncdhw as conv3d_ncdhw
from lathe.topi.nn.conv import conv3d_ndhwc as conv3d_ndhwc
from lathe.topi.nn.conv import conv3d_transpose_ncdhw as conv3d_transpose_ncdhw
from lathe.topi.nn.composed import correlation_nchw as correlation_nchw
from lathe.topi.nn.composed import deformable_conv2d_nchw as deformable_conv2d_nchw
from lathe.topi.nn.composed import deformable_conv2d_nhwc as deformable_conv2d_nhwc
from lathe.topi.nn.layers import dense as dense
from lathe.topi.nn.composed import dense_pack as dense_pack
from lathe.topi.nn.layers import depth_to_space as depth_to_space
from lathe.topi.nn.conv import depthwise_conv2d_NCHWc as depthwise_conv2d_NCHWc
from lathe.topi.nn.composed import depthwise_conv2d_backward_input_nhwc as depthwise_conv2d_backward_input_nhwc
from lathe.topi.nn.composed import depthwise_conv2d_backward_weight_nhwc as depthwise_conv2d_backward_weight_nhwc
from lathe.topi.nn.conv import depthwise_conv2d_nchw as depthwise_conv2d_nchw
from lathe.topi.nn.conv import depthwise_conv2d_nhwc as depthwise_conv2d_nhwc
from lathe.topi.nn.layers import dilate as dilate
from lathe.topi.nn.layers import fast_softmax as fast_softmax
from lathe.topi.nn.composed import fifo_buffer as fifo_buffer
from lathe.topi.nn.layers import flatten as flatten
from lathe.topi.nn.pooling import global_pool as global_pool
from lathe.topi.nn.conv import group_conv1d_ncw as group_conv1d_ncw
from lathe.topi.nn.conv import group_conv1d_nwc as group_conv1d_nwc
from lathe.topi.nn.conv import group_conv2d_nchw as group_conv2d_nchw
from lathe.topi.nn.conv import group_conv2d_nhwc as group_conv2d_nhwc
from lathe.topi.nn.conv import group_conv2d_transpose_nchw as group_conv2d_transpose_nchw
from lathe.topi.nn.layers import group_norm as group_norm
from lathe.topi.nn.layers import instance_norm as instance_norm
from lathe.topi.nn.layers import layer_norm as layer_norm
from lathe.topi.nn.layers import leaky_relu as leaky_relu
from lathe.topi.nn.layers import log_softmax as log_softmax
from lathe.topi.nn.layers import lrn as lrn
from lathe.topi.nn.recurrent import lstm as lstm
from lathe.topi.nn.layers import matmul as matmul
from lathe.topi.nn.layers import mirror_pad as mirror_pad
from lathe.topi.nn.layers import nll_loss as nll_loss
from lathe.topi.nn.layers import pad as pad
from lathe.topi.nn.pooling import pool1d as pool1d
from lathe.topi.nn.pooling import pool2d as pool2d
from lathe.topi.nn.pooling import pool3d as pool3d
from lathe.topi.nn.composed import pool_grad as pool_grad
from lathe.topi.nn.layers import prelu as prelu
from lathe.topi.nn.layers import relu as relu
from lathe.topi.nn.layers import scale_shift_nchw as scale_shift_nchw
from lathe.topi.nn.composed import scale_shift_nchwc as scale_shift_nchwc
from lathe.topi.nn.layers import scale_shift_nhwc as scale_shift_nhwc
from lathe.topi.nn.qnn import simulated_dequantize as simulated_dequantize
from lathe.topi.nn.qnn import simulated_quantize as simulated_quantize
from lathe.topi.nn.layers import softmax as softmax
from lathe.topi.nn.composed import softmax_common as softmax_common
from lathe.topi.nn.layers import space_to_batch_nd as space_to_batch_nd
from lathe.topi.nn.layers import space_to_depth as space_to_depth
from lathe.topi.nn.sparse import sparse_add as sparse_add
from lathe.topi.nn.sparse import sparse_conv2d as sparse_conv2d
from lathe.topi.nn.sparse import sparse_dense as sparse_dense
from lathe.topi.nn.sparse import sparse_dense_sp_lhs as sparse_dense_sp_lhs
from lathe.topi.nn.sparse import sparse_dense_sp_rhs as sparse_dense_sp_rhs
from lathe.topi.nn.sparse import sparse_transpose as sparse_transpose
from lathe.topi.nn.composed import unpack_NCHWc_to_nchw as unpack_NCHWc_to_nchw
from lathe.topi.nn.layers import upsampling as upsampling
from lathe.topi.nn.composed import upsampling3d as upsampling3d

SQNN_DTYPE_TO_CODE: Any

def schedule_adaptive_pool(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `adaptive_pool`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_adaptive_pool([y]).outputs)
        1
    """

def schedule_argsort(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `argsort`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_argsort([y]).outputs)
        1
    """

def schedule_batch_matmul(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `batch_matmul`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_batch_matmul([y]).outputs)
        1
    """

def schedule_binarize_pack(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `binarize_pack`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_binarize_pack([y]).outputs)
        1
    """

def schedule_binary_dense(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `binary_dense`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_binary_dense([y]).outputs)
        1
    """

def schedule_broadcast(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `broadcast`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_broadcast([y]).outputs)
        1
    """

def schedule_concatenate(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `concatenate`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_concatenate([y]).outputs)
        1
    """

def schedule_conv1d_ncw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv1d_ncw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv1d_ncw([y]).outputs)
        1
    """

def schedule_conv1d_nwc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv1d_nwc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv1d_nwc([y]).outputs)
        1
    """

def schedule_conv1d_transpose_ncw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv1d_transpose_ncw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv1d_transpose_ncw([y]).outputs)
        1
    """

def schedule_conv2d(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv2d`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv2d([y]).outputs)
        1
    """

def schedule_conv2d_NCHWc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv2d_NCHWc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv2d_NCHWc([y]).outputs)
        1
    """

def schedule_conv2d_NCHWc_int8(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv2d_NCHWc_int8`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv2d_NCHWc_int8([y]).outputs)
        1
    """

def schedule_conv2d_hwcn(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv2d_hwcn`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv2d_hwcn([y]).outputs)
        1
    """

def schedule_conv2d_nchw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv2d_nchw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv2d_nchw([y]).outputs)
        1
    """

def schedule_conv2d_nhwc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv2d_nhwc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv2d_nhwc([y]).outputs)
        1
    """

def schedule_conv2d_transpose_nchw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv2d_transpose_nchw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv2d_transpose_nchw([y]).outputs)
        1
    """

def schedule_conv3d_ncdhw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv3d_ncdhw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv3d_ncdhw([y]).outputs)
        1
    """

def schedule_conv3d_ndhwc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv3d_ndhwc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv3d_ndhwc([y]).outputs)
        1
    """

def schedule_conv3d_transpose_ncdhw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `conv3d_transpose_ncdhw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_conv3d_transpose_ncdhw([y]).outputs)
        1
    """

def schedule_deformable_conv2d_nchw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `deformable_conv2d_nchw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_deformable_conv2d_nchw([y]).outputs)
        1
    """

def schedule_deformable_conv2d_nhwc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `deformable_conv2d_nhwc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_deformable_conv2d_nhwc([y]).outputs)
        1
    """

def schedule_dense(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `dense`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_dense([y]).outputs)
        1
    """

def schedule_dense_nopack(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `dense_nopack`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_dense_nopack([y]).outputs)
        1
    """

def schedule_dense_pack(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `dense_pack`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_dense_pack([y]).outputs)
        1
    """

def schedule_depthwise_conv2d_NCHWc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `depthwise_conv2d_NCHWc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_depthwise_conv2d_NCHWc([y]).outputs)
        1
    """

def schedule_depthwise_conv2d_nchw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `depthwise_conv2d_nchw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_depthwise_conv2d_nchw([y]).outputs)
        1
    """

def schedule_depthwise_conv2d_nhwc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `depthwise_conv2d_nhwc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_depthwise_conv2d_nhwc([y]).outputs)
        1
    """

def schedule_einsum(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `einsum`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_einsum([y]).outputs)
        1
    """

def schedule_elemwise(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `elemwise`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_elemwise([y]).outputs)
        1
    """

def schedule_extern(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `extern`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_extern([y]).outputs)
        1
    """

def schedule_fast_softmax(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `fast_softmax`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_fast_softmax([y]).outputs)
        1
    """

def schedule_get_valid_counts(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `get_valid_counts`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_get_valid_counts([y]).outputs)
        1
    """

def schedule_group_conv1d_ncw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `group_conv1d_ncw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_group_conv1d_ncw([y]).outputs)
        1
    """

def schedule_group_conv1d_nwc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `group_conv1d_nwc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_group_conv1d_nwc([y]).outputs)
        1
    """

def schedule_group_conv2d_nchw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `group_conv2d_nchw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_group_conv2d_nchw([y]).outputs)
        1
    """

def schedule_group_conv2d_nhwc(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `group_conv2d_nhwc`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_group_conv2d_nhwc([y]).outputs)
        1
    """

def schedule_group_conv2d_transpose_nchw(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `group_conv2d_transpose_nchw`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_group_conv2d_transpose_nchw([y]).outputs)
        1
    """

def schedule_injective(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `injective`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_injective([y]).outputs)
        1
    """

def schedule_log_softmax(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `log_softmax`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_log_softmax([y]).outputs)
        1
    """

def schedule_lrn(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `lrn`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_lrn([y]).outputs)
        1
    """

def schedule_matmul(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `matmul`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_matmul([y]).outputs)
        1
    """

def schedule_nms(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `nms`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_nms([y]).outputs)
        1
    """

def schedule_pool(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `pool`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_pool([y]).outputs)
        1
    """

def schedule_pool_grad(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `pool_grad`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_pool_grad([y]).outputs)
        1
    """

def schedule_reduce(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `reduce`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_reduce([y]).outputs)
        1
    """

def schedule_roi_align(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `roi_align`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_roi_align([y]).outputs)
        1
    """

def schedule_roi_pool(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `roi_pool`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_roi_pool([y]).outputs)
        1
    """

def schedule_scan(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `scan`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_scan([y]).outputs)
        1
    """

def schedule_scatter(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `scatter`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_scatter([y]).outputs)
        1
    """

def schedule_scatter_add(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `scatter_add`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_scatter_add([y]).outputs)
        1
    """

def schedule_scatter_nd(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `scatter_nd`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_scatter_nd([y]).outputs)
        1
    """

def schedule_softmax(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `softmax`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_softmax([y]).outputs)
        1
    """

def schedule_sort(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `sort`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_sort([y]).outputs)
        1
    """

def schedule_topk(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `topk`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_topk([y]).outputs)
        1
    """

def schedule_transpose(outs: Any, layout: Any = ...) -> _schedule.Schedule:
    """The schedule of `transpose`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len(topi.gpu.schedule_transpose([y]).outputs)
        1
    """
