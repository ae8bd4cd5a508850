"""Tensors: device memory with a shape, strides and an element type."""

import operator

from .. import _core, _ffi
from ..error import LatheIndexError, LatheTypeError, LatheValueError, nearest_type

_get = _ffi.get
# Those of sessions wait for the far side, and for other threads that use the session.
_empty, _copy = _get("tensor.empty", True), _get("tensor.copy", True)
# Element types that NumPy itself does not have.
_ML_DTYPES = {
    "bfloat16": ("bfloat16", "uint16"),
    "float8_e3m4": ("float8_e3m4", "uint8"),
    "float8_e4m3": ("float8_e4m3", "uint8"),
    "float8_e4m3b11fnuz": ("float8_e4m3b11fnuz", "uint8"),
    "float8_e4m3fn": ("float8_e4m3fn", "uint8"),
    "float8_e4m3fnuz": ("float8_e4m3fnuz", "uint8"),
    "float8_e5m2": ("float8_e5m2", "uint8"),
    "float8_e5m2fnuz": ("float8_e5m2fnuz", "uint8"),
    "float8_e8m0fnu": ("float8_e8m0fnu", "uint8"),
}
_NOT_NUMBERS = tuple("OSUMm")  # NumPy's kinds: objects, texts, times


class Tensor(_core.Tensor):
    """Device memory with a shape, strides and an element type.

    Shares memory with NumPy, PyTorch and every library that supports DLPack or the buffer protocol:
    `np.asarray(t)`, `torch.from_dlpack(t)`, `lathe.runtime.from_dlpack(array)`. Compiled functions
    take tensors and such arrays alike.

    Example:
        >>> import lathe, numpy as np
        >>> t = lathe.nd.array(np.arange(6, dtype="float32").reshape(2, 3))
        >>> t.shape, t[1, 1:].numpy().tolist()
        ((2, 3), [4.0, 5.0])
    """

    __slots__ = ()

    def numpy(self):
        """A NumPy array with a copy of the elements. bfloat16 and float8 need `ml_dtypes`."""
        import numpy as np

        name = self.dtype
        if name in _ML_DTYPES:
            import ml_dtypes

            raw = np.frombuffer(_get("tensor.to_bytes", True)(self), dtype=_ML_DTYPES[name][1])
            return raw.reshape(self.shape).view(getattr(ml_dtypes, name)).copy()
        tensor = self if self.device == _CPU else self.copyto(_CPU)
        if name == "bool":
            raw = np.frombuffer(_get("tensor.to_bytes", True)(tensor), dtype="bool")
            return raw.reshape(self.shape).copy()
        if tensor._lent:  # a view would copy first, because the caller's memory is only lent
            out = np.empty(self.shape, name)
            _copy(tensor, _core.Tensor._from_dlpack(out))
            return out
        return np.array(tensor, copy=True)

    def copyfrom(self, source):
        """Copies the elements of an array or tensor of the same shape into this tensor.

        An array with another element type is converted first.

        Returns:
            This tensor.
        """
        if not isinstance(source, _core.Tensor):
            source = _from_array(source, self.dtype)
        _copy(source, self)
        return self

    def same_as(self, other):
        """Is it the same object?"""
        return _core.Object.same_as(self, other) if isinstance(other, _core.Object) else False

    def to_dlpack(self):
        """A DLPack capsule that shares the memory: for `from_dlpack` of other libraries.

        Example:
            >>> import lathe
            >>> a = lathe.nd.array([1.0, 2.0])
            >>> lathe.nd.from_dlpack(a.to_dlpack()).numpy().tolist()
            [1.0, 2.0]
        """
        return self.__dlpack__()

    def copyto(self, target, mem_scope=None):
        """Copies the elements to a device, or into a tensor of the same shape.

        Returns:
            The tensor that holds the copy.
        """
        if isinstance(target, _core.Device):
            if target == self.device:
                return _get("tensor.clone", True)(self)
            return _get("tensor.to", True)(self, target)
        if not isinstance(target, _core.Tensor):
            raise LatheTypeError("copyto takes a device or a tensor", "copyto-type",
                                 f"found: {type(target).__name__}")
        _copy(self, target)
        return target

    def __len__(self):
        if not self.shape:
            raise TypeError("a tensor of rank 0 has no length")
        return self.shape[0]

    def _part(self, index):
        indices = index if isinstance(index, tuple) else (index,)
        if len(indices) > self.ndim:
            raise LatheIndexError(f"{len(indices)} indices for a tensor of {self.ndim} dimensions",
                                  "tensor-index-out-of-range")
        part, axis = self, 0
        for item in indices:
            extent = part.shape[axis]
            if isinstance(item, slice):
                begin, end, step = item.indices(extent)
                if step < 1:
                    raise LatheValueError("a tensor's slice goes forward", "tensor-slice-step")
                part = _get("tensor.slice")(part, axis, begin, max(begin, end), step)
                axis += 1
            else:
                number = item.__index__()
                if not -extent <= number < extent:
                    raise LatheIndexError(f"index {number} for an axis of {extent}",
                                          "tensor-index-out-of-range")
                part = _get("tensor.select")(part, axis, number % extent)
        return part

    def __getitem__(self, index):
        """A view of a part: t[1], t[2:8, 0]. A single element is a tensor of rank 0; t[...] is the tensor itself."""
        return self if index is ... else self._part(index)

    def __setitem__(self, index, value):
        """Copies a number or an array into a part of the tensor; t[...] = value: into all of it."""
        part = self if index is ... else self._part(index)
        if isinstance(value, (int, float)) or getattr(value, "shape", None) == () != part.shape:
            import numpy as np

            value = np.full(part.shape, value, dtype=_numpy_dtype(self.dtype))
        part.copyfrom(value)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def item(self):
        """The only element, as a Python number."""
        return self.numpy().item()

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def reshape(self, shape):
        """A view with another shape; one extent may be -1. The tensor must be compact."""
        return _get("tensor.reshape")(self, [_extent(n) for n in shape])

    def transpose(self, axes=None):
        """A view whose axis i is the old axis axes[i]; by default the axes are reversed."""
        return _get("tensor.transpose")(self, list(axes) if axes is not None
                                        else list(range(self.ndim))[::-1])

    @property
    def nbytes(self):
        """The bytes of the elements in compact form."""
        return _get("tensor.num_bytes")(self)

    def __repr__(self):
        text = _get("tensor.text", True)(self)
        if self.device.session != 0:  # showing it must not fetch it from another process
            return f"<lathe.Tensor {text}>"
        try:
            return f"<lathe.Tensor {text}>\n{self.numpy()}" if self.nbytes <= 4096 else (
                f"<lathe.Tensor {text}>")
        except ImportError:
            return f"<lathe.Tensor {text}>"

    def _repr_html_(self):
        from .. import _html

        return _html.page_of(repr(self))

    def __reduce__(self):
        return (_restore, (list(self.shape), self.dtype, _get("tensor.to_bytes", True)(self)))


NDArray = Tensor
_core.register_class(5, Tensor)
_CPU = None


def _restore(shape, dtype, data):
    tensor = empty(shape, dtype)
    _get("tensor.from_bytes", True)(tensor, data)
    return tensor


def _cpu():
    global _CPU
    if _CPU is None:
        from .device import cpu

        _CPU = cpu(0)
    return _CPU


_cpu()


def _numpy_dtype(name):
    if name in _ML_DTYPES:
        import ml_dtypes

        return getattr(ml_dtypes, name)
    return name


def _from_array(source, dtype=None):
    """An array-like as a tensor in host memory. Shares the memory if possible."""
    if getattr(getattr(source, "dtype", None), "kind", "") not in _NOT_NUMBERS and (
            dtype is None or str(getattr(source, "dtype", None)) == dtype):
        if hasattr(type(source), "__dlpack__") or isinstance(source, (bytearray, memoryview)):
            return _core.Tensor._from_dlpack(source)
    import numpy as np

    made = np.asarray(source)
    if made.dtype.kind in _NOT_NUMBERS:
        raise LatheTypeError("a tensor cannot have these elements", "tensor-elements",
                             "expected: numbers, in an array, nested lists of equal lengths or alone\n"
                             f"found: {made.dtype} ({type(source).__name__})")
    if dtype is not None and str(made.dtype) != dtype:
        try:
            made = made.astype(_numpy_dtype(dtype))
        except TypeError:
            raise LatheTypeError("there is no such element type", "tensor-elements",
                                 f'expected: dtype\nfound: "{dtype}"' + nearest_type(dtype)) from None
    return _core.Tensor._from_dlpack(made)


def _convert_array(array):
    """Called by the core for arrays that neither a buffer nor DLPack can describe."""
    name = str(getattr(array, "dtype", ""))
    if name not in _ML_DTYPES or not hasattr(array, "view"):
        return None
    raw = _core.Tensor._from_dlpack(array.view(_ML_DTYPES[name][1]))
    return _get("tensor.view_as")(raw, name)


_core.set_array_converter(_convert_array)


def from_dlpack(array):
    """A tensor that shares the memory of an array: NumPy's, PyTorch's, or any with DLPack.

    Read-only arrays give read-only tensors.

    Raises:
        LatheError, TypeError, ValueError: not an array; an array that requires gradients, or whose
            conjugation is pending.

    Example:
        >>> import lathe, numpy as np
        >>> a = np.zeros(3, "float32")
        >>> t = lathe.from_dlpack(a)
        >>> a[0] = 7
        >>> t[0].item()
        7.0
    """
    return _core.Tensor._from_dlpack(array)


def _extent(number):
    """An extent as int: of an int, NumPy's, or a constant expression."""
    try:
        return operator.index(getattr(number, "value", number))
    except TypeError:
        raise LatheTypeError("an extent of a tensor is no integer", "shape-not-integer",
                             f"expected: an integer of 0 or more\nfound: {number!r}"
                             + ("\nhelp: `//` divides whole numbers, `/` gives a float"
                                if isinstance(number, float) else "")) from None


def empty(shape, dtype="float32", device=None, mem_scope=None):
    """A tensor with uninitialized elements.

    Args:
        shape: the extents (int), or a single extent.
        dtype: the element type.
        device: the tensor's device; the host by default.
        mem_scope: a memory scope of the device.

    Example:
        >>> import lathe
        >>> lathe.nd.empty((2, 3), "int8").nbytes
        6
    """
    shape = [shape] if isinstance(shape, int) else [_extent(n) for n in shape]
    return _empty(shape, dtype, device if device is not None else _CPU, mem_scope or "")


def array(arr, device=None, mem_scope=None, dtype=None):
    """A tensor with a copy of the elements of an array, list or number.

    Args:
        arr: a NumPy array, a tensor, nested lists or a number. Lists have NumPy's types: of floats float64.
        device: the tensor's device; the host by default.
        mem_scope: a memory scope of the device.
        dtype: the element type; that of `arr` by default.

    Example:
        >>> import lathe, numpy as np
        >>> lathe.nd.array(np.arange(3, dtype="float32")).numpy().tolist()
        [0.0, 1.0, 2.0]
    """
    if dtype is not None and not isinstance(dtype, str):  # NumPy's
        import numpy as np

        dtype = np.dtype(dtype).name
    source = arr if isinstance(arr, _core.Tensor) else _from_array(arr, dtype)
    out = empty(source.shape, source.dtype, device, mem_scope)
    _copy(source, out)
    return out
