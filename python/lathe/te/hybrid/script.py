"""The translator: it walks a function's syntax tree with the arguments and makes statements.

The language has: `for` over range, parallel, vectorize, unroll, const_range; `if`, `elif`, `else`;
`while`; assignment and augmented assignment to elements and scalars; output_tensor and allocate;
conditional expressions, `and`, `or`, `not`; mathematical functions by name. Numbers of the
enclosing scope are constants.
"""

import ast
import functools
import inspect
import operator
import textwrap

from ... import _ffi, _nodes
from ...error import LatheValueError
from ..operation import extern

_get = _ffi.get
_LOOPS = {"range": "serial", "serial": "serial", "parallel": "parallel", "vectorize": "vectorized",
          "unroll": "unrolled"}
_BINARY = {ast.Add: "tir.add", ast.Sub: "tir.subtract", ast.Mult: "tir.multiply", ast.Div: "tir.div",
           ast.FloorDiv: "tir.floordiv", ast.Mod: "tir.floormod", ast.Pow: "tir.pow",
           ast.LShift: "tir.shift_left", ast.RShift: "tir.shift_right", ast.BitAnd: "tir.bitwise_and",
           ast.BitOr: "tir.bitwise_or", ast.BitXor: "tir.bitwise_xor"}
_PYTHON = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
           ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
           ast.Pow: operator.pow, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
           ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor}
_COMPARE = {ast.Lt: "tir.less", ast.LtE: "tir.less_equal", ast.Gt: "tir.greater",
            ast.GtE: "tir.greater_equal", ast.Eq: "tir.equal", ast.NotEq: "tir.not_equal"}
_MATH = {"exp", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "sin", "cos", "tan", "floor", "ceil",
         "round", "trunc", "abs", "popcount"}
_TYPES = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
          "float32", "float64", "bfloat16", "bool"}


class HybridError(LatheValueError):
    """A hybrid function uses something that the language does not have. Names the line.

    Example:
        >>> from lathe import te
        >>> issubclass(te.hybrid.HybridError, ValueError)
        True
    """


class _Array:
    """A tensor of the script: an input, an output, or memory that the script allocates."""

    def __init__(self, name, shape, dtype, kind):
        self.name, self.shape, self.dtype, self.kind = name, tuple(shape), dtype, kind
        self.buffer = None


class _Scalar:
    """A local number. Its value may change, so it is an element of memory."""

    def __init__(self, buffer):
        self.buffer = buffer


class _Translator:
    def __init__(self, function, tree, first_line, filename, arguments, names):
        self.function, self.first_line, self.filename = function, first_line, filename
        self.tree = tree
        self.scopes = [dict(names)]
        self.arguments = arguments
        self.outputs = []
        self.returned = None
        # Statements of the open blocks, innermost last. A callable wraps all that follows it.
        self.blocks = [[]]

    # -- Errors, names.

    def fail(self, node, message):
        line = self.first_line + getattr(node, "lineno", 1) - 1
        raise HybridError(f"in the hybrid function `{self.tree.name}`: {message}", "hybrid-script",
                          where=(self.filename, line), code=3)

    def lookup(self, node, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        self.fail(node, f"the name `{name}` is not known here")

    # -- Statements.

    def emit(self, item):
        self.blocks[-1].append(item)

    def sequence(self, items):
        made = []
        for item in reversed(items):
            if callable(item) and not isinstance(item, _nodes.Node):
                rest = _get("tir.make_seq")(made[::-1]) if made else _get("tir.make_evaluate")(0)
                made = [item(rest)]
            else:
                made.append(item)
        return _get("tir.make_seq")(made[::-1]) if made else _get("tir.make_evaluate")(0)

    def block(self, statements, names=None):
        self.scopes.append(dict(names or {}))
        self.blocks.append([])
        for statement in statements:
            self.statement(statement)
        self.scopes.pop()
        return self.sequence(self.blocks.pop())

    def statement(self, node):
        method = getattr(self, "do_" + type(node).__name__, None)
        if method is None:
            self.fail(node, f"`{type(node).__name__.lower()}` is not part of the language")
        method(node)

    def do_Pass(self, node):
        pass

    def do_Expr(self, node):
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        self.emit(_get("tir.make_evaluate")(self.value(node.value)))

    def do_Return(self, node):
        if len(self.blocks) != 1 or node is not self.tree.body[-1]:
            self.fail(node, "`return` is the last statement of the function")
        many = isinstance(node.value, ast.Tuple)
        items = node.value.elts if many else [node.value]
        self.returned = [self.lookup(i, i.id) if isinstance(i, ast.Name) else self.fail(
            i, "what is returned are output tensors, by name") for i in items]
        for array in self.returned:
            if not isinstance(array, _Array) or array.kind != "output":
                self.fail(node, "what is returned are output tensors")

    def do_Assert(self, node):
        message = node.msg.value if isinstance(node.msg, ast.Constant) else "an assertion failed"
        self.emit(_get("tir.make_assert")(self.value(node.test), "hybrid-assertion", str(message), []))

    def do_AugAssign(self, node):
        value = ast.BinOp(left=_as_load(node.target), op=node.op, right=node.value)
        ast.copy_location(value, node)
        ast.fix_missing_locations(value)
        self.assign(node.target, value)

    def do_Assign(self, node):
        if len(node.targets) != 1:
            self.fail(node, "one target at a time")
        self.assign(node.targets[0], node.value)

    def assign(self, target, value_node):
        if isinstance(target, ast.Subscript):
            array = self.array(target.value)
            if array.kind == "input":
                self.fail(target, f"`{array.name}` is an input and cannot be written")
            value = _get("tir.cast")(array.dtype, self.value(value_node))
            self.emit(_get("tir.make_store")(array.buffer, value, self.indices(target, array)))
            return
        if not isinstance(target, ast.Name):
            self.fail(target, "only names and elements can be assigned to")
        if isinstance(value_node, ast.Call) and isinstance(value_node.func, ast.Name) and \
                value_node.func.id in ("output_tensor", "allocate"):
            self.declare(target, value_node)
            return
        for scope in reversed(self.scopes):
            if isinstance(scope.get(target.id), _Scalar):
                buffer = scope[target.id].buffer
                value = _get("tir.cast")(buffer.dtype, self.value(value_node))
                self.emit(_get("tir.make_store")(buffer, value, [0]))
                return
        value = self.value(value_node)
        if isinstance(value, (_Array, tuple)):
            self.scopes[-1][target.id] = value
            return
        value = _get("tir.convert")(value)
        buffer = _nodes.CLASSES["Buffer"](target.id, value.dtype, [1], "local")
        self.emit(lambda rest: _get("tir.make_allocate")(buffer, rest, {}))
        self.emit(_get("tir.make_store")(buffer, value, [0]))
        self.scopes[-1][target.id] = _Scalar(buffer)

    def declare(self, target, call):
        arguments = [self.value(a) for a in call.args]
        keywords = {k.arg: self.value(k.value) for k in call.keywords}
        shape = arguments[0] if arguments else keywords.get("shape")
        dtype = arguments[1] if len(arguments) > 1 else keywords.get("dtype", "float32")
        scope = arguments[2] if len(arguments) > 2 else keywords.get("scope", "local")
        shape = shape if isinstance(shape, tuple) else (shape,)
        if call.func.id == "output_tensor":
            if len(self.blocks) != 1:
                self.fail(call, "output tensors are made at the top of the function")
            array = _Array(target.id, shape, dtype, "output")
            array.buffer = self.output_buffer(array)
            self.outputs.append(array)
        else:
            array = _Array(target.id, shape, dtype, "own")
            array.buffer = _nodes.CLASSES["Buffer"](target.id, dtype, shape,
                                                    "" if scope == "global" else scope)
            buffer = array.buffer
            self.emit(lambda rest: _get("tir.make_allocate")(buffer, rest, {}))
        self.scopes[-1][target.id] = array

    def output_buffer(self, array):
        return _nodes.CLASSES["Buffer"](array.name, array.dtype, array.shape)

    def do_For(self, node):
        call = node.iter
        if node.orelse or not isinstance(node.target, ast.Name) or not isinstance(call, ast.Call) \
                or not isinstance(call.func, ast.Name):
            self.fail(node, "loops are `for i in range(...)`, parallel, vectorize or unroll")
        name = call.func.id
        arguments = [self.value(a) for a in call.args]
        if name == "const_range":
            for number in range(*[int(a) for a in arguments]):
                self.emit(self.block(node.body, {node.target.id: number}))
            return
        if name not in _LOOPS or not 1 <= len(arguments) <= 2:
            self.fail(node, "loops are over range, parallel, vectorize, unroll or const_range, with an "
                            "end or a begin and an end")
        begin, end = arguments if len(arguments) == 2 else (0, arguments[0])
        extent = end if isinstance(begin, int) and begin == 0 else end - begin
        kinds = {getattr(x, "dtype", "int32") for x in (begin, extent)}
        dtype = "int64" if "int64" in kinds else "int32"
        var = _get("tir.var")(node.target.id, dtype)
        body = self.block(node.body, {node.target.id: var})
        self.emit(_get("tir.make_for")(var, _get("tir.cast")(dtype, begin),
                                       _get("tir.cast")(dtype, extent), _LOOPS[name], body, "", {}))

    def do_While(self, node):
        if node.orelse:
            self.fail(node, "`while` has no else")
        self.emit(_get("tir.make_while")(self.value(node.test), self.block(node.body)))

    def do_If(self, node):
        condition = self.value(node.test)
        if isinstance(condition, (bool, int)):  # known while the program is being made
            for statement in (node.body if condition else node.orelse):
                self.statement(statement)
            return
        then_case = self.block(node.body)
        else_case = self.block(node.orelse) if node.orelse else None
        self.emit(_get("tir.make_if")(condition, then_case, else_case))

    # -- Expressions.

    def array(self, node):
        found = self.lookup(node, node.id) if isinstance(node, ast.Name) else self.value(node)
        if not isinstance(found, _Array):
            self.fail(node, "only tensors have elements")
        return found

    def indices(self, node, array):
        index = node.slice
        items = index.elts if isinstance(index, ast.Tuple) else [index]
        if any(isinstance(i, ast.Slice) for i in items):
            self.fail(node, "elements are read and written one at a time")
        indices = [self.value(i) for i in items]
        if len(indices) != len(array.shape):
            self.fail(node, f"`{array.name}` has {len(array.shape)} dimensions, here are "
                            f"{len(indices)} indices")
        return indices

    def value(self, node):
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            self.fail(node, f"`{type(node).__name__.lower()}` is not part of the language")
        return method(node)

    def of_Constant(self, node):
        return node.value

    def of_Name(self, node):
        found = self.lookup(node, node.id)
        if isinstance(found, _Scalar):
            return _get("tir.load")(found.buffer, [0])
        return found

    def of_Tuple(self, node):
        return tuple(self.value(e) for e in node.elts)

    of_List = of_Tuple

    def of_Attribute(self, node):
        found = self.value(node.value)
        if isinstance(found, _Array) and node.attr in ("shape", "dtype"):
            return getattr(found, node.attr)
        if inspect.ismodule(found):
            return getattr(found, node.attr)
        self.fail(node, f"`.{node.attr}` is not known here")

    def of_Subscript(self, node):
        found = self.value(node.value)
        if isinstance(found, tuple):
            return found[int(self.value(node.slice))]
        if not isinstance(found, _Array):
            self.fail(node, "only tensors and tuples have elements")
        return _get("tir.load")(found.buffer, self.indices(node, found))

    def of_BinOp(self, node):
        a, b = self.value(node.left), self.value(node.right)
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            return _PYTHON[type(node.op)](a, b)
        return _get(_BINARY[type(node.op)])(a, b)

    def of_UnaryOp(self, node):
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return (not operand) if isinstance(operand, (bool, int)) else _get("tir.logical_not")(
                operand)
        if isinstance(node.op, ast.USub):
            return -operand
        if isinstance(node.op, ast.UAdd):
            return operand
        return _get("tir.bitwise_not")(operand)

    def of_Compare(self, node):
        left, made = self.value(node.left), None
        for op, right_node in zip(node.ops, node.comparators):
            right = self.value(right_node)
            if type(op) not in _COMPARE:
                self.fail(node, "this comparison is not part of the language")
            if isinstance(left, (int, float, str)) and isinstance(right, (int, float, str)):
                one = {ast.Lt: left < right, ast.LtE: left <= right, ast.Gt: left > right,
                       ast.GtE: left >= right, ast.Eq: left == right,
                       ast.NotEq: left != right}[type(op)]
            else:
                one = _get(_COMPARE[type(op)])(left, right)
            made = one if made is None else self.both(made, one)
            left = right
        return made

    @staticmethod
    def both(a, b):
        return (a and b) if isinstance(a, bool) and isinstance(b, bool) else _get(
            "tir.logical_and")(a, b)

    def of_BoolOp(self, node):
        values = [self.value(v) for v in node.values]
        is_and = isinstance(node.op, ast.And)
        made = values[0]
        for value in values[1:]:
            if isinstance(made, bool) and isinstance(value, bool):
                made = (made and value) if is_and else (made or value)
            else:
                made = _get("tir.logical_and" if is_and else "tir.logical_or")(made, value)
        return made

    def of_IfExp(self, node):
        condition = self.value(node.test)
        if isinstance(condition, bool):
            return self.value(node.body if condition else node.orelse)
        return _get("tir.if_then_else")(condition, self.value(node.body), self.value(node.orelse))

    def of_Call(self, node):
        if isinstance(node.func, ast.Name):
            name = node.func.id
        elif isinstance(node.func, ast.Attribute):  # te.exp, tir.exp
            name = node.func.attr
        else:
            name = ""
        arguments = [self.value(a) for a in node.args]
        if name in _MATH and len(arguments) == 1:
            return _get("tir." + name)(arguments[0])
        if name in ("max", "min") and len(arguments) >= 2:
            return functools.reduce(_get("tir." + name), arguments)
        if name in _TYPES and len(arguments) == 1:
            return _get("tir.cast")(name, arguments[0])
        if name in ("power", "pow"):
            return _get("tir.pow")(*arguments)
        if name in ("likely", "isnan", "isinf"):
            return _get("tir." + name)(*arguments)
        if name == "if_then_else":
            return _get("tir.if_then_else")(*arguments)
        if name == "len" and len(arguments) == 1:
            shape = arguments[0].shape if isinstance(arguments[0], _Array) else arguments[0]
            return len(shape) if isinstance(arguments[0], tuple) else shape[0]
        self.fail(node, f"the function `{name or '?'}` is not part of the language")


def _as_load(node):
    copy = ast.parse(ast.unparse(node), mode="eval").body
    return ast.copy_location(copy, node)


def _names_around(function):
    """Names of the enclosing scopes that a script may use: numbers, tuples, modules, ..."""
    names = {}
    variables = inspect.getclosurevars(function)
    for scope in (variables.globals, variables.nonlocals):
        for name, value in scope.items():
            if isinstance(value, (int, float, str, tuple)) or inspect.ismodule(value) or isinstance(
                    value, _nodes.Node):
                names[name] = value
    return names


def script(function):
    """Turns a Python function with loops into an operation.

    The result takes tensors of tensor expressions (and numbers) and returns the function's output
    tensors.

    Raises:
        HybridError: the function uses something that the language does not have; names the line.

    Example:
        >>> from lathe import te
        >>> @te.hybrid.script
        ... def double(a):
        ...     out = output_tensor(a.shape, a.dtype)
        ...     for i in range(a.shape[0]):
        ...         out[i] = a[i] * 2.0
        ...     return out
        >>> double(te.placeholder((8,), name="A")).dtype
        'float32'
    """
    lines, first_line = inspect.getsourcelines(function)
    filename = inspect.getsourcefile(function) or "<script>"
    tree = ast.parse(textwrap.dedent("".join(lines))).body[0]
    parameters = [a.arg for a in tree.args.args]

    @functools.wraps(function)
    def build(*args):
        if len(args) != len(parameters):
            raise HybridError(f"`{function.__name__}` takes {len(parameters)} arguments", "hybrid-arguments",
                              f"found: {len(args)}")
        tensor_class = _nodes.CLASSES["Tensor"]
        for name, arg in zip(parameters, args):
            if hasattr(type(arg), "__dlpack__"):
                raise HybridError(f"`{function.__name__}` makes an operation of placeholders, it does not compute",
                                  "hybrid-array", f"found: an array as `{name}`\nhelp: call it with te.placeholder(...), "
                                  "build a schedule of what it returns, and call that with arrays")
        inputs = [a for a in args if isinstance(a, tensor_class)]

        def translate(in_buffers, outputs):
            names, buffers = _names_around(function), iter(in_buffers)
            for name, arg in zip(parameters, args):
                if isinstance(arg, tensor_class):
                    names[name] = _Array(name, arg.shape, arg.dtype, "input")
                    names[name].buffer = next(buffers)
                else:
                    names[name] = arg
            translator = _Translator(function, tree, first_line, filename, args, names)
            if outputs is not None:
                by_name = {o.name: b for o, b in outputs}
                translator.output_buffer = lambda array: by_name[array.name]
            for statement in tree.body:
                translator.statement(statement)
            if not translator.returned:
                translator.fail(tree, "the function returns its output tensors")
            return translator

        # Translates twice: to learn the outputs, then with the operation's own buffers.
        stand_ins = [_nodes.CLASSES["Buffer"](t.op.name, t.dtype, t.shape) for t in inputs]
        found = translate(stand_ins, None).returned

        def body(ins, outs):
            translator = translate(ins, list(zip(found, outs)))
            return translator.sequence(translator.blocks[0])

        return extern([list(o.shape) for o in found], inputs, body, name=function.__name__,
                      dtype=[o.dtype for o in found], tag="hybrid")

    return build
