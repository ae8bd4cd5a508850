"""What importers of all formats take: paths, bytes, shapes."""

import os

from ...error import LatheTypeError


def is_path(model):
    """Is it a path of a file?"""
    return isinstance(model, (str, os.PathLike))


def is_bytes(model):
    """Is it the bytes of a file?"""
    return isinstance(model, (bytes, bytearray, memoryview))


def shapes_of(shape):
    """{name: extents} with ints and names of sizes only."""
    return {name: [_extent(name, extent) for extent in extents]
            for name, extents in (shape or {}).items()}


def _extent(name, extent):
    if isinstance(extent, str):
        return extent
    if hasattr(extent, "__index__"):
        return int(extent)
    size = getattr(extent, "name", None)
    if isinstance(size, str):
        return size
    raise LatheTypeError(f"an extent of input `{name}` is no number and no name", "onnx-model-type",
                         f"found: {type(extent).__name__}")
