"""The operators whose names begin with "nn."."""

from . import _operators

_operators.install(globals(), "nn.")

from ._composed_nn import conv2d_backward_weight, upsampling3d  # noqa: E402,F401
