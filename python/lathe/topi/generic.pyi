"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.te.schedule as _schedule

def default_schedule(outs: Any, auto_inline: Any) -> Any:
    """The schedule that `topi.schedule` makes.

    Args:
        outs: a tensor, or a list of them.
        auto_inline: without effect.

    Example:
        >>> from lathe import te, topi
        >>> len(topi.generic.default_schedule(topi.exp(te.placeholder((8,))), True).outputs)
        1
    """

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
        >>> len(topi.generic.schedule_adaptive_pool([y]).outputs)
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
        >>> len(topi.generic.schedule_argsort([y]).outputs)
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
        >>> len(topi.generic.schedule_batch_matmul([y]).outputs)
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
        >>> len(topi.generic.schedule_binarize_pack([y]).outputs)
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
        >>> len(topi.generic.schedule_binary_dense([y]).outputs)
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
        >>> len(topi.generic.schedule_broadcast([y]).outputs)
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
        >>> len(topi.generic.schedule_concatenate([y]).outputs)
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
        >>> len(topi.generic.schedule_conv1d_ncw([y]).outputs)
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
        >>> len(topi.generic.schedule_conv1d_nwc([y]).outputs)
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
        >>> len(topi.generic.schedule_conv1d_transpose_ncw([y]).outputs)
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
        >>> len(topi.generic.schedule_conv2d([y]).outputs)
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
        >>> len(topi.generic.schedule_conv2d_NCHWc([y]).outputs)
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
        >>> len(topi.generic.schedule_conv2d_NCHWc_int8([y]).outputs)
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
        >>> len(topi.generic.schedule_conv2d_hwcn([y]).outputs)
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
        >>> len(topi.generic.schedule_conv2d_nchw([y]).outputs)
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
        >>> len(topi.generic.schedule_conv2d_nhwc([y]).outputs)
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
        >>> len(topi.generic.schedule_conv2d_transpose_nchw([y]).outputs)
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
        >>> len(topi.generic.schedule_conv3d_ncdhw([y]).outputs)
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
        >>> len(topi.generic.schedule_conv3d_ndhwc([y]).outputs)
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
        >>> len(topi.generic.schedule_conv3d_transpose_ncdhw([y]).outputs)
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
        >>> len(topi.generic.schedule_deformable_conv2d_nchw([y]).outputs)
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
        >>> len(topi.generic.schedule_deformable_conv2d_nhwc([y]).outputs)
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
        >>> len(topi.generic.schedule_dense([y]).outputs)
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
        >>> len(topi.generic.schedule_dense_nopack([y]).outputs)
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
        >>> len(topi.generic.schedule_dense_pack([y]).outputs)
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
        >>> len(topi.generic.schedule_depthwise_conv2d_NCHWc([y]).outputs)
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
        >>> len(topi.generic.schedule_depthwise_conv2d_nchw([y]).outputs)
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
        >>> len(topi.generic.schedule_depthwise_conv2d_nhwc([y]).outputs)
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
        >>> len(topi.generic.schedule_einsum([y]).outputs)
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
        >>> len(topi.generic.schedule_elemwise([y]).outputs)
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
        >>> len(topi.generic.schedule_extern([y]).outputs)
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
        >>> len(topi.generic.schedule_fast_softmax([y]).outputs)
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
        >>> len(topi.generic.schedule_get_valid_counts([y]).outputs)
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
        >>> len(topi.generic.schedule_group_conv1d_ncw([y]).outputs)
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
        >>> len(topi.generic.schedule_group_conv1d_nwc([y]).outputs)
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
        >>> len(topi.generic.schedule_group_conv2d_nchw([y]).outputs)
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
        >>> len(topi.generic.schedule_group_conv2d_nhwc([y]).outputs)
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
        >>> len(topi.generic.schedule_group_conv2d_transpose_nchw([y]).outputs)
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
        >>> len(topi.generic.schedule_injective([y]).outputs)
        1
    """

def schedule_injective_from_existing(sch: Any, out: Any) -> _schedule.Schedule:
    """A schedule with the outer axes of an elementwise operation in parallel.

    Args:
        sch: a Schedule.
        out: a tensor of it.

    Returns:
        `sch`.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> s = te.create_schedule(y.op)
        >>> topi.generic.schedule_injective_from_existing(s, y) is s
        True
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
        >>> len(topi.generic.schedule_log_softmax([y]).outputs)
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
        >>> len(topi.generic.schedule_lrn([y]).outputs)
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
        >>> len(topi.generic.schedule_matmul([y]).outputs)
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
        >>> len(topi.generic.schedule_nms([y]).outputs)
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
        >>> len(topi.generic.schedule_pool([y]).outputs)
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
        >>> len(topi.generic.schedule_pool_grad([y]).outputs)
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
        >>> len(topi.generic.schedule_reduce([y]).outputs)
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
        >>> len(topi.generic.schedule_roi_align([y]).outputs)
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
        >>> len(topi.generic.schedule_roi_pool([y]).outputs)
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
        >>> len(topi.generic.schedule_scan([y]).outputs)
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
        >>> len(topi.generic.schedule_scatter([y]).outputs)
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
        >>> len(topi.generic.schedule_scatter_add([y]).outputs)
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
        >>> len(topi.generic.schedule_scatter_nd([y]).outputs)
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
        >>> len(topi.generic.schedule_softmax([y]).outputs)
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
        >>> len(topi.generic.schedule_sort([y]).outputs)
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
        >>> len(topi.generic.schedule_topk([y]).outputs)
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
        >>> len(topi.generic.schedule_transpose([y]).outputs)
        1
    """
