"""Constructors of expressions: constants, choices, mathematical functions, calls."""

import builtins

from .. import _core, _ffi, _generate  # noqa: F401
from .._nodes import CLASSES as _classes
from ..error import LatheTypeError, LatheValueError
from ._declare import number_of as _number_of

_get = _ffi.get
_convert = _get("tir.convert")
_if_then_else = _get("tir.if_then_else")


def convert(value):
    """A Python value as programs hold it: numbers and texts as expressions, Python functions as packed ones.

    Lists and dicts are converted item by item: they become tuples, and dicts with the same keys. None, and objects
    of lathe such as tensors, operators and expressions of graphs, stay as they are.

    Example:
        >>> from lathe import te, tir
        >>> [item.dtype for item in tir.convert([1, 2.5])]
        ['int32', 'float32']
        >>> tir.convert([te.placeholder((4,), name="A")])
        (Tensor(A: float32[4]),)
        >>> tir.convert({"a": 1})["a"].value
        1
    """
    value = _number_of(value)  # a bool of NumPy's would cross as the float 1.0
    if isinstance(value, (list, tuple)):
        return tuple(convert(v) for v in value)
    if isinstance(value, dict):
        return {key: convert(v) for key, v in value.items()}
    if hasattr(type(value), "__lathe_value__"):
        return _convert(value)
    if value is None or isinstance(value, _core.Object) or _is_ours(type(value)):
        return value
    if callable(value):
        from ..runtime.packed_func import convert_to_function

        return convert_to_function(value)
    return _convert(value)


def _is_ours(kind):
    return kind.__module__.partition(".")[0] == __package__.partition(".")[0]


def const(value, dtype=None, span=None):
    """A constant.

    Args:
        value: an int, float or bool, also one of NumPy's.
        dtype: its type; by default int32 (int64 if the value needs it), float32 or bool.

    Returns:
        An expression.

    Raises:
        LatheError: `constant-out-of-range`: the type cannot hold the value; `constant-type`: it is no number.

    Example:
        >>> from lathe import tir
        >>> tir.const(3, "int8").dtype
        'int8'
    """
    value = _number_of(value)
    if dtype is None:
        return _convert(value)
    value = getattr(value, "value", value)  # of an IntImm or FloatImm
    try:
        value = float(value) if not hasattr(value, "__index__") else int(value)
    except (TypeError, ValueError):
        raise LatheTypeError("this is no constant number", "constant-type",
                             f"expected: an int, float or bool\nfound: {type(value).__name__}") from None
    return _get("tir.const")(value, dtype)


def if_then_else(cond, t, f, span=None):
    """`t` if `cond` holds, else `f`. Only the chosen value is evaluated.

    Example:
        >>> from lathe import te
        >>> i = te.var("i")
        >>> te.if_then_else(i < 8, 1.0, 0.0).dtype
        'float32'
    """
    return _if_then_else(cond, t, f)


def select(condition, true_value, false_value):
    """Like if_then_else, but both values are evaluated, as vectors need it.

    Example:
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> tir.select(i < 4, i, 4).dtype
        'int32'
    """
    return _get("tir.select")(condition, true_value, false_value)


def _fold(name, function, args):
    """Combines all conditions with `function`; an error if there is none."""
    out = None
    for arg in args:
        out = arg if out is None else function(out, arg)
    if out is None:
        raise LatheValueError(f"{name} needs a condition", "no-conditions")
    return _convert(out)


def all(*args, axis=None, where=None, init=None, span=None):
    """Do all conditions hold? With `axis`: reduces one condition over that axis.

    Example:
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> tir.all(i >= 0, i < 4).dtype
        'bool'
    """
    if axis is not None:
        axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        return _get("te.reduce")("all", args[0], axes, where, init)
    return _fold("all", _get("tir.logical_and"), args)


def any(*args, axis=None, where=None, init=None, span=None):
    """Does any condition hold? With `axis`: reduces one condition over that axis.

    Example:
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> tir.any(i < 0, i >= 4).dtype
        'bool'
    """
    if axis is not None:
        axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        return _get("te.reduce")("any", args[0], axes, where, init)
    return _fold("any", _get("tir.logical_or"), args)


def _unary(name, doc=None):
    function = _get("tir." + name)

    def made(x, span=None):
        return function(x)

    made.__name__ = made.__qualname__ = name
    kind = "bool" if name in ("logical_not", "likely") else "int32" if name in _OF_INTEGERS else "float32"
    result = "bool" if name.startswith("is") else kind
    made.__doc__ = (doc or f"{name}(x), elementwise; of the type of x.") + f"""

    Example:
        >>> from lathe import te, tir
        >>> tir.{name}(te.var("x", "{kind}")).dtype
        '{result}'
    """
    return made


_OF_INTEGERS = ("popcount", "clz", "bitwise_not", "shift_left", "shift_right", "bitwise_and", "bitwise_or", "bitwise_xor",
                "floordiv", "floormod", "truncdiv", "truncmod", "ceildiv", "indexdiv", "indexmod")


def _binary(name, doc, function=None):
    function = function or _get("tir." + name)
    kind = "int32" if name in _OF_INTEGERS else "float32"
    other = "int32" if name == "ldexp" else kind
    doc += f"""

    Example:
        >>> from lathe import te, tir
        >>> tir.{name}(te.var("a", "{kind}"), te.var("b", "{other}")).dtype
        '{kind}'
    """

    def made(a, b, span=None):
        return function(a, b)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = doc
    return made


exp, exp2, exp10 = _unary("exp"), _unary("exp2"), _unary("exp10")
log, log2, log10, log1p = _unary("log"), _unary("log2"), _unary("log10"), _unary("log1p")
expm1, sqrt, rsqrt = _unary("expm1"), _unary("sqrt"), _unary("rsqrt")
sin, cos, tan = _unary("sin"), _unary("cos"), _unary("tan")
asin, acos, atan = _unary("asin"), _unary("acos"), _unary("atan")
sinh, cosh, tanh = _unary("sinh"), _unary("cosh"), _unary("tanh")
asinh, acosh, atanh = _unary("asinh"), _unary("acosh"), _unary("atanh")
sigmoid, erf = _unary("sigmoid"), _unary("erf")
floor, ceil, round, trunc = _unary("floor"), _unary("ceil"), _unary("round"), _unary("trunc")
nearbyint, abs = _unary("nearbyint"), _unary("abs")
isnan, isinf, isfinite = _unary("isnan"), _unary("isinf"), _unary("isfinite")
popcount, clz = _unary("popcount"), _unary("clz")
bitwise_not = _unary("bitwise_not")
logical_not = _unary("logical_not", "The negation of a condition.")
likely = _unary("likely", "The condition itself, marked as usually true.")

add = _binary("add", "a + b.")
subtract = _binary("subtract", "a - b.")
multiply = _binary("multiply", "a * b.")
atan2 = _binary("atan2", "The angle of the point (b, a), in radians.")
power = _binary("power", "a to the power of b.", _get("tir.pow"))
pow = power
fmod = _binary("fmod", "The remainder of a / b with the sign of a; floats.")
copysign = _binary("copysign", "The magnitude of a with the sign of b.")
hypot = _binary("hypot", "sqrt(a * a + b * b) without overflow.")
nextafter = _binary("nextafter", "The next float after a in the direction of b.")
ldexp = _binary("ldexp", "a * 2 ** b.")
shift_left = _binary("shift_left", "a << b.")
shift_right = _binary("shift_right", "a >> b.")
bitwise_and = _binary("bitwise_and", "a & b.")
bitwise_or = _binary("bitwise_or", "a | b.")
bitwise_xor = _binary("bitwise_xor", "a ^ b.")
floordiv = _binary("floordiv", "a / b rounded down.")
floormod = _binary("floormod", "a - floordiv(a, b) * b: of the sign of b.")
truncdiv = _binary("truncdiv", "a / b rounded toward zero, as C does.")
truncmod = _binary("truncmod", "The remainder of truncdiv: of the sign of a.")
ceildiv = _binary("ceildiv", "a / b rounded up; b > 0.")
indexdiv = _binary("indexdiv", "Division of indices: rounds down.", _get("tir.floordiv"))
indexmod = _binary("indexmod", "Remainder of indices: of the sign of b.", _get("tir.floormod"))
div = _binary("div", "a / b: of floats the quotient, of integers rounded toward zero.",
              lambda a, b: _div(a, b))
min = _binary("min", "The lesser of two values.")
max = _binary("max", "The greater of two values.")


def _div(a, b):
    a, b = _convert(a), _convert(b)
    whole = ("int", "uint")
    if a.dtype.startswith(whole) and b.dtype.startswith(whole):
        return truncdiv(a, b)
    return _get("tir.div")(a, b)


def fma(a, b, c):
    """a * b + c, rounded once.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x", "float32")
        >>> tir.fma(x, x, x).dtype
        'float32'
    """
    return _get("tir.fma")(a, b, c)


def q_multiply_shift(x, y, q, s):
    """floor(x * y / 2 ** (q + s) + 1/2), for int32 fixed-point numbers.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x")
        >>> tir.q_multiply_shift(x, te.const(1 << 30), 31, 0).dtype
        'int32'
    """
    return _get("tir.q_multiply_shift")(x, y, q, s)


def reinterpret(dtype, value):
    """The bits of a value as another type of the same size.

    Example:
        >>> from lathe import te, tir
        >>> tir.reinterpret("int32", te.var("x", "float32")).dtype
        'int32'
    """
    return _get("tir.reinterpret")(dtype, value)


def call_intrin(dtype, func_name, *args, span=None, **attrs):
    """A call of a registered intrinsic.

    Args:
        dtype: the type of its result.
        func_name: the intrinsic's name, such as "exp" ("tir.exp" is the same); `lathe.tir.intrinsics()` lists all.
            "call_llvm_intrin" and "call_llvm_pure_intrin" are the functions of these names.
        args: expressions or buffers.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_intrin("float32", "exp", te.var("x", "float32")).op
        'exp'
    """
    name = str(func_name).removeprefix("tir.")
    if name in _LLVM_CALLS:
        return _LLVM_CALLS[name](dtype, *args)
    return _get("tir.call")(dtype, name, list(args), attrs)


def call_packed(*args, span=None):
    """A call from compiled code to a packed function in the registry: its name, then arguments.

    Buffers arrive as tensors, expressions as numbers, strings as strings. The first call looks the
    function up. If the function raises an error, the compiled function ends with that error.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_packed("my.function", te.var("x")).op
        'call_packed'
    """
    from ..runtime.packed_func import ready

    if args:
        ready(args[0])
    return _get("tir.call")("int32", "call_packed", [a for a in args], {})


def call_extern(dtype, func_name, *args, span=None):
    """A call of a C function with that name, which is linked with the code.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_extern("float32", "sinf", te.var("x", "float32")).dtype
        'float32'
    """
    return _get("tir.call")(dtype, "call_extern", [func_name, *args], {})


def call_pure_extern(dtype, func_name, *args, span=None):
    """Like call_extern, for a function whose result depends only on its arguments.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_pure_extern("float32", "sinf", te.var("x", "float32")).op
        'call_pure_extern'
    """
    return _get("tir.call")(dtype, "call_pure_extern", [func_name, *args], {})


def call_llvm_intrin(dtype, name, *args, span=None):
    """A call of an intrinsic of LLVM that may change memory and registers; for target llvm.

    Args:
        dtype: the type of its result.
        name: LLVM's name, such as "llvm.prefetch".
        args: the number of arguments whose types LLVM overloads, a constant without effect (LLVM's
            declaration says it), and the intrinsic's arguments.

    Raises:
        LatheError: `llvm-intrinsic-arguments`: the first argument is no such number, or the name no text.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_llvm_intrin("int64", "llvm.readcyclecounter", tir.const(0, "uint32")).op
        'llvm_intrinsic_with_effects'
    """
    return _llvm_call("llvm_intrinsic_with_effects", dtype, name, args)


def call_llvm_pure_intrin(dtype, name, *args, span=None):
    """Like call_llvm_intrin, for an intrinsic whose result depends only on its arguments.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x", "float32")
        >>> tir.call_llvm_pure_intrin("float32", "llvm.fabs", tir.const(1, "uint32"), x).op
        'llvm_intrinsic'
    """
    return _llvm_call("llvm_intrinsic", dtype, name, args)


def _llvm_call(op, dtype, name, args):
    name = getattr(name, "value", name)  # text in a program is a StringImm
    if not isinstance(name, str):
        raise LatheTypeError("an intrinsic of LLVM must have its name", "llvm-intrinsic-arguments",
                             f'expected: text such as "llvm.fabs"\nfound: {type(name).__name__}')
    count = getattr(args[0], "value", args[0]) if args else None
    if not isinstance(count, int) or not 0 <= count < len(args):
        raise LatheValueError(
            f"the first argument of `{name}` must be the number of its overloaded argument types",
            "llvm-intrinsic-arguments", f'expected: a constant from 0 to {builtins.max(0, len(args) - 1)}\n'
            f'found: {"no argument" if not args else args[0]}\n'
            f'help: tir.call_llvm_pure_intrin("{dtype}", "{name}", tir.const(1, "uint32"), x)')
    return _get("tir.call")(dtype, op, [name, *args[1:]], {})


_LLVM_CALLS = {"call_llvm_intrin": call_llvm_intrin, "call_llvm_pure_intrin": call_llvm_pure_intrin}


def load_vector(buffer, indices, dtype=None):
    """The function behind Buffer.vload.

    Example:
        >>> from lathe import tir
        >>> A = tir.decl_buffer((16,), "float32", "A")
        >>> tir.expr.load_vector(A, 0, "float32x4").dtype
        'float32x4'

    Raises:
        LatheError: `buffer-element-type`: `dtype` has other elements than the buffer.
    """
    indices = list(indices) if isinstance(indices, (list, tuple)) else [indices]
    lanes = _lanes(dtype)
    element = buffer.dtype.partition("x")[0]
    if dtype and dtype.partition("x")[0] != element:
        raise LatheTypeError(f"buffer `{buffer.name}` has elements of another type", "buffer-element-type",
                             f"expected: {element}, or {element} with lanes\nfound: {dtype}\n"
                             "help: tir.reinterpret and Expr.astype convert the value that was read")
    if lanes > 1:
        indices[-1] = _get("tir.ramp")(indices[-1], 1, lanes)
    return _get("tir.load")(buffer, indices)


def store_vector(buffer, indices, value):
    """The function behind Buffer.vstore.

    Example:
        >>> from lathe import tir
        >>> A = tir.decl_buffer((16,), "float32", "A")
        >>> stmt = tir.expr.store_vector(A, 0, tir.Broadcast(tir.const(1.0), 4))
    """
    indices = list(indices) if isinstance(indices, (list, tuple)) else [indices]
    value = _convert(value)
    lanes = _lanes(value.dtype)
    if lanes > 1:
        indices[-1] = _get("tir.ramp")(indices[-1], 1, lanes)
    return _get("tir.make_store")(buffer, value, indices)


def _lanes(dtype):
    _, x, lanes = (dtype or "").partition("x")
    return int(lanes) if x and lanes.isdigit() else 1


def intrinsics():
    """The names of all registered intrinsics.

    Example:
        >>> from lathe import tir
        >>> "exp" in tir.intrinsics()
        True
    """
    return _get("tir.intrinsics")()


def intrinsic_doc(name):
    """The signature and meaning of an intrinsic, as text.

    Example:
        >>> from lathe import tir
        >>> "exp" in tir.intrinsic_doc("exp")
        True
    """
    return _get("tir.intrinsic_doc")(name)
