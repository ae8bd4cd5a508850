"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

class Frontend:
    """How models of one format are read: what `guess_frontend` and `get_frontend_by_name` give.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.get_frontend_by_name("onnx").suffixes()
        ['onnx']
    """
    def __repr__(self) -> str: ...
    def load(self, path: Any, shape_dict: Any = ..., **kwargs: Any) -> Any: ...
    def name(self) -> Any: ...
    def suffixes(self) -> Any: ...
    def __init__(self, name: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TVMCError(LatheValueError):
    """What is asked of `tvmc` cannot be done.

    Example:
        >>> from lathe import tvmc
        >>> try:
        ...     tvmc.load("model.caffe")
        ... except tvmc.TVMCError as error:
        ...     print(error.name)
        tvmc-model-format
    """
    ...

TVMCException = TVMCError

def get_frontend_by_name(name: Any) -> Any:
    """The Frontend of a format.

    Raises:
        TVMCError: `tvmc-model-format`: there is no such format.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.get_frontend_by_name("pytorch").name()
        'pytorch'
    """

def get_frontend_names() -> Any:
    """The names of the formats that can be read.

    Example:
        >>> from lathe import tvmc
        >>> "onnx" in tvmc.get_frontend_names()
        True
    """

def guess_frontend(path: Any) -> Any:
    """The Frontend for a file, by its suffix.

    Raises:
        TVMCError: `tvmc-model-format`: no format has this suffix.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.guess_frontend("a/model.tflite").name()
        'tflite'
    """
