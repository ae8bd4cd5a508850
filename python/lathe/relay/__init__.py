"""Graphs of whole tensors: expressions, modules of functions, compilation.

    >>> import lathe, numpy as np
    >>> from lathe import relay
    >>> from lathe.contrib import graph_executor
    >>> x = relay.var("x", shape=(1, 4))
    >>> w = relay.const(np.ones((2, 4), "float32"))
    >>> mod = lathe.IRModule.from_expr(relay.Function([x], relay.nn.dense(x, w)))
    >>> lib = relay.build(mod, target="llvm")
    >>> m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    >>> m.run(x=np.ones((1, 4), "float32"))
    >>> m.get_output(0).numpy().tolist()
    [[4.0, 4.0]]
"""

from .. import _lazy
from . import expr, ty
from .ty import (Any, FuncType, IncompleteType, RefType, TensorType, TupleType, Type, TypeCall, TypeKind, TypeVar,
                 scalar_type)
from .expr import (Call, Constant, Expr, Function, GlobalVar, If, Let, Op, Tuple, TupleGetItem,
                   TupleWrapper, Var, bind, const, var)
from .adt import (Clause, Constructor, GlobalTypeVar, Match, Pattern, PatternConstructor,
                  PatternTuple, PatternVar, PatternWildcard, TypeData)
from ._span import SourceName, Span
from .reference import RefCreate, RefRead, RefWrite
from . import adt, analysis, op
from . import annotation, contrib, dyn, image, nn, qnn, random, vision
from . import backend, build_module, frontend, transform
from .build_module import Executor, build, create_executor, optimize
from .scope_builder import ScopeBuilder
from .expr_functor import ExprFunctor, ExprMutator, ExprVisitor
from .type_functor import TypeFunctor, TypeMutator, TypeVisitor
from . import loops
from .._irmodule import IRModule
from ..runtime import load_param_dict, save_param_dict
from . import param_dict, prelude
from .backend import vm

from ..transform import PassContext as build_config

ShapeVar = Any
_LAZY = ("testing", "dataflow_pattern", "data_dep_optimization", "quantize")
__getattr__ = _lazy.submodules(__name__, _LAZY)

for _name, _item in vars(op).items():
    if not _name.startswith("_") and _name not in globals() and _name not in ("get", "Op"):
        globals()[_name] = _item

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
