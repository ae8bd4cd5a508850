"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.dataflow_pattern._patterns import AltPattern as AltPattern
from lathe.relay.dataflow_pattern._patterns import AttrPattern as AttrPattern
from lathe.relay.dataflow_pattern._patterns import CallPattern as CallPattern
from lathe.relay.dataflow_pattern._patterns import ConstantPattern as ConstantPattern
from lathe.relay.dataflow_pattern._patterns import DFPattern as DFPattern
from lathe.relay.dataflow_pattern._rewriter import DFPatternCallback as DFPatternCallback
from lathe.relay.dataflow_pattern._patterns import DataTypePattern as DataTypePattern
from lathe.relay.dataflow_pattern._patterns import DominatorPattern as DominatorPattern
from lathe.relay.dataflow_pattern._patterns import ExprPattern as ExprPattern
from lathe.relay.dataflow_pattern._patterns import FunctionPattern as FunctionPattern
from lathe.relay.dataflow_pattern._patterns import IfPattern as IfPattern
from lathe.relay.dataflow_pattern._patterns import LetPattern as LetPattern
from lathe.relay.dataflow_pattern._patterns import ShapePattern as ShapePattern
from lathe.relay.dataflow_pattern._patterns import TupleGetItemPattern as TupleGetItemPattern
from lathe.relay.dataflow_pattern._patterns import TuplePattern as TuplePattern
from lathe.relay.dataflow_pattern._patterns import TypePattern as TypePattern
from lathe.relay.dataflow_pattern._patterns import VarPattern as VarPattern
from lathe.relay.dataflow_pattern._patterns import WildcardPattern as WildcardPattern
from lathe.relay.dataflow_pattern._sugar import dominates as dominates
from lathe.relay.dataflow_pattern._sugar import has_attr as has_attr
from lathe.relay.dataflow_pattern._sugar import has_dtype as has_dtype
from lathe.relay.dataflow_pattern._sugar import has_shape as has_shape
from lathe.relay.dataflow_pattern._sugar import has_type as has_type
from lathe.relay.dataflow_pattern._sugar import is_constant as is_constant
from lathe.relay.dataflow_pattern._sugar import is_expr as is_expr
from lathe.relay.dataflow_pattern._sugar import is_if as is_if
from lathe.relay.dataflow_pattern._sugar import is_let as is_let
from lathe.relay.dataflow_pattern._sugar import is_op as is_op
from lathe.relay.dataflow_pattern._sugar import is_tuple as is_tuple
from lathe.relay.dataflow_pattern._sugar import is_tuple_get_item as is_tuple_get_item
from lathe.relay.dataflow_pattern._sugar import is_var as is_var
from lathe.relay.dataflow_pattern._matcher import match as match
from lathe.relay.dataflow_pattern._rewriter import partition as partition
from lathe.relay.dataflow_pattern._rewriter import rewrite as rewrite
from lathe.relay.dataflow_pattern._sugar import wildcard as wildcard
