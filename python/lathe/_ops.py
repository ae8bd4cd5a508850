"""Operators of expressions, as Python spells them."""

from . import _ffi, _nodes
from .error import LatheTypeError

_get = _ffi.get
_add, _subtract, _multiply = _get("tir.add"), _get("tir.subtract"), _get("tir.multiply")
_div, _floordiv, _floormod = _get("tir.div"), _get("tir.floordiv"), _get("tir.floormod")
_less, _less_equal = _get("tir.less"), _get("tir.less_equal")
_greater, _greater_equal = _get("tir.greater"), _get("tir.greater_equal")
_equal, _not_equal = _get("tir.equal"), _get("tir.not_equal")
_negative, _logical_not = _get("tir.negative"), _get("tir.logical_not")
_logical_and, _logical_or = _get("tir.logical_and"), _get("tir.logical_or")
_shift_left, _shift_right = _get("tir.shift_left"), _get("tir.shift_right")
_bitwise_and, _bitwise_or = _get("tir.bitwise_and"), _get("tir.bitwise_or")
_bitwise_xor, _bitwise_not = _get("tir.bitwise_xor"), _get("tir.bitwise_not")
_cast, _convert, _min, _max = _get("tir.cast"), _get("tir.convert"), _get("tir.min"), _get("tir.max")
_pow, _broadcast = _get("tir.pow"), _get("tir.broadcast")


def _is_bool(value):
    return isinstance(value, bool) or getattr(value, "dtype", "") == "bool"


class ExprOperators:
    """Arithmetic and comparison; each gives an expression.

    `//` and `%` round down. `/` is for floats: for integers, say how to round (floordiv, truncdiv).
    `==` and `!=` give a Comparison: an expression where the context needs an expression, and a test
    of identity or equal constants where the context needs a truth value.
    """

    __slots__ = ()

    def __add__(self, other):
        return _add(self, other)

    def __radd__(self, other):
        return _add(other, self)

    def __sub__(self, other):
        return _subtract(self, other)

    def __rsub__(self, other):
        return _subtract(other, self)

    def __mul__(self, other):
        return _multiply(self, other)

    def __rmul__(self, other):
        return _multiply(other, self)

    def __truediv__(self, other):
        return _div(self, other)

    def __rtruediv__(self, other):
        return _div(other, self)

    def __floordiv__(self, other):
        return _floordiv(self, other)

    def __rfloordiv__(self, other):
        return _floordiv(other, self)

    def __mod__(self, other):
        return _floormod(self, other)

    def __rmod__(self, other):
        return _floormod(other, self)

    def __pow__(self, other):
        return _pow(self, other)

    def __rpow__(self, other):
        return _pow(other, self)

    def __neg__(self):
        return _negative(self)

    def __pos__(self):
        return self

    def __lt__(self, other):
        return _less(self, other)

    def __le__(self, other):
        return _less_equal(self, other)

    def __gt__(self, other):
        return _greater(self, other)

    def __ge__(self, other):
        return _greater_equal(self, other)

    def __eq__(self, other):
        return Comparison(_equal, self, other, True)

    def __ne__(self, other):
        return Comparison(_not_equal, self, other, False)

    __hash__ = None

    def __and__(self, other):
        return _logical_and(self, other) if _is_bool(self) else _bitwise_and(self, other)

    def __rand__(self, other):
        return _logical_and(other, self) if _is_bool(self) else _bitwise_and(other, self)

    def __or__(self, other):
        return _logical_or(self, other) if _is_bool(self) else _bitwise_or(self, other)

    def __ror__(self, other):
        return _logical_or(other, self) if _is_bool(self) else _bitwise_or(other, self)

    def __xor__(self, other):
        return _bitwise_xor(self, other)

    def __rxor__(self, other):
        return _bitwise_xor(other, self)

    def __invert__(self):
        return _logical_not(self) if _is_bool(self) else _bitwise_not(self)

    def __lshift__(self, other):
        return _shift_left(self, other)

    def __rlshift__(self, other):
        return _shift_left(other, self)

    def __rshift__(self, other):
        return _shift_right(self, other)

    def __rrshift__(self, other):
        return _shift_right(other, self)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """Accepts NumPy's scalars as operands; refuses NumPy's other functions."""
        made = _OF_NUMPY.get(ufunc.__name__)
        if method == "__call__" and made is not None and not kwargs:
            return made(*[x.item() if getattr(x, "shape", None) == () and hasattr(x, "item") else x
                          for x in inputs])
        raise LatheTypeError(f"NumPy's `{ufunc.__name__}` does not take expressions", "numpy-function",
                             f"help: te.{ufunc.__name__}, where there is one")

    def __bool__(self):
        raise LatheTypeError(
            "an expression has no truth value while the program is being made", "expression-type",
            "help: use te.if_then_else for a choice, te.all and te.any (or & and |) for `and` and "
            "`or`")

    def astype(self, dtype):
        """This value converted to another type.

        Args:
            dtype: such as "int32". Of a scalar, a type with lanes ("int32x16") gives a vector that
                repeats it.
        """
        element, _, lanes = str(dtype).rpartition("x")
        if lanes.isdigit() and int(lanes) > 1 and not self.dtype.rpartition("x")[2].isdigit():
            return _broadcast(_cast(element, self), int(lanes))
        return _cast(dtype, self)

    def equal(self, other):
        """The expression self == other."""
        return _equal(self, other)


#: The functions that NumPy calls for terms such as `np.float32(2) * A[i]`.
_OF_NUMPY = {"add": _add, "subtract": _subtract, "multiply": _multiply, "divide": _div, "true_divide": _div,
             "floor_divide": _floordiv, "remainder": _floormod, "less": _less, "less_equal": _less_equal,
             "greater": _greater, "greater_equal": _greater_equal, "power": _pow, "bitwise_and": _bitwise_and,
             "bitwise_or": _bitwise_or, "bitwise_xor": _bitwise_xor, "left_shift": _shift_left, "right_shift": _shift_right,
             "equal": lambda a, b: Comparison(_equal, a, b, True),
             "not_equal": lambda a, b: Comparison(_not_equal, a, b, False)}


class Comparison(ExprOperators):
    """`a == b` or `a != b`: an expression, or, if one is needed, a truth value."""

    __slots__ = ("_make", "a", "b", "_wanted")

    def __init__(self, make, a, b, wanted):
        self._make, self.a, self.b, self._wanted = make, a, b, wanted

    dtype = "bool"

    def asobject(self):
        """The expression."""
        return self._make(self.a, self.b)

    __lathe_value__ = asobject

    def __bool__(self):
        a, b = self.a, self.b
        x = getattr(a, "value", a) if not isinstance(a, (int, float)) else a
        y = getattr(b, "value", b) if not isinstance(b, (int, float)) else b
        if isinstance(x, (int, float)) and isinstance(y, (int, float)):
            same = x == y
        else:
            same = isinstance(a, _nodes.Object) and isinstance(b, _nodes.Object) and a.same_as(b)
        return same == self._wanted

    def __hash__(self):
        return hash((self.a, self.b))

    def __repr__(self):
        return repr(self.asobject())


class Expr(ExprOperators, _nodes.Node):
    """Base of all expressions."""

    __slots__ = ()
    __hash__ = _nodes.Object.__hash__


class Stmt(_nodes.Node):
    """Base of all statements."""

    __slots__ = ()


class Op(_nodes.Node):
    """Base of operations. An operation produces tensors. `Op.get(name)` finds an operator by name instead."""

    __slots__ = ()

    @staticmethod
    def get(op_name):
        """The operator of graphs of a name, such as "nn.conv2d"; for "tir.exp" the name of the intrinsic.

        Raises:
            LatheError: `unknown-intrinsic`, `graph-unknown-op`.
        """
        if op_name.startswith("tir."):
            from .tir._views import IntrinsicName

            _get("tir.intrinsic_doc")(op_name[len("tir."):])  # raises if there is none
            return IntrinsicName(op_name[len("tir."):])
        from .relay import op

        return op.get(op_name)

    @staticmethod
    def list_op_names():
        """The names of the operators of graphs."""
        from .relay import op

        return op.list_op_names()

    def output(self, index):
        """The tensor that is output `index` (int)."""
        return _ffi.get("te.output")(self, index)

    @property
    def num_outputs(self):
        """How many outputs it has."""
        return _ffi.get("te.num_outputs")(self)

    @property
    def input_tensors(self):
        """The tensors it reads, each once, in order of first use."""
        return _ffi.get("te.input_tensors")(self)


class _Constant(Expr):
    __slots__ = ()

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return bool(self.value)


@_nodes.methods_of("IntImm")
class _IntImm(_Constant):
    __slots__ = ()

    def __new__(cls, dtype="int32", value=0):
        return _ffi.get("tir.const")(int(value), dtype)

    def __index__(self):
        return self.value


@_nodes.methods_of("FloatImm")
class _FloatImm(_Constant):
    __slots__ = ()

    def __new__(cls, dtype="float32", value=0.0):
        return _ffi.get("tir.const")(float(value), dtype)


@_nodes.methods_of("StringImm")
class _StringImm(Expr):
    __slots__ = ()

    def __new__(cls, value=""):
        return _convert(value)


@_nodes.methods_of("Var")
class _Var(Expr):
    """A variable. Its identity distinguishes it; its name is only for readers."""

    __slots__ = ()

    def __new__(cls, name="v", dtype="int32"):
        return _ffi.get("tir.var")(name, dtype)


@_nodes.methods_of("IterVar")
class _IterVar(ExprOperators, _nodes.Node):
    """An axis. In expressions it stands for its variable."""

    __slots__ = ()
    __hash__ = _nodes.Object.__hash__

    @property
    def dtype(self):
        """The type of its variable."""
        return self.var.dtype


@_nodes.methods_of("Range")
class _Range(_nodes.Node):
    """[min, min + extent)."""

    __slots__ = ()

    def __new__(cls, begin, end=None, *, extent=None):
        if extent is not None:
            return _ffi.get("tir.make_range")(begin, extent)
        if end is None:
            return _ffi.get("tir.make_range")(0, begin)
        return _ffi.get("tir.make_range")(begin, _subtract(_convert(end), begin))

    @staticmethod
    def from_min_extent(minimum, extent):
        """[minimum, minimum + extent)."""
        return _ffi.get("tir.make_range")(minimum, extent)


def _make_binary(name):
    function = {"Add": _add, "Sub": _subtract, "Mul": _multiply, "FloorDiv": _floordiv,
                "FloorMod": _floormod, "Min": _min, "Max": _max, "And": _logical_and,
                "Or": _logical_or, "EQ": _equal, "NE": _not_equal, "LT": _less, "LE": _less_equal,
                "GT": _greater, "GE": _greater_equal, "Div": _get("tir.truncdiv"),
                "Mod": _get("tir.truncmod")}[name]

    def __new__(cls, a, b):
        if name == "Div" and str(getattr(a, "dtype", "")).startswith(("float", "bfloat")):
            return _div(a, b)
        return function(a, b)

    _nodes.METHODS[name] = type("_" + name, (Expr,), {"__slots__": (), "__new__": __new__})


for _name in ["Add", "Sub", "Mul", "Div", "Mod", "FloorDiv", "FloorMod", "Min", "Max", "And", "Or",
              "EQ", "NE", "LT", "LE", "GT", "GE"]:
    _make_binary(_name)


def _from_function(name, function, *parameters, defaults=()):
    """The members of a class `name` that is called like the factory `function`."""
    required = len(parameters) - len(defaults)

    def __new__(cls, *args, **kwargs):
        values = list(args) + [None] * (len(parameters) - len(args))
        given = set(range(len(args)))
        for key, value in kwargs.items():
            if key not in parameters:
                raise TypeError(f"{name} has no parameter '{key}'")
            values[parameters.index(key)] = value
            given.add(parameters.index(key))
        if len(args) > len(parameters):
            raise TypeError(f"{name} takes {len(parameters)} arguments, not {len(args)}")
        for i, parameter in enumerate(parameters):
            if i in given:
                continue
            if i < required:
                raise TypeError(f"{name} needs '{parameter}'")
            values[i] = defaults[i - required]
        return function(*values)

    return {"__slots__": (), "__new__": __new__,
            "__doc__": f"{name}({', '.join(parameters)})."}


def _declare(name, base, function, *parameters, defaults=()):
    _nodes.METHODS[name] = type("_" + name, (base,),
                                _from_function(name, _get(function), *parameters, defaults=defaults))


_declare("Cast", Expr, "tir.cast", "dtype", "value")
_declare("Not", Expr, "tir.logical_not", "a")
_declare("Select", Expr, "tir.select", "condition", "true_value", "false_value")
_declare("Ramp", Expr, "tir.ramp", "base", "stride", "lanes")
_declare("Broadcast", Expr, "tir.broadcast", "value", "lanes")
_declare("Let", Expr, "tir.let", "var", "value", "body")
_declare("Load", Expr, "tir.load", "source", "indices")
_declare("Call", Expr, "tir.call", "dtype", "op", "args", "attrs", defaults=({},))
_declare("Store", Stmt, "tir.make_store", "buffer", "value", "indices")
_declare("For", Stmt, "tir.make_for", "var", "min", "extent", "for_kind", "body", "thread_tag",
         "annotations", defaults=("", {}))
_declare("While", Stmt, "tir.make_while", "condition", "body")
_declare("If", Stmt, "tir.make_if", "condition", "then_case", "else_case", defaults=(None,))
_declare("Seq", Stmt, "tir.make_seq", "stmts")
_declare("Evaluate", Stmt, "tir.make_evaluate", "value")
_declare("LetStmt", Stmt, "tir.make_let_stmt", "var", "value", "body")
_declare("Assert", Stmt, "tir.make_assert", "condition", "name", "message", "values",
         defaults=((),))
_declare("Allocate", Stmt, "tir.make_allocate", "buffer", "body", "annotations", defaults=({},))
_declare("Attr", Stmt, "tir.make_attr", "node", "key", "value", "body")
