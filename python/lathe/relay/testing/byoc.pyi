"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.expr_functor import ExprMutator as ExprMutator
from lathe.relay.analysis import post_order as post_order

class CcompilerAnnotator(ExprMutator):
    """Marks one connected part of a graph: from the data of the last addition back to the first.

    Additions, subtractions and products of elements belong to the part. It begins where an operand is
    no such call, and ends at the calls that something outside of it reads, or that are results.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> marked = relay.testing.byoc.CcompilerAnnotator().visit(relay.Function([x, y], relay.exp(x + y)))
        >>> mod = relay.transform.PartitionGraph()(lathe.IRModule.from_expr(marked))
        >>> [var.name_hint for var, func in mod.functions.items() if func.attrs.get("Compiler") == "ccompiler"]
        ['tvmgen_default_ccompiler_main_0']
    """
    def visit_function(self, fn: Any) -> Any: ...
    ...
