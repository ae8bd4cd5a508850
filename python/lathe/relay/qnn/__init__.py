"""Operators on quantized tensors."""

from . import op


def __getattr__(name):
    if name == "transform":
        import importlib

        return importlib.import_module("." + name, __name__)
    raise AttributeError(f"module 'lathe.relay.qnn' has no attribute '{name}'")
