"""Walking and rewriting."""

from .. import _ffi

_get = _ffi.get


def post_order_visit(node, visit):
    """Calls visit(node) for every node below (and including) `node`, children first, each once."""
    _get("ir.post_order")(node, visit)


def ir_transform(node, preorder=None, postorder=None, only_enable=None):
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
    only = [name.rpartition(".")[2] for name in (only_enable or [])]
    return _get("tir.transform")(node, preorder, postorder, only)


def substitute(node, vmap):
    """`node` (Stmt or Expr) with variables replaced.

    Args:
        vmap: {Var: Expr}.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x")
        >>> tir.substitute(x * 4, {x: te.var("y")}).a.name
        'y'
    """
    return _get("tir.substitute")(node, [[k, v] for k, v in vmap.items()])


def free_vars(node):
    """The variables used in `node` that it does not define, in order of first use."""
    return _get("ir.free_vars")(node)
