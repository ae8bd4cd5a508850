"""Methods of functions and buffers."""

from .. import _ffi, _nodes
from ..error import LatheValueError


@_nodes.methods_of("Func")
class _Func(_nodes.Node):
    """A function: parameters (variables and buffers), a body, attributes."""

    __slots__ = ()

    def __new__(cls, name, params, body, attrs=None):
        return _ffi.get("tir.make_func")(name, list(params), body, attrs or {})

    __getattr__ = _nodes.no_attribute

    def with_attr(self, key, value=None):
        """A copy with an attribute set, or with all of a dict. "global_symbol" is the function's name."""
        if isinstance(key, dict):
            func = self
            for one, of_it in key.items():
                func = func.with_attr(one, of_it)
            return func
        if key == "global_symbol":
            fields = {field[0]: getattr(self, field[0]) for field in _nodes.FIELDS["Func"]}
            return _nodes._new(type(self), **{**fields, "name": str(getattr(value, "value", value))})
        return _ffi.get("tir.with_attr")(self, key, value)

    def with_body(self, new_body, span=None):
        """A copy with another body (Stmt)."""
        return _ffi.get("tir.with_body")(self, new_body)


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
