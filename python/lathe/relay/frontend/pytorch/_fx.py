"""Reads graphs of torch.fx: exported programs, decompositions, what torch.compile gives."""

import functools
import math
import operator
from collections import Counter

from ....error import LatheError, LatheValueError
from ... import expr as _e
from . import _values as _v
from ._importer import Importer, Place, tuple_of, unsupported, with_place
from ._operators.arithmetic import (
    divide_numbers,
    of_numbers,
    power_of_numbers,
    remainder_of_numbers,
)
from ._registry import short_name, writes_in_place
from ._writes import check_strided, may_share

# Python's operators on sizes.
_SIZES = {
    **{one: functools.partial(of_numbers, one)
       for one in (operator.add, operator.sub, operator.mul, operator.floordiv)},
    operator.mod: remainder_of_numbers, operator.neg: lambda x: -x,
    operator.truediv: divide_numbers, operator.pow: power_of_numbers,
    operator.eq: lambda x, y: x == y, operator.ne: lambda x, y: x != y,
    operator.lt: lambda x, y: x < y, operator.gt: lambda x, y: x > y,
    operator.le: lambda x, y: x <= y, operator.ge: lambda x, y: x >= y,
    operator.and_: lambda x, y: x & y, operator.or_: lambda x, y: x | y,
    operator.not_: lambda x: not x, math.ceil: math.ceil, math.floor: math.floor,
    math.trunc: math.trunc, max: max, min: min,
}


class FxReader:
    """Reads graphs into an Importer's scope."""

    def __init__(self, importer):
        self.importer = importer

    @staticmethod
    def schema(node):
        """(qualified name, overload, names of the parameters) of a call, or None."""
        found = getattr(node.target, "_schema", None)
        if found is None:
            return None
        return found.name, found.overload_name, [one.name for one in found.arguments]

    def missing(self, module):
        """The qualified names of calls that cannot be imported."""
        from . import _decompose

        for node in module.graph.nodes:
            if node.op == "call_function":
                schema = self.schema(node)
                if schema is None:
                    if not self._own(node.target):
                        yield _name_of(node.target)
                elif not self.importer.known(*schema[:2]) and \
                        not _decompose.possible(*schema[:2]):
                    yield schema[0]
            elif node.op in ("call_module", "call_method"):
                yield f"{node.op} {node.target}"

    @staticmethod
    def _own(target):
        return target in _SIZES or target is operator.getitem or \
            _name_of(target) in ("cond", "while_loop", "sym_sum", "sym_max", "sym_min", "sym_not",
                                 "sym_float")

    def read(self, module, given):
        """The results of a graph.

        Args:
            module: a torch.fx.GraphModule.
            given: {placeholder: value}.
        """
        env = dict(given)
        for node in module.graph.nodes:
            if node.op == "placeholder":
                continue
            if node.op == "output":
                return self._values(node.args[0], env)
            if node.op == "get_attr":
                env[node] = self._attribute(module, node.target)
                continue
            env[node] = self._call(node, env, module)
            schema = self.schema(node)
            if schema is not None and writes_in_place(short_name(schema[0])):
                # _writes_alone; the tensor keeps its element type.
                kept = _v.cast(env[node], _v.dtype_of(env[node.args[0]]))
                env[node] = env[node.args[0]] = self.importer.bind(node.name, kept)
        return None

    @staticmethod
    def _attribute(module, target):
        found = module
        for part in target.split("."):
            found = getattr(found, part)
        return found.detach() if _v.known_tensor(found) else found

    def _values(self, item, env):
        if isinstance(item, (list, tuple)):
            return type(item)(self._values(one, env) for one in item) \
                if type(item) in (list, tuple) else [self._values(one, env) for one in item]
        if isinstance(item, dict):
            return {key: self._values(one, env) for key, one in item.items()}
        if type(item).__name__ == "slice":
            return slice(*(self._values(one, env) for one in (item.start, item.stop, item.step)))
        return env[item] if type(item).__name__ == "Node" else item

    def _call(self, node, env, module):
        args, named = self._values(node.args, env), self._values(node.kwargs, env)
        schema = self.schema(node)
        place = Place(_name_of(node.target), [node.name], _detail(node))
        try:
            if schema is None:
                return self._python(node.target, args, module)
            qualified, overload, names = schema
            values = _by_schema(node.target._schema, args, named)
            if short_name(qualified) == "as_strided":
                base = node.args[0].meta.get("val")
                check_strided(base, values[3] if len(values) > 3 else None, in_order=True)
            result = self.importer.call(place, qualified, overload, names, values)
            return self.importer.bind(node.name, result)
        except LatheError as error:
            raise with_place(error, place) from None

    def _python(self, target, args, module):
        if target is operator.getitem:
            return args[0][args[1]]
        name = _name_of(target)
        if name == "cond":
            return self._cond(*args)
        if name == "while_loop":
            return self._while(*args)
        if target in _SIZES:
            return _SIZES[target](*args)
        if name == "sym_sum":
            return sum(args[0])
        if name in ("sym_float", "sym_not", "sym_max", "sym_min"):
            return {"sym_float": lambda x: x, "sym_not": lambda x: not x, "sym_max": max,
                    "sym_min": min}[name](*args)
        raise unsupported(Counter([name]))

    def _cond(self, condition, first, second, operands):
        """torch.cond: both arms are graphs of the same operands."""
        from . import _control
        from ._importer import flat, tuple_type

        known = _control.known_bool(condition)
        arms = []
        for arm in (first, second):
            self.importer.scopes.append([])
            places = [node for node in arm.graph.nodes if node.op == "placeholder"]
            results = flat(self.read(arm, dict(zip(places, operands))))
            fields = [self.importer.bind("arm", _v.expr(one)) for one in results]
            types = [one.checked_type for one in fields]
            arms.append((self.importer.closed(_e.Tuple(fields)), types))
        if arms[0][1] != arms[1][1]:
            raise LatheValueError("the arms of a branch give tensors of different types",
                                  "pytorch-branch", f"expected: {arms[0][1]}\nfound: {arms[1][1]}")
        if known is not None:
            chosen = arms[0 if known else 1]
            whole = chosen[0]
        else:
            whole = _e.If(_control.as_bool(condition), arms[0][0], arms[1][0])
        whole._type = tuple_type(arms[0][1])
        whole = self.importer.bind("cond", whole)
        return tuple(_e.TupleGetItem(whole, i) for i in range(len(arms[0][1])))


    def _while(self, test, body, carried, more=()):
        """torch.while_loop: both graphs take what is carried, and further operands."""
        from ..._loop import Loop
        from . import _control
        from ._importer import flat, tuple_type

        importer = self.importer
        start = [importer.bind("start", _v.expr(one)) for one in carried]
        types = [one.checked_type for one in start]
        state = [_e.Var(importer.name(f"carried{i}"), one) for i, one in enumerate(types)]
        made = []
        for graph in (test, body):
            importer.scopes.append([])
            places = [node for node in graph.graph.nodes if node.op == "placeholder"]
            results = flat(self.read(graph, dict(zip(places, [*state, *more]))))
            if graph is test:
                made.append(importer.closed(_control.as_bool(results[0])))
                continue
            ends = [_v.expr(one, str(wanted.dtype)) for one, wanted in zip(results, types)]
            for one, wanted in zip(ends, types):
                if one.checked_type != wanted:
                    raise LatheValueError("what a loop carries changes its shape with each round",
                                          "pytorch-loop",
                                          f"expected: {wanted}\nfound: {one.checked_type}")
            made.append(importer.closed(_e.Tuple(ends)))
        whole = importer.bind("loop", Loop(start, state, *made, tuple_type(types)))
        return tuple(_e.TupleGetItem(whole, i) for i in range(len(types)))


def _by_schema(schema, args, named):
    """Values in the order of the schema, with its defaults."""
    values = []
    for i, parameter in enumerate(schema.arguments):
        if i < len(args):
            values.append(args[i])
        elif parameter.name in named:
            values.append(named[parameter.name])
        else:
            values.append(parameter.default_value if parameter.has_default_value() else None)
    return values


def _name_of(target):
    schema = getattr(target, "_schema", None)
    if schema is not None:
        return schema.name
    name = getattr(target, "__name__", None)
    return name if name is not None else str(target)


def _detail(node):
    trace = node.meta.get("stack_trace") or ""
    lines = [one.strip() for one in trace.splitlines() if one.strip().startswith("File")]
    return f"found: at {lines[-1]}" if lines else ""


# -- Exported programs.


def from_exported(program, infos, custom, friendly):
    """The importer, after it has read an ExportedProgram, and the function."""
    importer = Importer(custom, friendly)
    program = _decomposed(program, importer)
    reader = FxReader(importer)
    missing = Counter(reader.missing(program.graph_module))
    if missing:
        raise unsupported(missing)
    given = _placeholders(program, importer, infos)
    results = reader.read(program.graph_module, given)
    kinds = [str(one.kind).rpartition(".")[2] for one in program.graph_signature.output_specs]
    changed = [one.target for one, kind in zip(program.graph_signature.output_specs, kinds)
               if "MUTATION" in kind]
    if changed:
        raise LatheValueError("the model changes its own buffers, or its inputs, in each run",
                              "pytorch-state", f"found: {', '.join(map(str, changed))}\n"
                              "help: model.eval(); or return the new values as results")
    chosen = [one for one, kind in zip(results, kinds) if kind == "USER_OUTPUT"]
    return importer, importer.function(tuple_of(chosen))


def _decomposed(program, importer):
    """The program without writes in place, and without operators that PyTorch must decompose."""
    from . import _decompose

    def plain(node):
        schema = FxReader.schema(node)
        return schema is None or importer.known(*schema[:2]) and (
            not node.target._schema.is_mutable or
            writes_in_place(short_name(schema[0])) and _writes_alone(node))

    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    if all(plain(node) for node in calls):
        return program
    table = dict(_v.torch().export.default_decompositions())
    table = {key: one for key, one in table.items() if not _decompose._known(key, importer)}
    for key, function in _decompose.table(importer).items():
        table.setdefault(key, function)
    return program.run_decompositions(table)


def _writes_alone(node):
    """Does an operator that works in place change a value that is no view, and has none?"""
    def is_view(one):
        schema = FxReader.schema(one) if one.op == "call_function" else None
        return schema is None or may_share(short_name(schema[0]))

    target = node.args[0]
    return target.op == "call_function" and not is_view(target) and \
        not any(is_view(user) for user in target.users if user.op != "output")


def _placeholders(program, importer, infos):
    """{placeholder: value}: weights become parameters, inputs get the names of infos."""
    from ...ty import Any

    sizes, given = {}, {}
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    specs = program.graph_signature.input_specs
    users = [spec for spec in specs if str(spec.kind).endswith("USER_INPUT")]
    if infos is not None and len(infos) != len(users):
        raise LatheValueError("input_infos does not fit the program's inputs", "pytorch-inputs",
                              f"expected: {len(users)}: "
                              f"{', '.join(str(one.arg.name) for one in users)}\n"
                              f"found: {len(infos)}: {', '.join(one[0] for one in infos)}")
    number = 0
    for node, spec in zip(nodes, specs):
        kind = str(spec.kind).rpartition(".")[2]
        if kind == "USER_INPUT":
            info = infos[number] if infos is not None else None
            number += 1
            given[node] = _user_input(node, spec, info, sizes, importer, Any)
        elif kind in ("PARAMETER", "BUFFER", "CONSTANT_TENSOR"):
            tensor = program.state_dict.get(spec.target)
            if tensor is None:
                tensor = program.constants[spec.target]
            given[node] = importer.parameter(spec.target, tensor)
        else:
            given[node] = None
    return given


def _user_input(node, spec, info, sizes, importer, any_size):
    found = node.meta.get("val")
    if not _v.known_tensor(found):
        return getattr(spec.arg, "value", found)
    shape = [extent_of(n, sizes, any_size) for n in found.shape]
    name = info[0] if info is not None else node.name
    if info is not None:
        given = list(info[1])
        fits = len(given) == len(shape) and all(
            not isinstance(m, int) or not isinstance(n, int) or n == m
            for n, m in zip(shape, given))
        if not fits:
            raise LatheValueError(f"the shape of input `{name}` does not fit the program",
                                  "pytorch-inputs", f"expected: {tuple(shape)}\n"
                                  f"found: {tuple(given)}\nhelp: torch.export.export(..., "
                                  "dynamic_shapes=...) leaves extents open")
    return importer.input(name, shape, _v.dtype_name(found.dtype))


def extent_of(n, sizes, any_size):
    """An extent of PyTorch as an int or an expression over sizes. One symbol is one size."""
    if isinstance(n, int):
        return n
    return _expression(n.node.expr, sizes, any_size)


def _expression(expr, sizes, any_size):
    if expr.is_Integer:
        return int(expr)
    if expr.is_Symbol:
        return sizes.setdefault(str(expr), any_size(str(expr)))
    parts = [_expression(one, sizes, any_size) for one in expr.args]
    kind = type(expr).__name__
    if kind in ("Add", "Mul"):
        total = parts[0]
        for one in parts[1:]:
            total = total + one if kind == "Add" else total * one
        return total
    if kind == "FloorDiv":
        return parts[0] // parts[1]
    if kind in ("Mod", "PythonMod"):
        return parts[0] % parts[1]
    if kind == "Pow" and isinstance(parts[1], int) and parts[1] > 0:
        return math.prod([parts[0]] * parts[1])
    raise LatheValueError("an extent is no expression that graphs have", "pytorch-value",
                          f"found: {expr}")
