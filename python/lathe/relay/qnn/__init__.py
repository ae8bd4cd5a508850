"""Operators on quantized tensors."""

from . import op


_LAZY = ("transform",)


def __getattr__(name):
    if name in _LAZY:
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'lathe.relay.qnn' has no attribute '{name}'")
