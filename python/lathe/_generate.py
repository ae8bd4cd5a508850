"""Generates the classes, after all classes with hand-written methods are declared."""

from . import _graph_types, _nodes, _ops, ir, tir  # noqa: F401  declare methods
from .te import _tensor  # noqa: F401  declares Tensor's methods
from .tir import _declare  # noqa: F401

_nodes.generate({"Node": _nodes.Node, "Expr": _ops.Expr, "Stmt": _ops.Stmt, "Op": _ops.Op})
for _name, _cls in _nodes.CLASSES.items():
    setattr(ir, _name, _cls)
    setattr(tir, _name, _cls)
