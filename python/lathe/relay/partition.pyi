"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.transform import GraphPass as GraphPass
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.backend.utils import mangle_module_name as mangle_module_name

def AnnotateTarget(targets: Any, include_non_call_ops: Any = ...) -> Any:
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

def MergeCompilerRegions() -> Any:
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

def PartitionGraph(mod_name: Any = ..., bind_constants: Any = ...) -> Any:
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
