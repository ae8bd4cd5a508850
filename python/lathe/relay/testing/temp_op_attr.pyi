"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe import ir as ir

class TempOpAttr:
    """`with TempOpAttr(op_name, attr_key, value):` an operator has another attribute within it.

    Args:
        op_name, attr_key, attr_value: as for `ir.register_op_attr`; not a rule for calls of an intrinsic.

    Example:
        >>> import lathe
        >>> from lathe.relay.testing.temp_op_attr import TempOpAttr
        >>> with TempOpAttr("nn.relu", "doc.temporary", 5):
        ...     lathe.ir.op_attr("nn.relu", "doc.temporary")
        5
        >>> lathe.ir.op_attr("nn.relu", "doc.temporary") is None
        True
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: Any) -> Any: ...
    def __init__(self, op_name: Any, attr_key: Any, attr_value: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
