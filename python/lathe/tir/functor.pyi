"""Written by python/stubs/make_stubs.py."""

from typing import Any

def free_vars(node: Any) -> Any:
    """The variables used in `node` that it does not define, in order of first use."""

def ir_transform(node: Any, preorder: Any = ..., postorder: Any = ..., only_enable: Any = ...) -> Any:
    """Rewrites a statement or expression.

    Args:
        node: Stmt, Expr or Func.
        preorder: called with a node before its children; what it returns (not None) replaces the
            node, children and all.
        postorder: called with a node whose children are rewritten; what it returns (not None)
            replaces it.
        only_enable: names of node kinds, such as ["For"], for which alone they are called.

    Returns:
        The rewritten node; itself where nothing changed.
    """

def post_order_visit(node: Any, visit: Any) -> Any:
    """Calls visit(node) for every node below (and including) `node`, children first, each once."""

def substitute(node: Any, vmap: Any) -> Any:
    """`node` (Stmt or Expr) with variables replaced.

    Args:
        vmap: {Var: Expr}.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x")
        >>> tir.substitute(x * 4, {x: te.var("y")}).a.name
        'y'
    """
