"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
import lathe.runtime.module as _runtime
import lathe.te.schedule as _schedule
from lathe._explain import Bisection as Bisection
from lathe._explain import Explanation as Explanation
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext
from lathe.te.schedule import Schedule as Schedule
from lathe.target import Target as Target
from lathe._explain import bisect as bisect
from lathe._explain import explain as explain
from lathe.te.schedule import output_ops as output_ops

OLDEST_CUDA: Any

def build(inputs: Any, args: Any = ..., target: Any = ..., target_host: Any = ..., runtime: Any = ..., name: str = ..., binds: Any = ..., *, time_limit: Any = ..., isolate: Any = ...) -> _runtime.Module:
    """Compiles a schedule, function or module into this process.

    Compiles the functions of a module in parallel, on several threads. If any process of this user
    has compiled the same code before, the result comes from the compile cache. LATHE_CACHE=0
    disables the cache.

    Args:
        inputs: a Schedule; or tensors in calling order, for the default schedule; or a result of
            `lower`, whose functions may have a target each, the attribute "target" (a Target or text); or
            a dict from targets to results of `lower`.
        args: as for `lower`, if `inputs` is a schedule; not for a dict.
        target: text, dict or Target; by default that of the functions of `inputs`, the current target,
            else this processor's. Without meaning for a dict from targets.
        target_host: the target of the code that launches kernels.
        runtime: a `relay.backend.Runtime` or None, without effect: there is one.
        name: the function's name, if `inputs` is a schedule or tensors; functions have theirs.
        binds: as for `lower`, if `inputs` is a schedule or tensors.
        time_limit: seconds for the whole build; if it takes longer, it ends with
            `compile-time-limit`, as for `lower`.
        isolate: True: code generators run in their own process. If that process ends, as with LLVM
            when memory runs out, the error is `out-of-memory` or `compile-child-ended`, and this
            process goes on. None: as the PassContext says; its default is False.

    Returns:
        A runtime.Module; `module(a, b)` calls its entry function with tensors or arrays. With several
        targets, the module of the first one for processors imports those of the others.

    Raises:
        LatheError: the program, schedule or target is wrong.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
        >>> out = np.zeros(4, "float32")
        >>> f(np.arange(4, dtype="float32"), out)
        >>> out.tolist()
        [1.0, 2.0, 3.0, 4.0]
        >>> f = lathe.build([A, B])    # without a schedule: the default one
    """

def compile_to(inputs: Any, output: Any, args: Any = ..., target: Any = ..., name: Any = ..., *, time_limit: Any = ..., isolate: Any = ...) -> bytes:
    """Compiles a program and returns the code generator's output as bytes.

    Args:
        inputs, args, name, time_limit, isolate: as for `build`.
        output: "object", "assembly", "ir" or "source".
        target: text, dict or Target; by default the current target, else this processor's.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> len(lathe.driver.compile_to(s, "object", [A, B])) > 0
        True
    """

def default_schedule(ops: Any, target: Any = ..., config: Any = ...) -> _schedule.Schedule:
    """The default schedule of a program that has none. Its steps are in `.trace`.

    For processors: cheap operations without a reduction are inlined, reductions run in vectors,
    products and convolutions in register tiles, large loops on all threads. For targets with their
    own threads: a thread for each element of a result. `lathe.topi.schedule` gives the
    same schedule, and also says which operators it found and which knobs it has.

    Args:
        ops: an operation (`C.op`), a tensor, or a list of them.
        target: text, dict or Target; by default the current target, else this processor's.
        config: values of knobs by name, `{"gemm.tile_rows": 6}`, as for `lathe.topi.schedule`.

    Returns:
        A Schedule. More primitives may be applied to it.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((64, 4096), name="A")
        >>> B = te.compute((64, 4096), lambda i, j: A[i, j] + 1.0, name="B")
        >>> "vectorize" in str(lathe.default_schedule(B).trace)
        True
    """

def lower(inp: Any, args: Any = ..., name: str = ..., binds: Any = ..., simple_mode: Any = ..., *, time_limit: Any = ...) -> _ir.Module:
    """Turns a schedule into a module of loops, which prints as readable text.

    Args:
        inp: a Schedule; or tensors and variables in calling order, outputs included, which get the
            default schedule (`default_schedule`); or a function or module, which is returned as a
            module.
        args: if `inp` is a schedule: tensors and variables in calling order, outputs included.
        name: the function's name.
        binds: {tensor: buffer} for tensor arguments that are not compact, such as slices: buffers
            from `tir.decl_buffer` with `strides`, `elem_offset`, `offset_factor` or
            `data_alignment`. Numbers are checked at each call, variables take the argument's values.
            The parameter keeps the tensor's name. If an input and a result have the same buffer,
            they are one parameter, which the function replaces: for maps that read each element of
            the input only for their own.
        simple_mode: give the loop nest of the schedule alone, before any pass. Outputs that `args`
            lacks become the last parameters.
        time_limit: seconds; if lowering takes longer, it ends with `compile-time-limit`. 0: no
            limit, the default. The context (`transform.PassContext`) may set another default.

    Returns:
        A Module. `print` shows its text, notebooks show it in colours.

    Raises:
        LatheError: the schedule is wrong; the error names the axes and stages.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] * 2.0, name="B")
        >>> text = str(lathe.lower(te.create_schedule(B.op), [A, B]))
        >>> every = tir.decl_buffer(A.shape, A.dtype, strides=[te.var("step")])
        >>> "strides=[step: int32]" in str(lathe.lower(te.create_schedule(B.op), [A, B], binds={A: every}))
        True
    """

def schedule_to_module(sch: Any, args: Any = ..., name: Any = ..., binds: Any = ...) -> Any:
    """The loops of a schedule as a module, before any pass: `lower(..., simple_mode=True)`.

    Args:
        sch, args, name, binds: as for `lower`.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> len(lathe.driver.schedule_to_module(te.create_schedule(B.op), [A, B]))
        1
    """

def workload_key(args: Any, target: Any = ...) -> str:
    """A key that identifies the program behind `args`, whatever names it uses.

    For one target, two programs have the same key if they differ only in the names of tensors,
    axes, variables and buffers, or in the order in which their operations were made. Schedules do
    not affect the key.

    Args:
        args: the function's arguments, as for `lathe.lower`: tensors, and variables that are sizes.
        target: text, dict or Target; by default the current target, else this processor's.

    Returns:
        32 hexadecimal digits.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> def double(name):
        ...     A = te.placeholder((64,), name=name)
        ...     return [A, te.compute((64,), lambda i: A[i] * 2.0, name="twice_" + name)]
        >>> lathe.workload_key(double("x")) == lathe.workload_key(double("data"))
        True
    """
