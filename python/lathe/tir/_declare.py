"""Methods of functions, calls and buffers."""

from .. import _ffi, _nodes, _ops
from ..error import LatheLookupError, LatheTypeError, LatheValueError, notes_of_names

# A text that begins with it holds a Target, a list or a dict, as JSON: attributes are nodes, and these are none. It may
# hold a text, too: one of the program's own that begins so.
_AS_JSON = "json:"
_TARGET, _HOST = "lathe.target", "host"


def number_of(value):
    """A number of NumPy's, or an array of NumPy's that holds one, as Python's number; all else as it is.

    Example:
        >>> import numpy as np
        >>> from lathe.tir._declare import number_of
        >>> number_of(np.bool_(True)), number_of("text")
        (True, 'text')
    """
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () else value


def _plain(value):
    """A value of an attribute in the form that JSON has. TypeError if it has none."""
    from ..target import Target

    if isinstance(value, Target):
        return {_TARGET: str(value), **({} if value.host is None else {_HOST: str(value.host)})}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    value = number_of(getattr(value, "value", value))  # of an IntImm, FloatImm or StringImm
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(type(value).__name__)


def _of_plain(value):
    from ..target import Target

    if isinstance(value, list):
        return tuple(_of_plain(item) for item in value)
    if isinstance(value, dict):
        if _TARGET in value:
            return Target(value[_TARGET], value.get(_HOST))
        return {key: _of_plain(item) for key, item in value.items()}
    return value


def stored(key, value):
    """The value of an attribute as nodes hold it.

    Args:
        key: the attribute's name, for errors.
        value: a number, also one of NumPy's, text, node or Target, or lists and dicts of numbers, texts and Targets.
            Numbers in lists and dicts lose their type: an IntImm of int64 comes back as an int.

    Returns:
        A number, text, bytes or node; a text that begins with "json:" for what is none of these.

    Raises:
        LatheError: `call-wrong-argument-kind`: it cannot be the value of an attribute.

    Example:
        >>> from lathe.tir import _declare
        >>> _declare.stored("shape", [1, 2])
        'json:[1, 2]'
    """
    from ..target import Target

    value = number_of(value)
    text = getattr(value, "value", value)  # a StringImm has a text, too
    ours = isinstance(text, str) and text.startswith(_AS_JSON)
    if not ours and (isinstance(value, (bool, int, float, str, bytes)) or isinstance(value, _nodes.Node)):
        return value
    try:
        if ours or isinstance(value, (Target, list, tuple, dict)):
            import json

            return _AS_JSON + json.dumps(_plain(value))
        found = type(value).__name__
    except TypeError as error:
        found = f"a {type(value).__name__} with {error}"
    raise LatheTypeError(f"attribute `{key}` cannot have this value", "call-wrong-argument-kind",
                         "expected: a number, text, node or Target, or lists and dicts of numbers, texts and Targets\n"
                         f"found: {found}")


class FuncAttrs(dict):
    """The attributes of a function. `attrs["global_symbol"]` is the function's name, which is not listed.

    Example:
        >>> from lathe import tir
        >>> func = tir.Func("f", [], tir.Evaluate(0)).with_attr("sizes", [1, 2])
        >>> func.attrs["sizes"], func.attrs["global_symbol"]
        ((1, 2), 'f')
    """

    __slots__ = ("_name",)

    def __init__(self, name, attrs):
        super().__init__((key, self._read(value)) for key, value in attrs.items())
        self._name = name

    @staticmethod
    def _read(value):
        text = getattr(value, "value", None)
        if not isinstance(text, str) or not text.startswith(_AS_JSON):
            return value
        import json

        return _of_plain(json.loads(text[len(_AS_JSON):]))

    def __missing__(self, key):
        if key == "global_symbol":
            return self._name
        raise LatheLookupError(f"function `{self._name}` has no attribute `{key}`", "function-no-attribute",
                               notes_of_names(key, ["global_symbol", *self]))

    def __contains__(self, key):
        return key == "global_symbol" or super().__contains__(key)

    def get(self, key, default=None):
        """The attribute of a name, or `default`."""
        return self[key] if key in self else default


@_nodes.methods_of("Func")
class _Func(_nodes.Node):
    """A function: parameters (variables and buffers), a body, attributes."""

    __slots__ = ()

    def __new__(cls, name, params, body, attrs=None):
        attrs = {key: stored(key, value) for key, value in (attrs or {}).items()}
        params, kinds = list(params), tuple(_nodes.CLASSES[kind] for kind in ("Var", "Buffer"))
        wrong = [type(one).__name__ for one in params if not isinstance(one, kinds)]
        if wrong:
            raise LatheTypeError(f"a parameter of function `{name}` is neither a variable nor a buffer",
                                 "call-wrong-argument-kind", f"expected: te.var() or tir.decl_buffer(...)\nfound: {wrong[0]}")
        return _ffi.get("tir.make_func")(name, params, body, attrs)

    __getattr__ = _nodes.no_attribute

    def with_attr(self, key, value=None):
        """A copy with an attribute set, or with all of a dict. "global_symbol" is the function's name.

        Args:
            key: the attribute's name; or a dict of attributes.
            value: a number, text, node or Target, or lists and dicts of numbers, texts and Targets. Numbers in lists
                and dicts lose their type: an IntImm of int64 comes back as an int.

        Returns:
            A Func.

        Raises:
            LatheError: `call-wrong-argument-kind`: another value.
        """
        if isinstance(key, dict):
            func = self
            for one, of_it in key.items():
                func = func.with_attr(one, of_it)
            return func
        if key == "global_symbol":
            return self._copy(name=str(getattr(value, "value", value)))
        return _ffi.get("tir.with_attr")(self, key, stored(key, value))

    def without_attr(self, key):
        """A copy without an attribute; the function itself if it has none of that name.

        Args:
            key: the attribute's name.

        Returns:
            A Func.

        Raises:
            LatheError: `function-name`: the attribute is "global_symbol", the function's name.
        """
        if key == "global_symbol":
            raise LatheValueError("each function has a name", "function-name",
                                  'expected: func.with_attr("global_symbol", another name)')
        if key not in self.attrs:
            return self
        return self._copy(attrs={name: value for name, value in self.attrs.items() if name != key})

    def _copy(self, **changed):
        fields = {field[0]: getattr(self, field[0]) for field in _nodes.FIELDS["Func"]}
        fields.update(changed)
        fields["attrs"] = {key: stored(key, value) for key, value in fields["attrs"].items()}
        return _nodes._new(type(self), **fields)

    def with_body(self, new_body, span=None):
        """A copy with another body (Stmt)."""
        return _ffi.get("tir.with_body")(self, new_body)


@_nodes.methods_of("Call")
class _Call(_ops.Expr):
    """A call of an intrinsic: "exp", or "tir.exp"."""

    __slots__ = ()

    def __new__(cls, dtype, op, args=(), attrs=None, *, span=None):
        if isinstance(op, str):
            op = op.removeprefix("tir.")
        return _nodes._new(cls, dtype, op, list(args), attrs or {})


@_nodes.methods_of("Buffer")
class _Buffer(_nodes.Node):
    """A multi-dimensional view of memory, told apart from others by its identity."""

    __slots__ = ()

    def __new__(cls, name, dtype, shape, scope="", strides=(), elem_offset=None, alignment=0,
                offset_factor=0, data=None):
        return _ffi.get("tir.make_buffer")(name, dtype, list(shape), scope, list(strides),
                                           elem_offset, alignment, offset_factor, data)

    def vload(self, indices, dtype=None):
        """The element at `indices`, or a vector of elements if the dtype has lanes."""
        from .expr import load_vector

        return load_vector(self, indices, dtype)

    def vstore(self, indices, value):
        """The statement that stores `value` at `indices`."""
        from .expr import store_vector

        return store_vector(self, indices, value)

    def __getitem__(self, indices):
        return _ffi.get("tir.load")(self, indices if isinstance(indices, tuple) else (indices,))

    def offset_of(self, indices):
        """The places of elements in memory, in elements from the buffer's data on: [offset] of `indices`.

        Raises:
            LatheError: `buffer-index-count`: there are not as many as dimensions.
        """
        indices = list(indices) if isinstance(indices, (list, tuple)) else [indices]
        if len(indices) != len(self.shape):
            raise LatheValueError("offset_of needs one index for each dimension", "buffer-index-count",
                                  f"expected: {len(self.shape)}\nfound: {len(indices)}")
        strides = list(self.strides)
        if not strides:
            step = 1
            for extent in reversed(self.shape):
                strides.insert(0, step)
                step = extent * step
        offset = 0 if self.elem_offset is None else self.elem_offset
        for index, stride in zip(indices, strides):
            offset = index * stride + offset
        return [_ffi.get("tir.convert")(offset)]

    def access_ptr(self, access_mask="r", ptr_type="handle", content_lanes=1, offset=0, extent=None):
        """A handle to the memory from element `offset` on, for intrinsics.

        Args:
            access_mask: "r", "w" or "rw" (or 1, 2, 3): the accesses to be made through the handle.
            ptr_type: "handle", which has no type of elements.
            content_lanes: the lanes of the elements that are accessed, without effect.
            offset: in elements (int or Expr).
            extent: the number of elements accessed; by default all from `offset` on.

        Raises:
            LatheError: `buffer-access`: the mask has other letters.
        """
        if isinstance(access_mask, str):
            if access_mask not in ("r", "w", "rw", "wr"):
                raise LatheValueError("access_ptr takes the accesses that are made through the handle", "buffer-access",
                                      f'expected: "r", "w" or "rw"\nfound: "{access_mask}"')
            access_mask = (1 if "r" in access_mask else 0) | (2 if "w" in access_mask else 0)
        if extent is None:
            extent = 1
            for n in self.shape:
                extent = n * extent
            extent = extent - offset
        return _ffi.get("tir.call")("handle", "access_ptr",
                                    [self, offset, extent, access_mask], {})
