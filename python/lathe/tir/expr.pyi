"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe._ops as _ops
import lathe.ir as _ir
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

def abs(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """abs(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.abs(te.var("x", "float32")).dtype
        'float32'
    """

def acos(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """acos(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.acos(te.var("x", "float32")).dtype
        'float32'
    """

def acosh(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """acosh(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.acosh(te.var("x", "float32")).dtype
        'float32'
    """

def add(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a + b.

    Example:
        >>> from lathe import te, tir
        >>> tir.add(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def all(*args: _ops.Value, axis: Any = ..., where: Any = ..., init: Any = ..., span: Any = ...) -> _ir.Expr:
    """Do all conditions hold? With `axis`: reduces one condition over that axis.

    Example:
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> tir.all(i >= 0, i < 4).dtype
        'bool'
    """

def any(*args: _ops.Value, axis: Any = ..., where: Any = ..., init: Any = ..., span: Any = ...) -> _ir.Expr:
    """Does any condition hold? With `axis`: reduces one condition over that axis.

    Example:
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> tir.any(i < 0, i >= 4).dtype
        'bool'
    """

def asin(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """asin(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.asin(te.var("x", "float32")).dtype
        'float32'
    """

def asinh(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """asinh(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.asinh(te.var("x", "float32")).dtype
        'float32'
    """

def atan(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """atan(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.atan(te.var("x", "float32")).dtype
        'float32'
    """

def atan2(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The angle of the point (b, a), in radians.

    Example:
        >>> from lathe import te, tir
        >>> tir.atan2(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def atanh(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """atanh(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.atanh(te.var("x", "float32")).dtype
        'float32'
    """

def bitwise_and(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a & b.

    Example:
        >>> from lathe import te, tir
        >>> tir.bitwise_and(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def bitwise_not(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """bitwise_not(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.bitwise_not(te.var("x", "int32")).dtype
        'int32'
    """

def bitwise_or(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a | b.

    Example:
        >>> from lathe import te, tir
        >>> tir.bitwise_or(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def bitwise_xor(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a ^ b.

    Example:
        >>> from lathe import te, tir
        >>> tir.bitwise_xor(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def call_extern(dtype: str, func_name: Any, *args: Any, span: Any = ...) -> _ir.Expr:
    """A call of a C function with that name, which is linked with the code.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_extern("float32", "sinf", te.var("x", "float32")).dtype
        'float32'
    """

def call_intrin(dtype: str, func_name: Any, *args: Any, span: Any = ..., **attrs: Any) -> _ir.Expr:
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

def call_llvm_intrin(dtype: Any, name: Any, *args: Any, span: Any = ...) -> _ir.Expr:
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

def call_llvm_pure_intrin(dtype: Any, name: Any, *args: Any, span: Any = ...) -> _ir.Expr:
    """Like call_llvm_intrin, for an intrinsic whose result depends only on its arguments.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x", "float32")
        >>> tir.call_llvm_pure_intrin("float32", "llvm.fabs", tir.const(1, "uint32"), x).op
        'llvm_intrinsic'
    """

def call_packed(*args: Any, span: Any = ...) -> _ir.Expr:
    """A call from compiled code to a packed function in the registry: its name, then arguments.

    Buffers arrive as tensors, expressions as numbers, strings as strings. The first call looks the
    function up. If the function raises an error, the compiled function ends with that error.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_packed("my.function", te.var("x")).op
        'call_packed'
    """

def call_pure_extern(dtype: str, func_name: Any, *args: Any, span: Any = ...) -> _ir.Expr:
    """Like call_extern, for a function whose result depends only on its arguments.

    Example:
        >>> from lathe import te, tir
        >>> tir.call_pure_extern("float32", "sinf", te.var("x", "float32")).op
        'call_pure_extern'
    """

def ceil(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """ceil(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.ceil(te.var("x", "float32")).dtype
        'float32'
    """

def ceildiv(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a / b rounded up; b > 0.

    Example:
        >>> from lathe import te, tir
        >>> tir.ceildiv(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def clz(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """clz(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.clz(te.var("x", "int32")).dtype
        'int32'
    """

def const(value: int | float | bool, dtype: str | None = ..., span: Any = ...) -> _ir.Expr:
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

def convert(value: Any) -> Any:
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

def copysign(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The magnitude of a with the sign of b.

    Example:
        >>> from lathe import te, tir
        >>> tir.copysign(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def cos(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """cos(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.cos(te.var("x", "float32")).dtype
        'float32'
    """

def cosh(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """cosh(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.cosh(te.var("x", "float32")).dtype
        'float32'
    """

def div(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a / b: of floats the quotient, of integers rounded toward zero.

    Example:
        >>> from lathe import te, tir
        >>> tir.div(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def erf(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """erf(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.erf(te.var("x", "float32")).dtype
        'float32'
    """

def exp(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """exp(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.exp(te.var("x", "float32")).dtype
        'float32'
    """

def exp10(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """exp10(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.exp10(te.var("x", "float32")).dtype
        'float32'
    """

def exp2(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """exp2(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.exp2(te.var("x", "float32")).dtype
        'float32'
    """

def expm1(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """expm1(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.expm1(te.var("x", "float32")).dtype
        'float32'
    """

def floor(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """floor(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.floor(te.var("x", "float32")).dtype
        'float32'
    """

def floordiv(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a / b rounded down.

    Example:
        >>> from lathe import te, tir
        >>> tir.floordiv(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def floormod(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a - floordiv(a, b) * b: of the sign of b.

    Example:
        >>> from lathe import te, tir
        >>> tir.floormod(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def fma(a: _ops.Value, b: _ops.Value, c: _ops.Value) -> _ir.Expr:
    """a * b + c, rounded once.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x", "float32")
        >>> tir.fma(x, x, x).dtype
        'float32'
    """

def fmod(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The remainder of a / b with the sign of a; floats.

    Example:
        >>> from lathe import te, tir
        >>> tir.fmod(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def hypot(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """sqrt(a * a + b * b) without overflow.

    Example:
        >>> from lathe import te, tir
        >>> tir.hypot(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def if_then_else(cond: _ops.Value, t: _ops.Value, f: _ops.Value, span: Any = ...) -> _ir.Expr:
    """`t` if `cond` holds, else `f`. Only the chosen value is evaluated.

    Example:
        >>> from lathe import te
        >>> i = te.var("i")
        >>> te.if_then_else(i < 8, 1.0, 0.0).dtype
        'float32'
    """

def indexdiv(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """Division of indices: rounds down.

    Example:
        >>> from lathe import te, tir
        >>> tir.indexdiv(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def indexmod(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """Remainder of indices: of the sign of b.

    Example:
        >>> from lathe import te, tir
        >>> tir.indexmod(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def intrinsic_doc(name: Any) -> str:
    """The signature and meaning of an intrinsic, as text.

    Example:
        >>> from lathe import tir
        >>> "exp" in tir.intrinsic_doc("exp")
        True
    """

def intrinsics() -> tuple[str, ...]:
    """The names of all registered intrinsics.

    Example:
        >>> from lathe import tir
        >>> "exp" in tir.intrinsics()
        True
    """

def isfinite(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """isfinite(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.isfinite(te.var("x", "float32")).dtype
        'bool'
    """

def isinf(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """isinf(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.isinf(te.var("x", "float32")).dtype
        'bool'
    """

def isnan(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """isnan(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.isnan(te.var("x", "float32")).dtype
        'bool'
    """

def ldexp(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a * 2 ** b.

    Example:
        >>> from lathe import te, tir
        >>> tir.ldexp(te.var("a", "float32"), te.var("b", "int32")).dtype
        'float32'
    """

def likely(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The condition itself, marked as usually true.

    Example:
        >>> from lathe import te, tir
        >>> tir.likely(te.var("x", "bool")).dtype
        'bool'
    """

def load_vector(buffer: Any, indices: Any, dtype: Any = ...) -> _ir.Expr:
    """The function behind Buffer.vload.

    Example:
        >>> from lathe import tir
        >>> A = tir.decl_buffer((16,), "float32", "A")
        >>> tir.expr.load_vector(A, 0, "float32x4").dtype
        'float32x4'

    Raises:
        LatheError: `buffer-element-type`: `dtype` has other elements than the buffer.
    """

def log(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """log(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.log(te.var("x", "float32")).dtype
        'float32'
    """

def log10(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """log10(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.log10(te.var("x", "float32")).dtype
        'float32'
    """

def log1p(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """log1p(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.log1p(te.var("x", "float32")).dtype
        'float32'
    """

def log2(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """log2(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.log2(te.var("x", "float32")).dtype
        'float32'
    """

def logical_not(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The negation of a condition.

    Example:
        >>> from lathe import te, tir
        >>> tir.logical_not(te.var("x", "bool")).dtype
        'bool'
    """

def max(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The greater of two values.

    Example:
        >>> from lathe import te, tir
        >>> tir.max(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def min(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The lesser of two values.

    Example:
        >>> from lathe import te, tir
        >>> tir.min(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def multiply(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a * b.

    Example:
        >>> from lathe import te, tir
        >>> tir.multiply(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def nearbyint(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """nearbyint(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.nearbyint(te.var("x", "float32")).dtype
        'float32'
    """

def nextafter(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The next float after a in the direction of b.

    Example:
        >>> from lathe import te, tir
        >>> tir.nextafter(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def popcount(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """popcount(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.popcount(te.var("x", "int32")).dtype
        'int32'
    """

def pow(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a to the power of b.

    Example:
        >>> from lathe import te, tir
        >>> tir.power(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def power(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a to the power of b.

    Example:
        >>> from lathe import te, tir
        >>> tir.power(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def q_multiply_shift(x: _ops.Value, y: _ops.Value, q: _ops.Value, s: _ops.Value) -> _ir.Expr:
    """floor(x * y / 2 ** (q + s) + 1/2), for int32 fixed-point numbers.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x")
        >>> tir.q_multiply_shift(x, te.const(1 << 30), 31, 0).dtype
        'int32'
    """

def reinterpret(dtype: str, value: _ops.Value) -> _ir.Expr:
    """The bits of a value as another type of the same size.

    Example:
        >>> from lathe import te, tir
        >>> tir.reinterpret("int32", te.var("x", "float32")).dtype
        'int32'
    """

def round(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """round(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.round(te.var("x", "float32")).dtype
        'float32'
    """

def rsqrt(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """rsqrt(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.rsqrt(te.var("x", "float32")).dtype
        'float32'
    """

def select(condition: _ops.Value, true_value: _ops.Value, false_value: _ops.Value) -> _ir.Expr:
    """Like if_then_else, but both values are evaluated, as vectors need it.

    Example:
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> tir.select(i < 4, i, 4).dtype
        'int32'
    """

def shift_left(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a << b.

    Example:
        >>> from lathe import te, tir
        >>> tir.shift_left(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def shift_right(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a >> b.

    Example:
        >>> from lathe import te, tir
        >>> tir.shift_right(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def sigmoid(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """sigmoid(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.sigmoid(te.var("x", "float32")).dtype
        'float32'
    """

def sin(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """sin(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.sin(te.var("x", "float32")).dtype
        'float32'
    """

def sinh(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """sinh(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.sinh(te.var("x", "float32")).dtype
        'float32'
    """

def sqrt(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """sqrt(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.sqrt(te.var("x", "float32")).dtype
        'float32'
    """

def store_vector(buffer: Any, indices: Any, value: _ops.Value) -> _ir.Stmt:
    """The function behind Buffer.vstore.

    Example:
        >>> from lathe import tir
        >>> A = tir.decl_buffer((16,), "float32", "A")
        >>> stmt = tir.expr.store_vector(A, 0, tir.Broadcast(tir.const(1.0), 4))
    """

def subtract(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a - b.

    Example:
        >>> from lathe import te, tir
        >>> tir.subtract(te.var("a", "float32"), te.var("b", "float32")).dtype
        'float32'
    """

def tan(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """tan(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.tan(te.var("x", "float32")).dtype
        'float32'
    """

def tanh(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """tanh(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.tanh(te.var("x", "float32")).dtype
        'float32'
    """

def trunc(x: _ops.Value, span: Any = ...) -> _ir.Expr:
    """trunc(x), elementwise; of the type of x.

    Example:
        >>> from lathe import te, tir
        >>> tir.trunc(te.var("x", "float32")).dtype
        'float32'
    """

def truncdiv(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """a / b rounded toward zero, as C does.

    Example:
        >>> from lathe import te, tir
        >>> tir.truncdiv(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """

def truncmod(a: _ops.Value, b: _ops.Value, span: Any = ...) -> _ir.Expr:
    """The remainder of truncdiv: of the sign of a.

    Example:
        >>> from lathe import te, tir
        >>> tir.truncmod(te.var("a", "int32"), te.var("b", "int32")).dtype
        'int32'
    """
