"""Operators on te tensors, and schedules for them by target.

A tensor made here gets its operator's schedule, from `lathe.build`, `lathe.default_schedule` and
`schedule`. So does a tensor that `te.compute` makes from such a tensor: the elementwise
computations that follow an operator share its schedule:

    >>> import lathe
    >>> from lathe import te, topi
    >>> A, B = te.placeholder((64, 64), name="A"), te.placeholder((64, 64), name="B")
    >>> C = topi.nn.relu(topi.matmul(A, B) + 1.0)
    >>> f = lathe.build([A, B, C])

The operators are those of graphs (`lathe.relay`), under the names that TVM's topi has. `A + B`,
`A * 2.0` and the like are operators of this module, too. If operands do not fit, `LatheError` is
raised: `graph-argument`, `graph-attribute`; `topi-operand` from the operators of blocks and panels.
"""

from .. import _lazy
from ._schedule import Choice, Knob, Scheduled, schedule
from ._own import (argmax_pairs, box_blurs, concat_columns, conv2d_NCHWc, depthwise_conv2d_NCHWc,
                   gelu, layer_norm, matmul_in_panels, matvec, rgb_to_yuv)
from . import broadcast, math, ordering, places, reduction, transform
from . import image, nn, tag, utils, vision
from . import arm_cpu, cuda, generic, gpu, mali, x86
from .nn.layers import log_softmax, softmax  # noqa: F401

for _module in (math, broadcast, reduction, transform, ordering, places):
    for _name, _item in vars(_module).items():
        if not _name.startswith("_") and getattr(_item, "__module__", "") == _module.__name__:
            globals()[_name] = _item
broadcast_add, broadcast_sub = broadcast.broadcast_add, broadcast.broadcast_sub
broadcast_mul, broadcast_div = broadcast.broadcast_mul, broadcast.broadcast_div
math.left_shift, math.right_shift = broadcast.left_shift, broadcast.right_shift


_LAZY = ("testing",)
__getattr__ = _lazy.submodules(__name__, _LAZY)

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
