"""Expressions: calls of operators and functions, variables, constants, tuples, `if`, `let`.

An expression is an object that refers to its operands. One that is used twice is computed once. A
function or module made of expressions is converted to the compiler's graphs (`lathe.ir.GraphFunc`),
which lists its values in order.
"""

import sys

from .. import _core, _ffi, _nodes
from ..error import _PACKAGE, LatheTypeError, LatheValueError
from ..runtime import tensor as _tensor
from . import ty

_get = _ffi.get


def _here():
    """(file, line) of the innermost frame outside this package."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE):
            return name, frame.f_lineno
        frame = frame.f_back
    return None


class Expr:
    """Base of the expressions.

    Numbers may stand for constants in arithmetic (`x * 2`): they take the other operand's element
    type. `str(expr)` is its text as a graph.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> ((x + 1.0) * x).checked_type
        float32[2, 3]
    """

    __slots__ = ("_type", "_place")

    def __init__(self, span=None):
        self._type = None
        self._place = _here() if span is None else span

    @property
    def checked_type(self):
        """The expression's type.

        Raises:
            LatheError: the operands do not fit (`graph-argument`, ...), or a variable has no type.
        """
        if self._type is None:
            from . import _types

            _types.infer(self)
        return self._type

    @property
    def span(self):
        """(file, line) of the user's code that made the expression, the Span that it was given, or None."""
        return self._place

    def astype(self, dtype):
        """The elements converted to `dtype`."""
        return _op("cast")(self, str(dtype))

    def astext(self, show_meta_data=True):
        """The text of the expression as a graph.

        Args:
            show_meta_data: with the data of small constants.
        """
        from . import _types

        return _types.text_of(self, show_meta_data)

    def __str__(self):
        return self.astext(False)

    def __repr__(self):
        title, known = self._heading(), "" if self._type is None else f": {self._type}"
        return f"<relay.{type(self).__name__}{title and ' ' + title}{known}>"

    def _heading(self):
        """What tells it from others, as text; for `repr`."""
        return ""

    def _repr_html_(self):
        from .. import _html

        return _html.page_of(str(self))

    def __call__(self, *args):
        """A call of the function that this expression gives."""
        return Call(self, args)

    def same_as(self, other):
        """Is it the same object?"""
        return self is other

    def __neg__(self):
        return _op("negative")(self)

    def __getitem__(self, index):
        """Field `index` of a tuple."""
        if not isinstance(index, int) or isinstance(index, bool):
            raise LatheTypeError("the index of a tuple must be a number", "relay-index-type",
                                 f"found: {index!r}\nhelp: relay.take or relay.strided_slice "
                                 "give parts of a tensor")
        return TupleGetItem(self, index)

    def __len__(self):
        return len(_fields_of(self))

    def __bool__(self):
        return True

    def __iter__(self):
        return iter([TupleGetItem(self, i) for i in range(len(_fields_of(self)))])


def _fields_of(expr):
    found = expr.checked_type
    if not isinstance(found, _nodes.CLASSES["TupleType"]):
        raise LatheTypeError("the expression is no tuple", "relay-tuple-type", f"found: {found}")
    return found.fields


def _op(name):
    from . import _operators

    return _operators.builder(name)


def _arithmetic(name, operator):
    def forward(self, other):
        return _op(operator)(*_paired(self, other))

    def backward(self, other):
        right, left = _paired(self, other)
        return _op(operator)(left, right)

    for method, title in ((forward, f"__{name}__"), (backward, f"__r{name}__")):
        if method is forward or name not in _COMPARISONS:
            method.__name__, method.__qualname__ = title, f"Expr.{title}"
            setattr(Expr, title, method)


_COMPARISONS = ("lt", "gt", "le", "ge")
for _name, _operator in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"),
                         ("truediv", "divide"), ("floordiv", "floor_divide"), ("mod", "floor_mod"),
                         ("pow", "power"), ("lt", "less"), ("gt", "greater"), ("le", "less_equal"),
                         ("ge", "greater_equal")):
    _arithmetic(_name, _operator)


def _paired(one, other):
    """`one` and `other` as expressions; a number takes the element type of the other."""
    if isinstance(other, (int, float)):
        return one, const(other, one.checked_type.dtype)
    return one, as_expr(other)


def as_expr(value, what="an operand"):
    """`value` as an expression: a list or tuple becomes a Tuple, a number or array a constant.

    Args:
        value: an expression, list, tuple, number or array.
        what: what it is, for the error.

    Raises:
        LatheTypeError: `relay-expression-type`.

    Example:
        >>> from lathe import relay
        >>> type(relay.expr.as_expr([relay.const(1), relay.const(2)])).__name__
        'Tuple'
    """
    if isinstance(value, Expr):
        return value
    if isinstance(value, TupleWrapper):
        return value.tuple_value
    if isinstance(value, (list, tuple)):
        return Tuple(value)
    if isinstance(value, (int, float, _core.Tensor)) or hasattr(value, "__array__"):
        return const(value)
    raise LatheTypeError(f"{what} is no expression", "relay-expression-type",
                         f"found: {type(value).__name__}\n"
                         "help: relay.var, relay.const and operators make expressions")


class Var(Expr):
    """A variable: a parameter of a function, or bound by a Let. Has identity.

    Args:
        name_hint: its name, which callers use to set it.
        type_annotation: its type, or None: then it is inferred where the variable is bound.

    Example:
        >>> from lathe import relay
        >>> relay.Var("x", relay.TensorType((2,))).name_hint
        'x'
    """

    __slots__ = ("name_hint",)

    def __init__(self, name_hint, type_annotation=None, span=None):
        super().__init__(span)
        self.name_hint = str(name_hint)
        if type_annotation is not None and not isinstance(type_annotation, ty.Type):
            type_annotation = _nodes.CLASSES["TensorType"](type_annotation)
        self._type = None if isinstance(type_annotation, ty.IncompleteType) else type_annotation

    @property
    def type_annotation(self):
        """Its type, or None if it is not known. An operator that takes weights sets it."""
        return self._type

    def __repr__(self):
        return f"Var({self.name_hint}, {self.type_annotation})"


class GlobalVar(Expr):
    """The name of a function of the module. Calls of it call that function.

    Example:
        >>> from lathe import relay
        >>> relay.GlobalVar("main").name_hint
        'main'
    """

    __slots__ = ("name_hint",)

    def __init__(self, name_hint, type_annot=None):
        super().__init__()
        self.name_hint = str(name_hint)
        self._type = type_annot

    def __call__(self, *args):
        """A call of the function. Its type is known if that of the function is."""
        made = Call(self, args)
        if isinstance(self._type, _nodes.CLASSES["FuncType"]) and not self._type.type_params:
            made._type = self._type.result
        return made

    def __eq__(self, other):
        return isinstance(other, GlobalVar) and other.name_hint == self.name_hint

    def __hash__(self):
        return hash(self.name_hint)

    def __repr__(self):
        return f"GlobalVar({self.name_hint})"


class Constant(Expr):
    """A tensor that is known when the graph is compiled.

    Args:
        data: a Tensor, whose memory is shared and must not change afterwards.
        name: "", or the name of the parameter that it was: it can be replaced by that name in the
            compiled graph.

    Example:
        >>> from lathe import relay
        >>> relay.const([1.0, 2.0]).data.numpy().tolist()
        [1.0, 2.0]
    """

    __slots__ = ("_node", "name")

    def __init__(self, data, name="", span=None):
        super().__init__(span)
        self._node = data if isinstance(data, _nodes.CLASSES["Constant"]) \
            else _get("graph.constant", True)(data)
        self.name = name
        self._type = _nodes.CLASSES["TensorType"](self._node.shape, self._node.dtype)

    @property
    def data(self):
        """The elements: a Tensor that cannot be written."""
        return _get("graph.constant_data")(self._node)


def var(name_hint, type_annotation=None, shape=None, dtype="float32", span=None):
    """A new variable.

    Args:
        name_hint: its name.
        type_annotation: its type; or give `shape` and `dtype`. Without both, the type is inferred
            where the variable is bound.
        shape: the extents.
        dtype: the element type.
        span: a Span, instead of the line that calls this.

    Raises:
        LatheValueError: both a type and a shape are given.

    Example:
        >>> from lathe import relay
        >>> relay.var("x", shape=(relay.Any("n"), 3), dtype="int8").type_annotation
        int8[n, 3]
    """
    if type_annotation is not None and shape is not None:
        raise LatheValueError("a variable is given a type and a shape", "relay-variable-type",
                              "help: leave one of them out")
    if shape is not None:
        type_annotation = _nodes.CLASSES["TensorType"](shape, dtype)
    elif type_annotation is not None and not isinstance(type_annotation, ty.Type):
        type_annotation = _nodes.CLASSES["TensorType"](type_annotation, dtype)
    return Var(name_hint, type_annotation, span)


def const(value, dtype=None, span=None):
    """A constant.

    Args:
        value: a number, list, array or Tensor. Arrays are copied; a Tensor's memory is shared and
            must not change afterwards.
        dtype: the element type; that of the value by default, and int32 or float32 for Python's
            numbers.

    Example:
        >>> from lathe import relay
        >>> relay.const(3).checked_type, relay.const([1.5, 2.5]).checked_type
        (int32[], float32[2])
    """
    if isinstance(value, _core.Tensor) and dtype in (None, value.dtype):
        return Constant(value, span=span)
    if hasattr(value, "numpy"):
        value = value.numpy()
    if dtype is None and not hasattr(value, "dtype"):
        import numpy as np

        made = np.asarray(value)
        dtype = {"float64": "float32", "int64": "int32"}.get(str(made.dtype), str(made.dtype))
        value = made
    return Constant(_tensor.array(value, dtype=dtype), span=span)


from .call import Attributes, Call, Op, plain  # noqa: E402
from .compound import (Function, If, Let, Tuple, TupleGetItem, TupleWrapper,  # noqa: E402
                       bind)
