"""TVM's classes of statements and functions, made of nodes of ours that mean the same.

A class here is called with TVM's parameters, and what it makes, or any node of ours of that kind, counts as its
instance. The nodes have TVM's names of the fields, too.
"""

import builtins

from .. import _ffi
from .._nodes import CLASSES
from ..error import LatheTypeError, LatheValueError

_get = _ffi.get


class View(type):
    """The class of these classes. `_ours` names the kind of node that counts as an instance."""

    def __instancecheck__(cls, item):
        return isinstance(item, CLASSES[cls._ours]) and cls._holds(item)

    def __subclasscheck__(cls, other):
        return issubclass(other, CLASSES[cls._ours])


class NodeView(metaclass=View):
    """Base of these classes."""

    @staticmethod
    def _holds(item):
        return True


class SizeVar(NodeView):
    """A variable that is known to be >= 0: `te.size_var`.

    Example:
        >>> from lathe import te, tir
        >>> isinstance(tir.SizeVar("n", "int32"), tir.Var), isinstance(te.var("n"), tir.SizeVar)
        (True, False)
    """

    _ours = "Var"

    def __new__(cls, name, dtype="int32", span=None):
        return _get("tir.size_var")(name, dtype)

    @staticmethod
    def _holds(item):
        return item.is_size


class AnySize(NodeView):
    """A size that is not known: a new variable that is >= 0.

    Example:
        >>> from lathe import tir
        >>> tir.Any().dtype
        'int32'
    """

    _ours = "Var"

    def __new__(cls, span=None):
        return _get("tir.size_var")("any", "int32")

    @staticmethod
    def _holds(item):
        return item.is_size


class AssertStmt(NodeView):
    """A check before `body`.

    Example:
        >>> from lathe import te, tir
        >>> made = tir.AssertStmt(te.var("n") > 0, "n is positive", tir.Evaluate(0))
        >>> isinstance(tir.stmt_list(made)[0], tir.AssertStmt)
        True
    """

    _ours = "Assert"

    def __new__(cls, condition, message, body, span=None):
        message = getattr(message, "value", message)
        return CLASSES["Seq"]([CLASSES["Assert"](condition, "assert", message), body])


class Allocate(NodeView):
    """Memory for `body`, which `buffer_var` points to; `tir.decl_buffer(..., data=buffer_var)` are views of it.

    Also with our own parameters: a Buffer and the body.

    Args:
        buffer_var: a Var of type "handle".
        dtype: the element type.
        extents: the shape.
        condition: must be true.
        body: a statement.

    Example:
        >>> from lathe import te, tir
        >>> data = tir.Var("data", "handle")
        >>> made = tir.Allocate(data, "float32", [16], True, tir.Evaluate(0))
        >>> made.buffer_var.same_as(data), [int(n) for n in made.extents]
        (True, [16])
    """

    _ours = "Allocate"

    def __new__(cls, buffer_var, dtype, extents=None, condition=None, body=None, annotations=None, span=None):
        if isinstance(buffer_var, CLASSES["Buffer"]):
            return CLASSES["Allocate"](buffer_var, dtype, extents or annotations or {})
        if condition is not None and not _is_true(condition):
            raise LatheValueError("the condition of an allocation must be true", "allocate-condition",
                                  "help: allocate it within tir.IfThenElse")
        name = buffer_var.name
        buffer = CLASSES["Buffer"](name, dtype, list(extents), "", data=buffer_var)
        return CLASSES["Allocate"](buffer, body, annotations or {})


def _is_true(condition):
    return condition is True or builtins.bool(getattr(condition, "value", False))


class PrimFunc(NodeView):
    """A function over loops: TVM's parameters for `tir.Func`.

    Args:
        params: variables, and buffers.
        body: a statement.
        ret_type: must be None: functions return nothing.
        buffer_map: {Var: Buffer}: these parameters are buffers.
        attrs: a dict; "global_symbol" is the function's name, by default "main".

    Example:
        >>> from lathe import te, tir
        >>> a = tir.Var("a", "handle")
        >>> A = tir.decl_buffer((8,), "float32", "A")
        >>> func = tir.PrimFunc([a], tir.Evaluate(0), buffer_map={a: A})
        >>> func.name, [p.name for p in func.params], isinstance(func, tir.PrimFunc)
        ('main', ['A'], True)
    """

    _ours = "Func"

    def __new__(cls, params, body, ret_type=None, buffer_map=None, preflattened_buffer_map=None, attrs=None, span=None):
        if isinstance(params, str):
            raise LatheTypeError("a PrimFunc's first argument must be the list of its parameters", "prim-func-type",
                                 "help: tir.Func(name, params, body) takes the name first")
        if ret_type is not None and getattr(ret_type, "fields", None) != ():
            raise LatheValueError("functions of loops must return nothing", "prim-func-result",
                                  "help: leave `ret_type` out, and store results in a buffer")
        buffers = list(dict(buffer_map or {}).items())
        kept = dict(attrs or {})
        name = kept.pop("global_symbol", "main")

        def param(item):
            for var, buffer in buffers:
                if var.same_as(item):
                    return buffer
            return item

        return CLASSES["Func"](str(getattr(name, "value", name)), [param(item) for item in params], body, kept)


class ForKind:
    """The kinds of loops, as `For.kind` gives them.

    Example:
        >>> from lathe import te, tir
        >>> tir.For(te.var("i"), 0, 4, tir.ForKind.PARALLEL, tir.Evaluate(0)).kind == tir.ForKind.PARALLEL
        True
    """

    SERIAL = "serial"
    PARALLEL = "parallel"
    VECTORIZED = "vectorized"
    UNROLLED = "unrolled"
    THREAD_BINDING = "thread"


class CallEffectKind:
    """What a call may do, as numbers: values of the attribute "TCallEffectKind".

    Example:
        >>> from lathe import tir
        >>> tir.CallEffectKind.Pure
        1
    """

    ExprAnnotation, Pure, ReadState, UpdateState, SpecialCallArg, EmbedInfo, ControlJump = range(7)
    Opaque = UpdateState


class IntrinsicName(str):
    """The name of an intrinsic, as `Call.op` gives it. Its `name` has TVM's prefix: "tir.exp".

    Example:
        >>> from lathe import te, tir
        >>> call = tir.exp(te.var("x", "float32"))
        >>> call.op, call.op.name
        ('exp', 'tir.exp')
    """

    __slots__ = ()

    @property
    def name(self):
        """The name with "tir." before it."""
        return "tir." + self

    def same_as(self, other):
        """Is it the same intrinsic?"""
        return self == other


class CalledText(str):
    """A memory scope: a str that may also be called, as TVM's method `buffer.scope()`. That of no scope is "global".

    Example:
        >>> from lathe import tir
        >>> A = tir.decl_buffer((8,), "float32", "A", scope="shared")
        >>> A.scope, A.scope()
        ('shared', 'shared')
        >>> tir.decl_buffer((8,)).scope()
        'global'
    """

    __slots__ = ()

    def __call__(self):
        return str(self) or "global"


# TVM's names of fields: class -> {TVM's name: how to get it}.
_FIELDS = {
    "For": {"loop_var": lambda n: n.var, "kind": lambda n: n.for_kind, "min_val": lambda n: n.min,
            "thread_binding": lambda n: n.thread_tag or None},
    "Load": {"buffer": lambda n: n.source, "producer": lambda n: n.source, "buffer_var": lambda n: n.source.data},
    "Store": {"buffer_var": lambda n: n.buffer.data},
    "Allocate": {"buffer_var": lambda n: n.buffer.data, "dtype": lambda n: n.buffer.dtype,
                 "extents": lambda n: n.buffer.shape, "condition": lambda n: _get("tir.convert")(True)},
    "Attr": {"attr_key": lambda n: n.key},
    "Seq": {"seq": lambda n: n.stmts},
    "Func": {"ret_type": lambda n: n.return_type, "buffer_map": lambda n: {p: p for p in n.params if isinstance(
        p, CLASSES["Buffer"])}},
    "Buffer": {"data_alignment": lambda n: n.alignment},
    "IterVar": {"dom": lambda n: n.domain, "iter_type": lambda n: n.iter_kind},
    "Reduce": {"combiner": lambda n: n.reducer, "source": lambda n: n.sources},
    "Reducer": {"identity_element": lambda n: n.identity},
}


def install():
    """Gives the nodes TVM's names of their fields. Once, after the classes are generated."""
    for name, fields in _FIELDS.items():
        for field, get in fields.items():
            setattr(CLASSES[name], field, property(get, doc=f"TVM's name of a field of {name}."))
    from ._declare import FuncAttrs

    attrs = CLASSES["Func"].__dict__["attrs"]
    CLASSES["Func"].attrs = property(lambda self: FuncAttrs(self.name, attrs.__get__(self)),
                                     doc="Field of Func: its attributes, a FuncAttrs.")
    from ..ir import Functions

    functions = CLASSES["Module"].__dict__["functions"]
    CLASSES["Module"].functions = property(lambda self: Functions(functions.__get__(self)),
                                           doc="Field of Module: its functions, as Functions.")
    op, scope = CLASSES["Call"].op, CLASSES["Buffer"].scope
    CLASSES["Call"].op = property(lambda self: IntrinsicName(op.__get__(self)), doc="Field of Call: the intrinsic's name.")
    CLASSES["Buffer"].scope = property(lambda self: CalledText(scope.__get__(self)), doc="Field of Buffer: its memory scope.")
    CLASSES["Seq"].__getitem__ = lambda self, index: self.stmts[index]
    CLASSES["Seq"].__len__ = lambda self: len(self.stmts)
