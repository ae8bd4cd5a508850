"""Written by python/stubs/make_stubs.py."""

from typing import Any

def free_vars(node: Any) -> Any:
    """The variables that `node` uses but does not define, in order of first use.

    Example:
        >>> from lathe import te, tir
        >>> x, y = te.var("x"), te.var("y")
        >>> [v.name for v in tir.free_vars(x + y * x)]
        ['x', 'y']
    """

def ir_transform(stmt: Any, preorder: Any = ..., postorder: Any = ..., only_enable: Any = ...) -> Any:
    """Rewrites a statement or expression.

    Args:
        stmt: Stmt, Expr or Func.
        preorder: called with a node before its children. If it returns a node (not None), that node
            replaces the old one together with its children.
        postorder: called with a node whose children are already rewritten. If it returns a node
            (not None), that node replaces it.
        only_enable: names of node kinds, such as ["For"]. The functions are called only for these.

    Returns:
        The rewritten node; the same node if nothing changed.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x")
        >>> doubled = tir.ir_transform(x + 1, None, lambda n: tir.const(n.value * 2, n.dtype), ["IntImm"])
        >>> int(doubled.b)
        2
    """

def post_order_visit(stmt: Any, fvisit: Any) -> Any:
    """Calls fvisit(node) once for every node in `stmt`, children first; `stmt` itself is the last.

    Args:
        stmt: Stmt, Expr or Func.
        fvisit: called with a node; its result is ignored.

    Example:
        >>> from lathe import te, tir
        >>> names = []
        >>> tir.post_order_visit(te.var("x") + 1, lambda node: names.append(type(node).__name__))
        >>> names
        ['Var', 'IntImm', 'Add']
    """

def renew_defs(func: Any) -> Any:
    """A copy of a Func (or statement) in which new variables and buffers have the old names.

    A module may then hold the original and the copy: no variable is defined twice.

    Example:
        >>> from lathe import te, tir
        >>> i = te.var("i")
        >>> loop = tir.Func("f", [], tir.For(i, 0, 4, "serial", tir.Evaluate(i)))
        >>> again = tir.stmt_functor.renew_defs(loop)
        >>> again.body.var.name, again.body.var.same_as(i)
        ('i', False)
    """

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
