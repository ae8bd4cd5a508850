"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

CLASSES: Any

def checked(convert_map: Any) -> Any:
    """The map as a dict; None is an empty one.

    Raises:
        LatheTypeError: `onnx-custom`: it is no map of names to functions.
    """

def converter(function: Any) -> Any:
    """What the importer calls for a node: a function(title, name, inputs, attributes) -> GraphFunc.

    Args:
        function: the caller's function(inputs, attributes).
    """
