"""Attributes of operators for a while."""

from ... import ir


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

    def __init__(self, op_name, attr_key, attr_value):
        self._op, self._key, self._value = op_name, attr_key, attr_value

    def __enter__(self):
        key = (self._op.removeprefix("tir."), self._key)
        self._old = ir._op_attrs.pop(key, None)
        try:
            ir.register_op_attr(self._op, self._key, self._value)
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        key = (self._op.removeprefix("tir."), self._key)
        ir._op_attrs.pop(key, None)
        if self._old is not None:
            ir._op_attrs[key] = self._old
