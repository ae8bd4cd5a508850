"""Dense layers whose weight is a transposed parameter get the parameter transposed before."""

from ... import nd
from .. import analysis
from ..expr import Call, Function, var
from ..expr_functor import ExprMutator


class _Transposing(ExprMutator):
    """Replaces nn.dense(x, transpose(w)) by nn.dense(x, w.T), where w.T is a new parameter."""

    def __init__(self, params):
        super().__init__()
        self.params, self.made = dict(params), {}

    def visit_call(self, call):
        """Called for calls."""
        new = super().visit_call(call)
        if getattr(new.op, "name", "") != "nn.dense":
            return new
        weight = new.args[1]
        if not isinstance(weight, Call) or getattr(weight.op, "name", "") != "transpose":
            return new
        axes = getattr(weight.attrs, "axes", None)
        name = getattr(weight.args[0], "name_hint", None)
        if name not in self.params or (axes and [int(axis) for axis in axes] != [1, 0]):
            return new
        if name not in self.made:
            value = self.params[name].numpy().T.copy()
            transposed = var(name + ".T", shape=value.shape, dtype=str(value.dtype))
            self.made[name] = (transposed, nd.array(value))
        return Call(new.op, [new.args[0], self.made[name][0]], new.attrs)


def convert(func, params):
    """Replaces nn.dense(x, transpose(w)) by a dense layer with a parameter that is transposed here.

    `relay.build` does the same for parameters that it gets; this is for programs that change the
    parameters themselves.

    Args:
        func: a relay.Function.
        params: {name: Tensor}.

    Returns:
        (Function, {name: Tensor}): with parameters `<name>.T` instead of those that only such layers
        read.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 3))
        >>> func = relay.Function([x, w], relay.nn.dense(x, relay.transpose(w)))
        >>> func, params = relay.data_dep_optimization.simplify_fc_transpose.convert(
        ...     func, {"w": lathe.nd.empty((4, 3))})
        >>> params["w.T"].shape
        (3, 4)
    """
    work = _Transposing(params)
    body = work.visit(func.body)
    used = analysis.free_vars(body)
    names = {one.name_hint for one in used}
    kept = [one for one in func.params if one.name_hint in names or one.name_hint not in params]
    new = {name: value for name, value in params.items() if name in names}
    new.update({transposed.name_hint: value for transposed, value in work.made.values()})
    added = [transposed for transposed, _ in work.made.values()]
    return Function(kept + added, body), new
