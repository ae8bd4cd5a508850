"""Counting: operators, layers, multiplications, features."""

import enum

from ..error import LatheValueError
from . import expr as _e


def _all_of(item):
    """The parts of an expression, or of all functions of a module."""
    from .analysis import post_order

    if hasattr(item, "functions") and not isinstance(item, _e.Expr):
        return [part for func in item.functions.values() for part in post_order(func)]
    return post_order(_e.as_expr(item))


def list_op_freqs(mod):
    """How often each operator is called: {name: number}.

    Args:
        mod: an IRModule, or an expression.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.analysis.list_op_freqs(relay.exp(relay.exp(x)))
        {'exp': 2}
    """
    found = {}
    for part in _all_of(mod):
        if isinstance(part, _e.Call) and isinstance(part.op, _e.Op):
            found[part.op.name] = found.get(part.op.name, 0) + 1
    return dict(sorted(found.items()))


def count_layers(expr, valid_ops):
    """The number of layers: the most calls of some operators on one way through the graph.

    Args:
        expr: an expression.
        valid_ops: a list of names: the operators that count.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.analysis.count_layers(relay.exp(relay.exp(x)) + relay.exp(x), ["exp"])
        2
    """
    from .analysis import _inner, post_order

    depth = {}
    for part in post_order(_e.as_expr(expr)):
        own = isinstance(part, _e.Call) and isinstance(part.op, _e.Op) and part.op.name in valid_ops
        depth[id(part)] = int(own) + max((depth[id(one)] for one in _inner(part)), default=0)
    return depth[id(_e.as_expr(expr))]


def _extents(expr):
    shape = [getattr(n, "value", n) for n in expr.checked_type.shape]
    if not all(isinstance(n, int) for n in shape):
        raise LatheValueError("multiplications are counted for known shapes only",
                              "relay-unknown-shape", f"found: {expr.checked_type}")
    return shape


def _product(numbers):
    total = 1
    for number in numbers:
        total *= number
    return total


def _multiplications(call):
    name = call.op.name
    if name in ("nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.conv1d_transpose",
                "nn.conv2d_transpose", "nn.conv3d_transpose"):
        weight = dict(zip(call.attrs["kernel_layout"], _extents(call.args[1])))
        if name.endswith("_transpose"):  # each element of the data is multiplied by a window
            return _product(_extents(call.args[0])) * _product(
                n for letter, n in weight.items() if letter != "I")
        return _product(_extents(call)) * _product(
            n for letter, n in weight.items() if letter != "O")
    if name == "nn.contrib_conv2d_nchwc":
        _, blocks, height, width, lanes, _ = _extents(call.args[1])
        return _product(_extents(call)) * blocks * height * width * lanes
    if name == "nn.contrib_conv2d_winograd_nchwc":  # of the convolution that it computes
        blocks, lanes = _extents(call.args[1])[3:5]
        return _product(_extents(call)) * blocks * lanes * 9
    if name == "nn.contrib_conv2d_nchwc_int8":
        _, blocks, height, width, groups, _, group = _extents(call.args[1])
        return _product(_extents(call)) * blocks * height * width * groups * group
    if name == "nn.contrib_depthwise_conv2d_nchwc":
        return _product(_extents(call)) * _product(_extents(call.args[1])[1:3])
    if name == "nn.contrib_dense_pack":
        return _product(_extents(call)) * _extents(call.args[1])[1]
    if name == "nn.contrib_dense_dot":
        *_, groups, _, group = _extents(call.args[1])
        return _product(_extents(call)) * groups * group
    if name in ("nn.rnn", "nn.gru", "nn.lstm"):  # each step multiplies by both matrices
        steps, batch, _ = _extents(call.args[0])
        return steps * batch * sum(_product(_extents(weight)) for weight in call.args[1:3])
    if name in ("nn.dense", "nn.matmul", "nn.batch_matmul", "matmul"):
        left = _extents(call.args[0])
        depth = left[-2] if call.attrs.get("transpose_a", False) else left[-1]
        return _product(_extents(call)) * depth
    return 0


def get_total_mac_number(expr):
    """The multiplications with addition of all convolutions, matrix products and recurrent layers.

    Args:
        expr: an expression of known shapes.

    Raises:
        LatheValueError: `relay-unknown-shape`.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2, 8)), relay.var("w", shape=(4, 8))
        >>> relay.analysis.get_total_mac_number(relay.nn.dense(x, w))
        64
    """
    expr = _e.as_expr(expr)
    expr.checked_type
    return sum(_multiplications(part) for part in _all_of(expr)
               if isinstance(part, _e.Call) and isinstance(part.op, _e.Op))


class Feature(enum.IntEnum):
    """What an expression may consist of.

    Example:
        >>> from lathe import relay
        >>> relay.analysis.Feature.fConstant in relay.analysis.detect_feature(relay.const(1))
        True
    """

    fVar = 0
    fGlobalVar = 1
    fConstant = 2
    fTuple = 3
    fTupleGetItem = 4
    fFunction = 5
    fOp = 6
    fCall = 7
    fLet = 8
    fIf = 9
    fRefCreate = 10
    fRefRead = 11
    fRefWrite = 12
    fConstructor = 13
    fMatch = 14
    fGraph = 15
    fLetRec = 16


_FEATURES = {_e.Var: Feature.fVar, _e.GlobalVar: Feature.fGlobalVar,
             _e.Constant: Feature.fConstant, _e.Tuple: Feature.fTuple,
             _e.TupleGetItem: Feature.fTupleGetItem, _e.Function: Feature.fFunction,
             _e.Call: Feature.fCall, _e.Let: Feature.fLet, _e.If: Feature.fIf}


def detect_feature(a, b=None):
    """What an expression, or a module, consists of.

    Args:
        a: an expression or an IRModule.
        b: another one, or None: what either consists of is returned.

    Returns:
        A set of Feature. `fGraph`: an expression that is used twice.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> sorted(f.name for f in relay.analysis.detect_feature(relay.exp(x)))
        ['fCall', 'fOp', 'fVar']
    """
    from .analysis import _inner

    found, users = set(), {}
    for item in (a, b):
        if item is None:
            continue
        for part in _all_of(item):
            if type(part) in _FEATURES:
                found.add(_FEATURES[type(part)])
            if isinstance(part, _e.Call):
                if isinstance(part.op, _e.Op):
                    found.add(Feature.fOp)
                elif isinstance(part.op, _e.GlobalVar):
                    found.add(Feature.fGlobalVar)
            for one in _inner(part):
                if not isinstance(one, (_e.Var, _e.Constant, _e.GlobalVar)):
                    users[id(one)] = users.get(id(one), 0) + 1
    if any(count > 1 for count in users.values()):
        found.add(Feature.fGraph)
    return found


def extract_fused_functions(mod):
    """The groups that `FuseOps` made, each as a module of its own: {name: IRModule}.

    Args:
        mod: an IRModule after `relay.transform.FuseOps`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> fused = relay.transform.FuseOps()(relay.exp(x + x))
        >>> len(relay.analysis.extract_fused_functions(fused))
        1
    """
    from .._irmodule import IRModule

    found = {}
    for part in _all_of(mod):
        if isinstance(part, _e.Function) and "primitive" in part.attrs:
            name = f"fused_{len(found)}"
            found[name] = IRModule({"main": _e.Function(part.params, part.body)})
    return found


class CallGraph:
    """Which functions of a module call which.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> f = relay.Function([x], x + x)
        >>> y = relay.var("y", shape=(2,))
        >>> mod = lathe.IRModule({"f": f, "main": relay.Function([y], relay.GlobalVar("f")(y))})
        >>> relay.analysis.CallGraph(mod).ref_count("f")
        1
    """

    def __init__(self, module):
        self.module = module
        self._calls = {var.name_hint: [part.op.name_hint for part in _all_of(func)
                                       if isinstance(part, _e.Call)
                                       and isinstance(part.op, _e.GlobalVar)]
                       for var, func in module.functions.items()}

    def ref_count(self, var):
        """How often the function is called."""
        name = getattr(var, "name_hint", var)
        return sum(calls.count(name) for calls in self._calls.values())

    def global_call_count(self, var):
        """How many calls of functions of the module the function makes."""
        return len(self._calls[getattr(var, "name_hint", var)])

    def reached(self, names):
        """The functions that these call, directly or not, and these."""
        found, work = set(), list(names)
        while work:
            name = work.pop()
            if name not in found and name in self._calls:
                found.add(name)
                work += self._calls[name]
        return found

    def is_recursive(self, var):
        """Does the function call itself, directly or not?"""
        name = getattr(var, "name_hint", var)
        return name in self.reached(self._calls[name])


def list_fake_quantized_op_freqs(mod):
    """How often each operator is called between qnn.dequantize and qnn.quantize: {name: number}.

    Args:
        mod: an IRModule or an expression.

    Example:
        >>> from lathe import relay
        >>> x, s, z = relay.var("x", shape=(2, 8), dtype="int8"), relay.const(0.5), relay.const(0)
        >>> y = relay.qnn.op.quantize(relay.nn.relu(relay.qnn.op.dequantize(x, s, z)), s, z)
        >>> relay.analysis.list_fake_quantized_op_freqs(relay.Function([x], y))
        {'nn.relu': 1}
    """
    from . import _fake_quantization as _fake
    from .analysis import post_order

    functions = mod.functions.values() if hasattr(mod, "functions") else [mod]
    found, seen = {}, set()
    for func in functions:
        for item in post_order(func):
            if not _fake.is_call(item, "qnn.quantize"):
                continue
            for part in _fake.region(item) or ():
                if id(part) not in seen and hasattr(part, "op"):
                    seen.add(id(part))
                    found[part.op.name] = found.get(part.op.name, 0) + 1
    return found
