"""Methods of the tensors of tensor expressions."""

from .. import _ffi, _nodes
from .._ops import ExprOperators

_load = _ffi.get("te.load")


class TensorSlice(ExprOperators):
    """A tensor with its first indices given: A[i] of a matrix A. A[i][j] is an element.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((4, 4), name="A")
        >>> row = A[1]
        >>> te.compute((4,), lambda j: row[j], name="row").dtype
        'float32'
    """

    __slots__ = ("tensor", "indices")

    def __init__(self, tensor, indices):
        self.tensor, self.indices = tensor, indices

    def __getitem__(self, index):
        return self.tensor[self.indices + (index if isinstance(index, tuple) else (index,))]

    def __lathe_value__(self):
        return _load(self.tensor, self.indices)

    @property
    def dtype(self):
        """The element type."""
        return self.tensor.dtype

    def __repr__(self):
        return f"{self.tensor.name}[{', '.join(map(str, self.indices))}, ...]"


@_nodes.methods_of("Tensor")
class _Tensor(_nodes.Node):
    """An output of an operation. In a compute, A[i, j] is an element of it.

    Two tensors are equal if their operations and output numbers are.
    """

    __slots__ = ()

    def __getitem__(self, indices):
        """The element at `indices` (expressions or int), as many as the tensor has dimensions."""
        if not isinstance(indices, tuple):
            indices = (indices,)
        if len(indices) < self.ndim:
            return TensorSlice(self, indices)
        return _load(self, indices)

    def __call__(self, *indices):
        """The element at `indices`: A(i, j) is A[i, j]."""
        return _load(self, indices)

    def __eq__(self, other):
        return isinstance(other, _Tensor) and _ffi.get("te.same_tensor")(self, other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.op, self.value_index))

    def __neg__(self):
        return _topi("negative")(self)

    def __repr__(self):
        return f"Tensor({self.name}: {self.dtype}[{', '.join(map(str, self.shape))}])"

    def _repr_html_(self):
        from .. import _html

        return _html.page_of(repr(self))

    def __iter__(self):
        raise TypeError("a tensor of a tensor expression has no elements yet to iterate over")

    @property
    def shape(self):
        """The extents: a tuple of expressions."""
        return _ffi.get("te.tensor_shape")(self)

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self):
        """The element type, such as "float32"."""
        return _ffi.get("te.tensor_dtype")(self)

    @property
    def name(self):
        """The operation's name."""
        return _ffi.get("te.tensor_name")(self)


def _topi(name):
    from .. import topi

    return getattr(topi, name)


def _arithmetic(name, operator):
    """Arithmetic of whole tensors and numbers: the operators of topi, with broadcasting."""
    def forward(self, other):
        return _topi(operator)(self, other)

    def backward(self, other):
        return _topi(operator)(other, self)

    for method, title in ((forward, f"__{name}__"), (backward, f"__r{name}__")):
        method.__name__, method.__qualname__ = title, f"_Tensor.{title}"
        setattr(_Tensor, title, method)


for _name, _operator in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"),
                         ("truediv", "divide"), ("floordiv", "floor_divide"), ("mod", "floor_mod")):
    _arithmetic(_name, _operator)
