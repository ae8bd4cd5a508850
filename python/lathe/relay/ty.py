"""Types of expressions: tensors, tuples, functions."""

from .._graph_types import any_size as Any
from .._graph_types import Type, extents, plain_extent, scalar_type, sized
from .._type_params import IncompleteType, RefType, TypeCall, TypeKind, TypeVar
from .._nodes import CLASSES as _CLASSES

TensorType, TupleType, FuncType = (_CLASSES[_n] for _n in ("TensorType", "TupleType", "FuncType"))
