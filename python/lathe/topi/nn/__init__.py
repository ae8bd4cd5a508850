"""Operators of neural networks."""

from . import bits, composed, conv, layers, pooling, qnn, recurrent, sparse, utils

for _module in (bits, composed, conv, layers, pooling, qnn, recurrent, sparse):
    for _name, _item in vars(_module).items():
        if not _name.startswith("_") and getattr(_item, "__module__", "") == _module.__name__:
            globals()[_name] = _item
SQNN_DTYPE_TO_CODE = qnn.SQNN_DTYPE_TO_CODE
