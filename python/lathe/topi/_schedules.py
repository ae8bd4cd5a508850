"""Schedules by operator and target, as TVM has them: one door behind all names.

`topi.generic.schedule_softmax(outs)`, `topi.x86.schedule_dense(outs)` and all others give what
`topi.schedule(outs)` gives for the current target.
"""

from ._schedule import schedule

#: What follows `schedule_` in the names.
OPERATORS = """injective extern reduce softmax fast_softmax log_softmax dense matmul batch_matmul
    pool pool_grad adaptive_pool lrn conv1d_ncw conv1d_nwc group_conv1d_ncw group_conv1d_nwc
    conv1d_transpose_ncw conv2d conv2d_nchw conv2d_nhwc conv2d_hwcn conv2d_NCHWc conv2d_NCHWc_int8
    conv2d_transpose_nchw conv3d_ncdhw conv3d_ndhwc conv3d_transpose_ncdhw group_conv2d_nchw
    group_conv2d_nhwc group_conv2d_transpose_nchw depthwise_conv2d_nchw depthwise_conv2d_nhwc
    depthwise_conv2d_NCHWc deformable_conv2d_nchw deformable_conv2d_nhwc einsum scatter scatter_add
    scatter_nd sort argsort topk scan nms get_valid_counts roi_align roi_pool concatenate broadcast
    elemwise transpose dense_nopack dense_pack binarize_pack binary_dense""".split()


def install(namespace):
    """Puts schedule_<operator>(outs) for all operators into a module's namespace."""
    for operator in OPERATORS:
        name = "schedule_" + operator
        namespace[name] = _make(name, operator, namespace["__name__"])


def _make(name, operator, module):
    def function(outs, layout=None):
        return schedule(outs).schedule

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = f"""The schedule of `{operator}`, and of what is computed with it.

    Args:
        outs: a tensor, or a list of them.
        layout: without effect: the program says it.

    Returns:
        A Schedule for the current target.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> len({module.removeprefix("lathe.")}.{name}([y]).outputs)
        1
    """
    return function
