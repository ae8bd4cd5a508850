"""The operators whose names begin with "nn."."""

from . import _operators

_operators.install(globals(), "nn.")

from ._composed_nn import conv2d_backward_weight, dropout_raw, upsampling3d  # noqa: E402,F401
from ._composed_bits import bitpack, bitserial_conv2d, bitserial_dense  # noqa: E402,F401
from ._composed_sparse import sparse_add, sparse_dense, sparse_transpose  # noqa: E402,F401
from ._composed_windows import (avg_pool2d_grad, correlation, fast_softmax, fifo_buffer,  # noqa: E402,F401
                                max_pool2d_grad)
