"""Builds statements as Python runs: `with ib.for_range(0, n) as i: A[i] = A[i] + 1.0`."""

from .. import _ffi
from .._nodes import CLASSES as _classes
from .._ops import Stmt as _Stmt
from ..error import LatheTypeError, LatheValueError

_get = _ffi.get


class BufferVar:
    """A buffer in a builder: p[i] is an element, p[i] = x emits a store.

    A buffer of several dimensions takes an index for each of them, or one alone: the place of the
    element in row-major order.

    Example:
        >>> from lathe import tir
        >>> ib = tir.ir_builder.create()
        >>> data = ib.allocate("float32", (8,), name="buf")
        >>> data[0] = data[1] + 1.0
        >>> data.dtype
        'float32'
    """

    def __init__(self, builder, buffer):
        self._builder = builder
        self.buffer = buffer

    @property
    def asobject(self):
        """The buffer's data: a handle."""
        return lambda: self.buffer.data

    @property
    def dtype(self):
        """The element type."""
        return self.buffer.dtype

    def _indices(self, index):
        indices = index if isinstance(index, tuple) else (index,)
        if len(indices) == 1 and len(self.buffer.shape) > 1:
            return self._unravelled(indices[0])
        if len(indices) != len(self.buffer.shape):
            raise LatheValueError(
                f"buffer `{self.buffer.name}` has {len(self.buffer.shape)} dimensions", "buffer-rank",
                f"found: {len(indices)} indices")
        return indices

    def _unravelled(self, place):
        """The index for each dimension of the element at a place in row-major order."""
        indices = []
        for extent in reversed(self.buffer.shape[1:]):
            indices.insert(0, _get("tir.floormod")(place, extent))
            place = _get("tir.floordiv")(place, extent)
        return (place, *indices)

    def __getitem__(self, index):
        return _get("tir.load")(self.buffer, self._indices(index))

    def __setitem__(self, index, value):
        value = _get("tir.cast")(self.dtype, value)
        self._builder.emit(_get("tir.make_store")(self.buffer, value, self._indices(index)))


class _Scope:
    def __init__(self, enter, leave):
        self._enter, self._leave = enter, leave

    def __enter__(self):
        return self._enter()

    def __exit__(self, kind, value, traceback):
        self._leave(kind is None)


class IRBuilder:
    """Collects statements. `get()` returns them.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> A = tir.decl_buffer((8,), "float32", "A")
        >>> ib = tir.ir_builder.create()
        >>> data = ib.buffer_ptr(A)
        >>> with ib.for_range(0, 8, name="i") as i:
        ...     data[i] = data[i] + 1.0
        >>> func = tir.Func("bump", [A], ib.get())
    """

    def __init__(self):
        self._levels = [[]]

    def emit(self, stmt):
        """Appends a statement, an expression, or a callable that wraps all that follows."""
        if isinstance(stmt, _Stmt) or callable(stmt):
            self._levels[-1].append(stmt)
        else:
            self._levels[-1].append(_get("tir.make_evaluate")(stmt))

    @staticmethod
    def _sequence(items):
        """Makes one statement of the items. A callable among them wraps all items after it."""
        made = []
        for item in reversed(items):
            if callable(item) and not isinstance(item, _Stmt):
                rest = _get("tir.make_seq")(made[::-1]) if made else _nop()
                made = [item(rest)]
            else:
                made.append(item)
        return _get("tir.make_seq")(made[::-1]) if made else _nop()

    def _block(self, value, wrap):
        def enter():
            self._levels.append([])
            return value

        def leave(ok):
            items = self._levels.pop()
            if ok:
                self.emit(wrap(self._sequence(items)))

        return _Scope(enter, leave)

    def for_range(self, begin, end, name="i", dtype=None, kind="serial"):
        """A loop over [begin, end): `with ib.for_range(0, n) as i:`.

        Args:
            kind: "serial", "parallel", "vectorized" or "unrolled".
        """
        if dtype is None:
            dtype = "int64" if "int64" in (getattr(begin, "dtype", ""), getattr(end, "dtype", "")) \
                else "int32"
        var = _get("tir.var")(name, dtype)
        extent = end if isinstance(begin, int) and begin == 0 else (
            _get("tir.subtract")(_get("tir.convert")(end), begin))
        kind = {"vectorize": "vectorized", "unroll": "unrolled"}.get(kind, kind)
        return self._block(var, lambda body: _get("tir.make_for")(
            var, _get("tir.cast")(dtype, begin), _get("tir.cast")(dtype, extent), kind, body, "", {}))

    def thread(self, extent, tag, name=None):
        """A loop over the threads of an axis: `with ib.thread(64, "threadIdx.x") as tx:`."""
        var = _get("tir.var")(name or tag.replace(".", "_"), "int32")
        return self._block(var, lambda body: _get("tir.make_for")(var, 0, extent, "thread", body,
                                                                  tag, {}))

    def while_loop(self, condition):
        """Repeats while the condition holds."""
        return self._block(None, lambda body: _get("tir.make_while")(condition, body))

    def if_scope(self, cond):
        """A block that runs if the condition holds: `with ib.if_scope(i < 4):`."""
        return self._block(None, lambda body: _get("tir.make_if")(cond, body, None))

    def else_scope(self):
        """The else branch. Must directly follow an if_scope."""
        items = self._levels[-1]
        if not items or not isinstance(items[-1], _classes["If"]) or items[-1].else_case is not None:
            raise LatheValueError("else_scope follows an if_scope", "builder-else")
        branch = items.pop()
        return self._block(None, lambda body: _get("tir.make_if")(branch.condition,
                                                                  branch.then_case, body))

    def scope_attr(self, node, attr_key, value):
        """Attaches an attribute to all that follows in this block.

        Args:
            node: what the attribute is about. For "thread_extent" and "virtual_thread" a te.thread_axis:
                all that follows is then a loop over its threads, in which the axis is an index.
            attr_key: the attribute's name.
            value: a number, text or expression; for a thread axis the number of threads.

        Raises:
            LatheError: `builder-thread-axis`: `node` is no thread axis.
        """
        value = _get("tir.convert")(value)
        if attr_key in ("thread_extent", "virtual_thread"):
            tag = getattr(node, "thread_tag", "")
            if not isinstance(node, _classes["IterVar"]) or not tag:
                raise LatheTypeError(f'scope_attr takes a thread axis for "{attr_key}"', "builder-thread-axis",
                                     f'expected: te.thread_axis("threadIdx.x")\nfound: {type(node).__name__}')
            extent = _get("tir.cast")(node.var.dtype, value)
            self.emit(lambda rest: _get("tir.make_for")(node.var, 0, extent, "thread", rest, tag, {}))
            return
        self.emit(lambda rest: _get("tir.make_attr")(node, attr_key, value, rest))

    def let(self, var_name, value):
        """Binds a value to a new variable, which it returns, for the rest of this block."""
        value = _get("tir.convert")(value)
        var = _get("tir.var")(var_name, value.dtype)
        self.emit(lambda rest: _get("tir.make_let_stmt")(var, value, rest))
        return var

    def allocate(self, dtype, shape, name="buf", scope=""):
        """Allocates memory for all that follows in this block; returns a BufferVar."""
        shape = shape if isinstance(shape, (list, tuple)) else (shape,)
        buffer = _classes["Buffer"](name, dtype, shape, scope)
        self.emit(lambda rest: _get("tir.make_allocate")(buffer, rest, {}))
        return BufferVar(self, buffer)

    def buffer_ptr(self, buf, shape=None):
        """A BufferVar for a buffer from tir.decl_buffer or an extern operation."""
        if not isinstance(buf, _classes["Buffer"]):
            raise LatheTypeError("buffer_ptr takes a buffer", "builder-buffer-type",
                                 f"found: {type(buf).__name__}")
        return BufferVar(self, buf)

    def likely(self, expr):
        """The condition, marked as usually true."""
        return _get("tir.likely")(expr)

    def get(self):
        """The collected statements as one statement. All blocks must be closed."""
        if len(self._levels) != 1:
            raise LatheValueError("a block of the builder is still open", "builder-open-block")
        return self._sequence(self._levels[0])


def _nop():
    return _get("tir.make_evaluate")(0)


def create():
    """A new IRBuilder.

    Example:
        >>> from lathe import tir
        >>> ib = tir.ir_builder.create()
        >>> ib.emit(tir.Evaluate(0))
        >>> type(ib.get()).__name__
        'Evaluate'
    """
    return IRBuilder()
