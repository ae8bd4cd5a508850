"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend.pytorch._importer import Importer as Importer
from lathe.error import LatheError as LatheError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._importer import Place as Place
from lathe.relay.frontend.pytorch._writes import check_strided as check_strided
from lathe.relay.frontend.pytorch._operators.arithmetic import divide_numbers as divide_numbers
from lathe.relay.frontend.pytorch._writes import may_share as may_share
from lathe.relay.frontend.pytorch._operators.arithmetic import of_numbers as of_numbers
from lathe.relay.frontend.pytorch._operators.arithmetic import power_of_numbers as power_of_numbers
from lathe.relay.frontend.pytorch._operators.arithmetic import remainder_of_numbers as remainder_of_numbers
from lathe.relay.frontend.pytorch._registry import short_name as short_name
from lathe.relay.frontend.pytorch._importer import tuple_of as tuple_of
from lathe.relay.frontend.pytorch._importer import unsupported as unsupported
from lathe.relay.frontend.pytorch._importer import with_place as with_place
from lathe.relay.frontend.pytorch._registry import writes_in_place as writes_in_place

class FxReader:
    """Reads graphs into an Importer's scope."""
    @staticmethod
    def _attribute(module: Any, target: Any) -> Any: ...
    @staticmethod
    def _own(target: Any) -> Any: ...
    def missing(self, module: Any) -> Any: ...
    def read(self, module: Any, given: Any) -> Any: ...
    @staticmethod
    def schema(node: Any) -> Any: ...
    def __init__(self, importer: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def extent_of(n: Any, sizes: Any, any_size: Any) -> Any:
    """An extent of PyTorch as an int or an expression over sizes. One symbol is one size."""

def from_exported(program: Any, infos: Any, custom: Any, friendly: Any) -> Any:
    """The importer, after it has read an ExportedProgram, and the function."""
