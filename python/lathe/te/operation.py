"""Placeholders, computes, reductions, scans, extern operations."""

import collections
import functools
import threading

from .. import _ffi, _nodes
from .._places import here as _here
from ..error import LatheTypeError, LatheValueError

_get = _ffi.get
_placeholder = _get("te.placeholder")
_compute = _get("te.compute")
_reduce = _get("te.reduce")
_reduce_axis = _get("te.reduce_axis")
_stamp = _get("te.stamp")
_tags = threading.local()
# The last axes that `reduce_axis` made: an expression holds only their variables.
_reduce_axes = collections.deque(maxlen=64)


class tag_scope:
    """`with te.tag_scope("elemwise"):` operations made within it get the tag. Also a decorator.

    Scopes do not nest. Each thread has its own.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> with te.tag_scope("elemwise"):
        ...     B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> B.op.tag
        'elemwise'
    """

    def __init__(self, tag):
        self.tag = tag

    def __enter__(self):
        if getattr(_tags, "tag", None) is not None:
            raise LatheValueError("tag scopes do not nest", "tag-scope-nested",
                                  f"found: `{self.tag}` within `{_tags.tag}`")
        _tags.tag = self.tag
        return self

    def __exit__(self, *exc):
        _tags.tag = None

    def __call__(self, function):
        def tagged(*args, **kwargs):
            with tag_scope(self.tag):
                return function(*args, **kwargs)

        tagged.__name__, tagged.__doc__ = function.__name__, function.__doc__
        return tagged


def _placed(function):
    """The operation that `function` makes records the user's line."""
    @functools.wraps(function)
    def placed(*args, **kwargs):
        made = function(*args, **kwargs)
        _stamp(made, *_here())
        return made

    return placed


def _tag(tag):
    return tag or getattr(_tags, "tag", None) or ""


def _shape(shape):
    if isinstance(shape, (list, tuple)):
        return tuple(shape)
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        return (shape,)
    return tuple(shape)


@_placed
def placeholder(shape, dtype="float32", name="placeholder"):
    """An input.

    Args:
        shape: extents (int or expressions).
        dtype: the element type.
        name: for readers.

    Returns:
        A Tensor.

    Example:
        >>> from lathe import te
        >>> te.placeholder((te.var("n"), 64), name="A").ndim
        2
    """
    return _placeholder(_shape(shape), dtype or "float32", name)


@_placed
def compute(shape, fcompute, name="compute", tag="", attrs=None, varargs_names=None):
    """out[i, j, ...] = fcompute(i, j, ...).

    Args:
        shape: extents of the output; () for a scalar.
        fcompute: called once, with a variable for each axis. Returns an expression, or a tuple of
            them for several outputs with the same shape.
        name: the operation's name.
        tag: a hint for automatic schedules, such as "elemwise".
        attrs: a dict of further attributes. `layout_free_placeholders` lists inputs whose elements
            may lie in another order in memory, such as weights: see `Schedule.pre_transform`, and
            `auto_scheduler.LayoutRewriteOption`.
        varargs_names: names of the axes that `*indices` of `fcompute` stands for.

    Returns:
        A Tensor, or a tuple of them if `fcompute` returned a tuple.

    Raises:
        LatheError: the expressions do not fit; `reduce-missing`: a `reduce_axis` is used without a
            reduction. Exceptions of `fcompute` pass through.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 8), name="A")
        >>> te.compute((8, 8), lambda i, j: A[j, i], name="T").dtype
        'float32'
    """
    if not callable(fcompute):
        raise LatheTypeError("compute needs a function of the axes", "compute-body-type",
                             f"found: {type(fcompute).__name__}")
    shape = _shape(shape)
    rank = len(shape)
    names = []
    code = getattr(fcompute, "__code__", None)
    if code is not None:
        taken = code.co_argcount - (1 if getattr(fcompute, "__self__", None) is not None else 0)
        parameters = code.co_varnames[:code.co_argcount]
        if code.co_flags & 0x04:  # *indices
            names = list(parameters[code.co_argcount - taken:][:rank])
            more = list(varargs_names or [f"i{k}" for k in range(taken, rank)])
            if len(names) + len(more) != rank:
                raise LatheValueError(f"compute `{name}` has names for other axes than its function's", "compute-rank",
                                      f"expected: {rank - len(names)} names\nfound: {len(more)}")
            names += more
        else:
            defaults = len(getattr(fcompute, "__defaults__", None) or ())
            if not taken - defaults <= rank <= taken:
                raise LatheValueError(
                    f"the function of compute `{name}` takes {taken} indices, its output has {rank} "
                    "dimensions", "compute-rank", "help: one parameter for each dimension")
            names = list(parameters[code.co_argcount - taken:][:rank])
        names = [n if n != "_" else f"i{k}" for k, n in enumerate(names)]

    def body(indices):
        made = fcompute(*indices)
        return tuple(made) if isinstance(made, list) else made

    kept = dict(attrs or {})
    layout_free = list(kept.pop("layout_free_placeholders", None) or ())
    made = _compute(shape, body, name, _tag(tag), kept, names)
    _refuse_lone_axes((made[0] if isinstance(made, tuple) else made).op)
    if not layout_free:
        return made
    op = _get("te.mark_layout_free")((made[0] if isinstance(made, tuple) else made).op, layout_free)
    return tuple(op.output(i) for i in range(len(made))) if isinstance(made, tuple) else op.output(0)


def _refuse_lone_axes(op):
    """Raises an error if a compute reads a reduction's axis and does not reduce over it."""
    axes = [axis for axis in list(_reduce_axes) if not any(axis.same_as(one) for one in op.reduce_axis)]
    if not axes:
        return
    for used in (one for value in op.body for one in _get("ir.free_vars")(value)):
        if any(used.same_as(axis.var) for axis in axes):
            raise LatheValueError(f"compute `{op.name}` uses the reduction axis `{used.name}` and has no reduction over it",
                                  "reduce-missing", f"found: {op.body[0]}\n"
                                  f"help: te.sum(..., axis={used.name}), or te.max, te.min, te.prod")


def var(name="tindex", dtype="int32"):
    """A variable: a scalar parameter, or a symbolic extent.

    Example:
        >>> from lathe import te
        >>> te.var("n").dtype
        'int32'
    """
    return _get("tir.var")(name, dtype)


def size_var(name="size", dtype="int32"):
    """A variable known to be >= 0: a symbolic extent.

    Example:
        >>> from lathe import te
        >>> te.size_var("n", "int64").dtype
        'int64'
    """
    return _get("tir.size_var")(name, dtype)


def const(value, dtype=None):
    """A constant. Without `dtype`, its type follows from the value.

    Args:
        value: an int, float or bool, also one of NumPy's.
        dtype: its type; by default int32 (int64 if the value needs it), float32 or bool.

    Returns:
        An expression.

    Raises:
        LatheError: `constant-out-of-range`, `constant-type`.

    Example:
        >>> from lathe import te
        >>> te.const(1.5).dtype
        'float32'
    """
    from ..tir.expr import const as make

    return make(value, dtype)


def reduce_axis(dom, name="rv", thread_tag="", span=None):
    """An axis to reduce over.

    Args:
        dom: (begin, end) or a Range. The ends may use the compute's own axes and reduction axes
            before this one; the loops of those must stay outside of this one's.
        name: for readers.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 8), name="A")
        >>> k = te.reduce_axis((0, 8), name="k")
        >>> row_sum = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="row_sum")
        >>> def of_triangle(i):
        ...     j = te.reduce_axis((0, i + 1), name="j")
        ...     return te.sum(A[i, j], axis=j)
        >>> triangle_sum = te.compute((8,), of_triangle, name="triangle_sum")
    """
    if isinstance(dom, (list, tuple)):
        if len(dom) != 2:
            raise LatheValueError("a reduction's domain must have a begin and an end", "reduce-domain",
                                  "expected: (begin, end)")
        begin, end = dom
        if isinstance(begin, float) or isinstance(end, float):
            raise LatheValueError("a reduction's domain must be of integers", "reduce-domain",
                                  f"expected: (begin, end) of int or expressions\nfound: {dom}\n"
                                  "help: `//` divides whole numbers, `/` gives a float")
        extent = end if isinstance(begin, int) and begin == 0 else end - begin
        return _remembered(_reduce_axis(begin, extent, name))
    if not hasattr(dom, "extent"):
        raise LatheTypeError("a reduction's domain must have a begin and an end", "reduce-domain",
                             f"expected: (begin, end) or a Range\nfound: {type(dom).__name__}\n"
                             "help: te.reduce_axis((0, n))")
    return _remembered(_reduce_axis(dom.min, dom.extent, name))


def _remembered(axis):
    _reduce_axes.append(axis)
    return axis


def thread_axis(dom=None, tag="", name="", span=None):
    """A thread axis to bind loops to, such as te.thread_axis("threadIdx.x").

    Args:
        dom: its extent, (0, extent), a Range, or the tag itself; None: the loop gives the extent.
        tag: "blockIdx.x" ... "threadIdx.z", "vthread", or a tag of a plugin.

    Example:
        >>> from lathe import te
        >>> te.thread_axis("threadIdx.x").thread_tag
        'threadIdx.x'
    """
    if isinstance(dom, str):
        dom, tag = None, dom
    if not tag:
        raise LatheValueError("a thread axis needs a tag", "thread-tag",
                              'help: te.thread_axis("threadIdx.x")')
    extent = None
    if isinstance(dom, (list, tuple)):
        extent = dom[1] - dom[0]
    elif dom is not None:
        extent = getattr(dom, "extent", dom)
    return _get("schedule.thread_axis")(tag, extent)


def _axes(axis):
    return list(axis) if isinstance(axis, (list, tuple)) else [axis]


def _reduction(name, what, of_two):
    of_two = _get("tir." + of_two)

    def reduce(expr, axis, where=None, init=None):
        if isinstance(expr, _nodes.CLASSES["Tensor"]):
            raise LatheTypeError(f"te.{name} takes an expression, not a tensor", "reduce-operand-type",
                                 f"help: within a compute: te.{name}({expr.name}[i, k], axis=k)")
        if where is None and init is None and not isinstance(axis, (list, tuple, _nodes.CLASSES["IterVar"])):
            return of_two(expr, axis)
        return _reduce(name, expr, _axes(axis), where, init)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"""{what} over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them. A number or another expression instead gives the same of these two
            values, and no reduction.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> te.compute((8,), lambda i: te.{name}(A[i, k], axis=k), name="B").dtype
        'float32'
    """
    return reduce


sum = _reduction("sum", "The sum of `expr`", "add")
prod = _reduction("prod", "The product of `expr`", "multiply")
min = _reduction("min", "The least value of `expr`", "min")
max = _reduction("max", "The greatest value of `expr`", "max")


def argmin(pair, axis, where=None, init=None):
    """(index, value) of the least value. `pair` is (index, value) within a compute.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> index, value = te.compute((8,), lambda i: te.argmin((k, A[i, k]), axis=k), name="least")
        >>> index.dtype, value.dtype
        ('int32', 'float32')
    """
    return _get("te.arg_reduce")("argmin", pair[0], pair[1], _axes(axis), where)


def argmax(pair, axis, where=None, init=None):
    """(index, value) of the greatest value. `pair` is (index, value) within a compute.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> index, value = te.compute((8,), lambda i: te.argmax((k, A[i, k]), axis=k), name="most")
        >>> index.dtype, value.dtype
        ('int32', 'float32')
    """
    return _get("te.arg_reduce")("argmax", pair[0], pair[1], _axes(axis), where)


def comm_reducer(fcombine, fidentity, name="reduce"):
    """Makes a reduction from functions of your own.

    Args:
        fcombine: (x, y) -> result, or the same with tuples. Must be commutative and associative.
        fidentity: (dtype, ...) -> the identity (or a tuple of them).

    Returns:
        A function (expr, axis, where=None, init=None) -> expression(s).

    Example:
        >>> from lathe import te
        >>> product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4))
        >>> P = te.compute((8,), lambda i: product(A[i, k], axis=k))
    """

    def reducer(expr, axis, where=None, init=None):
        values = list(expr) if isinstance(expr, (list, tuple)) else [expr]
        types = [v.dtype for v in values]
        identity = fidentity(*types)
        identity = list(identity) if isinstance(identity, (list, tuple)) else [identity]

        def combine(lhs, rhs):
            if len(values) == 1:
                return fcombine(lhs[0], rhs[0])
            made = fcombine(lhs, rhs)
            return tuple(made) if isinstance(made, list) else made

        made = _get("te.reducer")(name, types, combine, identity)
        inits = [] if init is None else (list(init) if isinstance(init, (list, tuple)) else [init])
        out = _get("te.reduce_with")(made, values, _axes(axis), where, inits)
        return out if isinstance(expr, (list, tuple)) else out[0]

    reducer.__doc__ = fcombine.__doc__
    return reducer


# The greatest finite value of each type of floats.
_GREATEST_FLOATS = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
                    "float64": 1.7976931348623157e308, "float8_e5m2": 57344.0}


def _extreme(function, dtype, sign):
    made = _get(function)(dtype)
    greatest = _GREATEST_FLOATS.get(made.dtype)
    return made if greatest is None else _get("tir.const")(sign * greatest, made.dtype)


def min_value(dtype):
    """The least finite value of a type. For minus infinity: `tir.const(float("-inf"), dtype)`.

    Args:
        dtype: a type of numbers, without lanes: for vectors, `.astype("float32x4")` of the value repeats it.

    Returns:
        A constant.

    Raises:
        LatheError: `reducer-type`: the type has lanes, or is none of numbers.

    Example:
        >>> from lathe import te
        >>> int(te.min_value("int8"))
        -128
        >>> te.min_value("float16").value
        -65504.0
    """
    return _extreme("te.min_value", dtype, -1)


def max_value(dtype):
    """The greatest finite value of a type. For infinity: `tir.const(float("inf"), dtype)`.

    Args:
        dtype: a type of numbers, without lanes, as for `min_value`.

    Returns:
        A constant.

    Raises:
        LatheError: `reducer-type`: the type has lanes, or is none of numbers.

    Example:
        >>> from lathe import te
        >>> int(te.max_value("uint8"))
        255
    """
    return _extreme("te.max_value", dtype, 1)


def _refuse_future(name, updates, states):
    """Raises an error for updates whose row t surely reads the state at row t or later."""
    from ..arith import Analyzer

    compute_op, load = _nodes.CLASSES["ComputeOp"], _nodes.CLASSES["Load"]
    for op in {update.op for update in updates if isinstance(update, _nodes.CLASSES["Tensor"])}:
        if not isinstance(op, compute_op) or not op.axis:
            continue
        time = op.axis[0].var

        def look(node):
            if not isinstance(node, load) or not any(node.source == state for state in states):
                return
            if Analyzer().can_prove(node.indices[0] >= time):
                raise LatheValueError(f"the update `{op.name}` of scan `{name}` reads the state at a row that comes later",
                                      "scan-future", f"expected: rows before `{time}`, such as "
                                      f"{node.source.name}[{time} - 1, ...]\nfound: {node}")

        for value in op.body:
            _get("ir.post_order")(value, look)


@_placed
def scan(init, update, state_placeholder, inputs=None, name="scan", tag="", attrs=None):
    """A recurrence: `init` gives the first rows of the state, `update` the others one by one.

    Args:
        init: tensor(s) with the first rows.
        update: tensor(s) whose row t reads the state at rows before t.
        state_placeholder: placeholder(s) for the whole state.

    Raises:
        LatheError: `scan-mismatch`; `scan-future`: the update reads rows of the state that come later.

    Returns:
        The final state(s): a Tensor, or a tuple if lists were given.

    Example:
        >>> from lathe import te
        >>> X = te.placeholder((5, 8), name="X")
        >>> S = te.placeholder((5, 8), name="S")
        >>> first = te.compute((1, 8), lambda t, j: X[0, j], name="first")
        >>> following = te.compute((5, 8), lambda t, j: S[t - 1, j] + X[t, j], name="following")
        >>> te.scan(first, following, S, inputs=[X], name="sums").ndim
        2
    """
    many = isinstance(init, (list, tuple))
    name = name or "scan"

    def listed(x):
        return list(x) if isinstance(x, (list, tuple)) else [x]

    _refuse_future(name, listed(update), listed(state_placeholder))
    out = _get("te.scan")(listed(init), listed(update), listed(state_placeholder),
                          listed(inputs) if inputs else [], name, _tag(tag), attrs or {})
    return out if many or len(out) > 1 else out[0]


@_placed
def constant(value, name="constant"):
    """A tensor whose elements are known now. They come from an array (NumPy's, or any with DLPack).

    Example:
        >>> import numpy as np
        >>> from lathe import te
        >>> te.constant(np.ones((2, 2), "float32"), name="W").dtype
        'float32'
    """
    from ..runtime.tensor import from_dlpack

    tensor = value if isinstance(value, _nodes.Object) else from_dlpack(value)
    data = _get("tensor.to_bytes", True)(tensor)
    return _get("te.constant")(data, list(tensor.shape), tensor.dtype, name)


def _returned(made, what):
    """What the user's function returned. Raises an error if that is None."""
    if made is None:
        raise LatheTypeError(f"{what} returned nothing", "value-wrong-kind",
                             "expected: a statement, or an expression to evaluate\nfound: None\n"
                             "help: end it with `return ib.get()`, if a builder makes the statement")
    return made


@_placed
def extern(shape, inputs, fcompute, name="extern", dtype=None, in_buffers=None, out_buffers=None,
           tag="", attrs=None):
    """An operation with a hand-written statement, such as a call of a packed function.

    Args:
        shape: the shape of the output, or a list of shapes.
        inputs: the tensors that it reads.
        fcompute: (input buffers, output buffers) -> a statement, or an expression to evaluate.
        dtype: element type(s) of the outputs; by default that of the first input. Without inputs it
            must be given.

    Raises:
        LatheError: `extern-dtype`: there is neither an input nor a type; `value-wrong-kind`: `fcompute`
            returned nothing.

    Returns:
        A Tensor, or a tuple of them if a list of several shapes was given.

    Example:
        >>> from lathe import te, tir
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.extern((8,), [A], lambda ins, outs: tir.call_packed(
        ...     "my.function", ins[0], outs[0]), name="B")
    """
    if in_buffers or out_buffers:
        raise LatheValueError("buffers of an extern operation follow from its tensors",
                              "extern-buffers", "help: leave in_buffers and out_buffers out")
    inputs = list(inputs)
    shapes = list(shape) if isinstance(shape, list) else [shape]
    many = len(shapes) > 0 and isinstance(shapes[0], (list, tuple))
    if not many:
        shapes = [_shape(shape)]
    if dtype is None:
        if not inputs:
            raise LatheValueError(f"extern `{name}` has no inputs, and so no element type", "extern-dtype",
                                  'help: te.extern(..., dtype="float32")')
        dtype = [inputs[0].dtype] * len(shapes)

    def body(ins, outs):
        return _returned(fcompute(ins, outs), f"the function of extern `{name}`")

    dtypes = list(dtype) if isinstance(dtype, (list, tuple)) else [dtype] * len(shapes)
    out = _get("te.extern")([list(_shape(s)) for s in shapes], dtypes, inputs, body, name,
                            _tag(tag), attrs or {})
    return out if many and len(out) > 1 else out[0]
