"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._ops import ExprOperators as ExprOperators
from lathe.error import LatheTypeError as LatheTypeError
from lathe.te.operation import compute as compute
from lathe.tir.functor import ir_transform as ir_transform
from lathe.relay.call import plain as plain

def apply(op: Any, inputs: Any, name: Any = ..., **attrs: Any) -> Any:
    """The operator `op` of graphs applied to tensors.

    Args:
        op: its name, such as "nn.conv2d".
        inputs: tensors; numbers become constants of the first tensor's element type.
        name: the name of the stage that gives the result; by default the operator's.
        attrs: attributes; those that are None get their defaults.

    Returns:
        A tensor, or a list of them if the operator has several results.
    """

def as_tensor(value: Any, dtype: Any = ..., what: Any = ...) -> Any:
    """`value` as a tensor: a number or expression becomes a tensor of rank 0."""

def immediate(tensor: Any) -> Any:
    """The expression that `as_tensor` made a tensor of; None for other tensors."""

def install(namespace: Any, table: Any) -> Any:
    """Puts the functions of a table, {"name(parameters)": operator}, into a module's namespace."""

def named(tensor: Any, name: Any) -> Any:
    """The tensor, of a stage that is called `name` instead of "y"."""
