"""Operators of neural networks."""

from . import conv, layers, pooling, utils

for _module in (conv, layers, pooling):
    for _name, _item in vars(_module).items():
        if not _name.startswith("_") and getattr(_item, "__module__", "") == _module.__name__:
            globals()[_name] = _item
