"""Written by python/stubs/make_stubs.py."""

from typing import Any, NamedTuple
from lathe.relay.frontend.pytorch._cells import Cell as Cell
from lathe.error import LatheError as LatheError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._importer import tuple_type as tuple_type

class Read(NamedTuple):
    """A block that was read, and what it did: its bindings, its results, the new values of cells
    and the new items of lists from before it, what was before it, and values at its end.
    """
    scope: list
    raws: list
    owners: dict
    lists: dict
    before: State
    values: dict

def apart(importer: Any, block: Any) -> Any:
    """Reads a block that a run may skip.

    Args:
        importer: the importer; the values of the model are as before afterwards.
        block: of TorchScript.

    Returns:
        A Read.
    """

def as_bool(value: Any) -> Any:
    """A tensor of one element, or a number, as a bool of rank 0."""

def known_bool(value: Any) -> Any:
    """True or False, or None if it is computed while the model runs."""

def leaves(values: Any) -> Any:
    """The items of lists in lists."""

def lists_in(raw: Any) -> Any:
    """The lists in what a name of the model holds, and itself."""

def read_if(importer: Any, node: Any) -> Any:
    """Reads prim::If. A known condition chooses the arm that is read."""

def scalar(value: Any) -> Any:
    """A tensor of one element as one of rank 0.

    Args:
        value: a tensor or number.

    Returns:
        An expression.
    """

def set_owners(importer: Any, owners: Any, values: Any, stale: Any) -> Any:
    """Tensors from before a branch or loop have other values after it, or are stale.

    Args:
        importer: binds the values.
        owners: cells.
        values: theirs.
        stale: cells that have none.
    """

def shape_of_lists(values: Any) -> Any:
    ...

def unflat(values: Any, shape: Any) -> Any:
    ...
