"""Bring your own code generator: parts of a graph that are compiled by somebody else.

    >>> import lathe
    >>> from lathe import relay
    >>> x = relay.var("x", shape=(2, 3))
    >>> @lathe.ir.register_op_attr("nn.relu", "target.doc_npu")
    ... def supported(call):
    ...     return True
    >>> mod = lathe.IRModule.from_expr(relay.Function([x], relay.exp(relay.nn.relu(x))))
    >>> mod = lathe.transform.Sequential([
    ...     relay.transform.AnnotateTarget("doc_npu"), relay.transform.MergeCompilerRegions(),
    ...     relay.transform.PartitionGraph()])(mod)
    >>> sorted(var.name_hint for var in mod.functions)
    ['main', 'tvmgen_default_doc_npu_main_0']

`relay.build` then calls the function "relay.ext.doc_npu" of the registry for each such part.
"""

from .. import _ffi
from .._irmodule import IRModule
from ..error import LatheValueError
from . import _rebuild, _regions, annotation
from . import expr as _e
from .backend.utils import mangle_module_name
from .transform import GraphPass

_equal = _ffi.get("ir.structural_equal")


def _over_functions(name, change):
    """A pass that changes the functions that no other code generator has. `change` gets a function
    and its name, and returns the function and further ones, {name: function}."""
    def run(module, context):
        made = {}
        for var, func in module.items():
            func.checked_type
            parts = (func, {}) if "Compiler" in func.attrs else change(func, var.name_hint)
            made.update({var.name_hint: parts[0], **parts[1]})
        return IRModule(made, module.type_definitions, module.attrs)

    return GraphPass(name, run, 0, ["InferType"])


def AnnotateTarget(targets, include_non_call_ops=True):
    """Marks the calls that other code generators take: `annotation.compiler_begin` and `compiler_end`.

    A code generator takes a call of an operator whose attribute "target.NAME" (a function: call ->
    bool, `ir.register_op_attr`) says so, and of a function whose attribute "Composite" begins with
    "NAME." (`MergeComposite`).

    Args:
        targets: the name of a code generator, or a list; the first that takes a call gets it.
        include_non_call_ops: without effect: tuples belong to those that make and read them.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> _ = lathe.ir.register_op_attr("exp", "target.doc_exp", lambda call: True)
        >>> made = relay.transform.AnnotateTarget("doc_exp")(relay.exp(relay.var("x", shape=(2,))))
        >>> made["main"].body.op
        Op(annotation.compiler_end)
    """
    names = [targets] if isinstance(targets, str) else [str(one) for one in targets]

    def change(func, name):
        outer, made = _regions.outermost(func), {}

        def now(part):
            return made.get(id(part), part)

        for item in _regions.analysis.post_order(func):
            compiler = _taken_by(item, names) if id(item) in outer else None
            if compiler is None:
                made[id(item)] = _rebuild.with_parts(item, now)
                continue
            args = {id(arg): annotation.compiler_begin(_typed_like(now(arg), arg), compiler)
                    for arg in item.args}
            call = _rebuild.with_parts(item, lambda part: args.get(id(part), now(part)))
            made[id(item)] = annotation.compiler_end(_typed_like(call, item), compiler)
        return made[id(func)], {}

    return _over_functions("AnnotateTarget", change)


def _typed_like(expr, old):
    """`expr`, whose type is that of `old`, which is known."""
    if expr._type is None:
        expr._type = old.checked_type
    return expr


def _taken_by(item, names):
    """The first code generator that takes a call, or None."""
    if not isinstance(item, _e.Call):
        return None
    for name in names:
        if isinstance(item.op, _e.Function):
            if str(item.op.attrs.get("Composite", "")).startswith(name + "."):
                return name
        elif isinstance(item.op, _e.Op):
            supports = item.op.get_attr("target." + name)
            if supports is not None and supports(item):
                return name
    return None


def MergeCompilerRegions():
    """Joins the marked parts of one code generator that read each other, as far as no part then
    reads its own results through something outside.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> begin, end = relay.annotation.compiler_begin, relay.annotation.compiler_end
        >>> y = end(relay.exp(begin(x, "npu")), "npu")
        >>> y = end(relay.tanh(begin(y, "npu")), "npu")
        >>> made = relay.transform.MergeCompilerRegions()(y)
        >>> str(made).count("compiler_begin")
        1
    """
    def change(func, name):
        parts = _regions.Regions(func)
        parts.merge()
        made = {}

        def now(part):
            return made.get(id(part), part)

        for item in parts.order:
            if _regions.is_mark(item, _regions.BEGIN) and parts.is_within(item):
                made[id(item)] = now(item.args[0].args[0])
            else:
                made[id(item)] = _rebuild.with_parts(item, now)
        return made[id(func)], {}

    return _over_functions("MergeCompilerRegions", change)


def PartitionGraph(mod_name="default", bind_constants=True):
    """Makes a function of the module of each marked part.

    Such a function has the attributes "Compiler", the code generator's name, and "global_symbol",
    its own name: `tvmgen_MODULE_COMPILER_FUNCTION_NUMBER`. Its parameters are what the part reads,
    its result what others read of it: a tensor, or a tuple.

    Args:
        mod_name: MODULE in these names.
        bind_constants: constants that a part reads are in it; else they are arguments.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> begin, end = relay.annotation.compiler_begin, relay.annotation.compiler_end
        >>> made = relay.transform.PartitionGraph()(end(relay.exp(begin(x, "npu")), "npu"))
        >>> made["tvmgen_default_npu_main_0"].attrs["Compiler"]
        'npu'
    """
    def change(func, name):
        cuts = {}  # id of an END -> the cut that it is a result of
        for number, region in enumerate(_regions.Regions(func).regions()):
            symbol = f"{mangle_module_name(mod_name)}_{region.compiler}_{name}_{number}"
            cut = _Cut(region, symbol, bind_constants)
            cuts.update((id(end), cut) for end in region.ends)
        made = {}
        for item in _order(func, cuts):
            cut = cuts.get(id(item))
            made[id(item)] = _rebuild.with_parts(item, lambda part: made.get(id(part), part)) \
                if cut is None else cut.result(item, made)
        return made[id(func)], {cut.symbol: cut.function for cut in cuts.values()}

    return _over_functions("PartitionGraph", change)


def _order(func, cuts):
    """The expressions that are left when the cuts are calls, operands first."""
    found, opened, work = [], {}, [(func, False)]
    while work:
        item, ready = work.pop()
        if ready:
            opened[id(item)] = False
            found.append(item)
            continue
        if id(item) in opened:
            if opened[id(item)]:
                raise LatheValueError("a marked part of the graph reads its own result", "relay-annotation",
                                      "help: relay.transform.MergeCompilerRegions joins parts that can be one")
            continue
        opened[id(item)] = True
        cut = cuts.get(id(item))
        parts = _regions.analysis._inner(item) if cut is None else cut.inputs
        work.append((item, True))
        # An operand that is already open on this way is found by the check above.
        work.extend((part, False) for part in reversed(parts))
    return found


class _Sizes:
    """Sizes of a function of its own: one for each extent that is no number."""

    def __init__(self):
        self._known = []  # (the old extent, the new size)

    def own(self, found):
        """A tensor type with these sizes."""
        return _e.ty.TensorType([extent if isinstance(extent, int) or hasattr(extent, "value") else self._size(extent)
                                 for extent in found.shape], found.dtype)

    def _size(self, extent):
        for old, new in self._known:
            if _equal(old, extent, False):
                return new
        self._known.append((extent, _e.ty.Any(f"n{len(self._known)}")))
        return self._known[-1][1]


class _Cut:
    """A region as a function of the module.

    Attributes:
        symbol: the function's name.
        function: the relay.Function.
        inputs: what its parameters stand for in the old function.
    """

    def __init__(self, region, symbol, bind_constants):
        self.symbol, self.inputs, self._call = symbol, [], None
        params, made, sizes = {}, {}, _Sizes()
        for begin in region.begins:
            given = begin.args[0]
            if isinstance(given, _e.Constant) and bind_constants:
                made[id(begin)] = given
                continue
            if id(given) not in params:
                params[id(given)] = _e.Var(f"{region.compiler}_i{len(self.inputs)}", sizes.own(given.checked_type))
                self.inputs.append(given)
            made[id(begin)] = params[id(given)]
        for key, item in region.inside.items():  # in the order of the function
            made[key] = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        self._results = list(dict.fromkeys(id(end.args[0]) for end in region.ends))
        bodies = [made[one] for one in self._results]
        self.function = _e.Function(
            list(params.values()), bodies[0] if len(bodies) == 1 else _e.Tuple(bodies), None, None,
            {"Primitive": 1, "Compiler": region.compiler, "global_symbol": symbol})

    def result(self, end, made):
        """What stands for an END; `made` has what stands for the inputs: {id: expression}."""
        if self._call is None:
            self._call = _e.Call(_e.GlobalVar(self.symbol), [made[id(one)] for one in self.inputs])
            self._call._type = self.function.checked_type.result
        if len(self._results) == 1:
            return self._call
        return _e.TupleGetItem(self._call, self._results.index(id(end.args[0])))
