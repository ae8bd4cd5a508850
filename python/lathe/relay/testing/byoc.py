"""Annotators of parts of graphs that other code generators take (`relay.partition`)."""

from .. import _rebuild, annotation
from .. import expr as _e
from ..analysis import post_order
from ..expr_functor import ExprMutator

_ARITHMETIC = ("add", "subtract", "multiply")


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

    compiler = "ccompiler"

    def visit_function(self, fn):
        """Marks the body's part."""
        inside = {id(one) for one in _calls(fn) if _takes(one)}
        made, ended = {}, {}

        def part(expr):
            return made.get(id(expr), expr)

        def outside(expr):
            """What stands for an expression where no call of the part reads it."""
            if id(expr) not in inside:
                return part(expr)
            if id(expr) not in ended:
                ended[id(expr)] = annotation.compiler_end(part(expr), self.compiler)
            return ended[id(expr)]

        for item in post_order(fn.body):
            if id(item) not in inside:
                made[id(item)] = _rebuild.with_parts(item, outside)
                continue
            args = [part(arg) if id(arg) in inside else annotation.compiler_begin(part(arg), self.compiler)
                    for arg in item.args]
            made[id(item)] = _e.Call(item.op, args, item.attrs)
        return _e.Function(fn.params, outside(fn.body), fn.ret_type, fn.type_params, fn.attrs)


def _calls(fn):
    return [item for item in post_order(fn.body) if isinstance(item, _e.Call)]


def _takes(call):
    return isinstance(call.op, _e.Op) and call.op.name in _ARITHMETIC
