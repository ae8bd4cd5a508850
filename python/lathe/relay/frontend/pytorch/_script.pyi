"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend.pytorch._importer import Importer as Importer
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._importer import Place as Place
from lathe.relay.frontend.pytorch._importer import flat as flat
from lathe.relay.frontend.pytorch._importer import tuple_of as tuple_of
from lathe.relay.frontend.pytorch._quantized import unpacked as unpacked
from lathe.relay.frontend.pytorch._importer import unsupported as unsupported
from lathe.relay.frontend.pytorch._importer import with_place as with_place

class ScriptImporter(Importer):
    """Reads one graph. Values of the model are found by their names in `env`; tensors, also those
    in lists and dicts, are cells.
    """
    def block(self, block: Any) -> Any: ...
    def node(self, node: Any) -> Any: ...
    def place(self, node: Any) -> Any: ...
    def raw(self, value: Any) -> Any: ...
    def run(self, graph: Any, infos: Any, types: Any) -> Any: ...
    def value(self, value: Any) -> Any: ...
    def __init__(self, module: Any, custom: Any = ..., friendly: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def read_infos(input_infos: Any) -> Any:
    """[(name, shape, element type or None)] of what the caller gives.

    Raises:
        LatheError: `pytorch-inputs`.

    Example:
        >>> from lathe.relay.frontend.pytorch._script import read_infos
        >>> read_infos([("x", (1, 3)), ("y", ((2,), "int64"))])
        [('x', (1, 3), None), ('y', (2,), 'int64')]
    """

def schema_of(node: Any) -> Any:
    """The names of an operator's parameters, and its overload."""
