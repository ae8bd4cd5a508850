"""Loops: values that are computed again as long as a condition holds. Importers make them."""

from . import expr as _e


class Loop(_e.Expr):
    """carried = start; while test: carried = body. The value is the tuple of what is carried.

    Args:
        start: expressions.
        carried: as many variables with types, which `test` and `body` read.
        test: an expression, a bool of rank 0.
        body: an expression that gives a tuple of the types of `carried`.
        type_of: the TupleType of the result.
    """

    __slots__ = ("start", "carried", "test", "body")

    def __init__(self, start, carried, test, body, type_of):
        super().__init__()
        self.start, self.carried = list(start), list(carried)
        self.test, self.body, self._type = test, body, type_of
