"""Written by python/stubs/make_stubs.py."""

from typing import Any
import enum
from lathe.error import LatheValueError as LatheValueError

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
    def global_call_count(self, var: Any) -> Any: ...
    def is_recursive(self, var: Any) -> Any: ...
    def reached(self, names: Any) -> Any: ...
    def ref_count(self, var: Any) -> Any: ...
    def __init__(self, module: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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

def count_layers(expr: Any, valid_ops: Any) -> int:
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

def detect_feature(a: Any, b: Any = ...) -> set[Feature]:
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

def extract_fused_functions(mod: Any) -> dict[str, Any]:
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

def get_total_mac_number(expr: Any) -> int:
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

def list_fake_quantized_op_freqs(mod: Any) -> Any:
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

def list_op_freqs(mod: Any) -> dict[str, int]:
    """How often each operator is called: {name: number}.

    Args:
        mod: an IRModule, or an expression.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.analysis.list_op_freqs(relay.exp(relay.exp(x)))
        {'exp': 2}
    """
