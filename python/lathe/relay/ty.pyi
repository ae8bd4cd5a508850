"""Written by python/stubs/make_stubs.py."""

from lathe._graph_types import any_size as any_size
from lathe.ir import FuncType as FuncType
from lathe._type_params import IncompleteType as IncompleteType
from lathe._type_params import RefType as RefType
from lathe.ir import TensorType as TensorType
from lathe.ir import TupleType as TupleType
from lathe._graph_types import Type as Type
from lathe._type_params import TypeCall as TypeCall
from lathe._type_params import TypeKind as TypeKind
from lathe._type_params import TypeVar as TypeVar
from lathe._graph_types import extents as extents
from lathe._graph_types import plain_extent as plain_extent
from lathe._graph_types import scalar_type as scalar_type
from lathe._graph_types import sized as sized

Any = any_size
