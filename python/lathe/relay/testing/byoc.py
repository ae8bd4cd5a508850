"""Annotators of parts of graphs that other code generators take (`relay.partition`)."""

from .. import annotation
from .. import expr as _e
from ..expr_functor import ExprMutator

_ARITHMETIC = ("add", "subtract", "multiply")


class CcompilerAnnotator(ExprMutator):
    """Marks one connected part of a graph: from the data of the last addition back to the first.

    Additions, subtractions and products of elements belong to the part. It begins where an operand is
    no such call, and ends at the call that no other one of the part reads.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> marked = relay.testing.byoc.CcompilerAnnotator().visit(relay.Function([x, y], relay.exp(x + y)))
        >>> mod = relay.transform.PartitionGraph()(lathe.IRModule.from_expr(marked))
        >>> [var.name_hint for var, func in mod.functions.items() if func.attrs.get("Compiler") == "ccompiler"]
        ['tvmgen_default_ccompiler_main_0']
    """

    compiler = "ccompiler"

    def visit_function(self, fn):
        """Marks the body's part."""
        inside = {id(one) for one in _calls(fn) if _takes(one)}
        read = {id(arg) for one in _calls(fn) if id(one) in inside for arg in one.args}
        made = {}

        def part(expr):
            return made.get(id(expr), expr)

        from .. import _rebuild
        from ..analysis import post_order

        for item in post_order(fn.body):
            if id(item) not in inside:
                made[id(item)] = _rebuild.with_parts(item, part)
                continue
            args = [part(arg) if id(arg) in inside else annotation.compiler_begin(part(arg), self.compiler)
                    for arg in item.args]
            call = _e.Call(item.op, args, item.attrs)
            made[id(item)] = call if id(item) in read else annotation.compiler_end(call, self.compiler)
        return _e.Function(fn.params, part(fn.body), fn.ret_type, fn.type_params, fn.attrs)


def _calls(fn):
    from ..analysis import post_order

    return [item for item in post_order(fn.body) if isinstance(item, _e.Call)]


def _takes(call):
    return isinstance(call.op, _e.Op) and call.op.name in _ARITHMETIC
