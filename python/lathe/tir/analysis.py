"""Queries about expressions and lowered functions. None of them changes its argument.

A function comes from a lowered module: `lathe.lower(s, args)["main"]`.
"""

from .. import _ffi

_get = _ffi.get


def expr_deep_equal(lhs, rhs):
    """Are two expressions structurally the same? A free variable equals only itself.

    Example:
        >>> from lathe import te, tir
        >>> x = te.var("x")
        >>> tir.analysis.expr_deep_equal(x + 1, x + 1), tir.analysis.expr_deep_equal(x + 1, 1 + x)
        (True, False)
    """
    return _get("ir.structural_equal")(lhs, rhs, False)


def undefined_vars(node, defs=()):
    """The variables used in a statement or expression that neither it nor `defs` defines.

    Args:
        node: Stmt, Expr or Func.
        defs: variables that count as defined.

    Example:
        >>> from lathe import te, tir
        >>> x, y = te.var("x"), te.var("y")
        >>> [v.name for v in tir.analysis.undefined_vars(x + y, [x])]
        ['y']
    """
    known = list(defs)
    return [v for v in _get("ir.free_vars")(node) if not any(v.same_as(d) for d in known)]


def verify_ssa(func):
    """Is every variable and buffer of a Func defined once, and used only in its scope?

    Raises:
        LatheError: the function is otherwise invalid (`verify-stage`, `verify-malformed`, ...).

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> tir.analysis.verify_ssa(lathe.lower(te.create_schedule(B.op), [A, B])["main"])
        True
    """
    return _get("analysis.verify_ssa")(func)


def verify_memory(func):
    """For a function to run on a device with threads: does only the device access its memory?

    False if a tensor is accessed outside a loop that is bound to a thread axis, or if memory is
    allocated where its scope does not allow it.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> tir.analysis.verify_memory(lathe.lower(s, [A, B])["main"])    # nothing is bound
        False
        >>> s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
        >>> tir.analysis.verify_memory(lathe.lower(s, [A, B])["main"])
        True
    """
    return _get("analysis.verify_memory")(func)


def verify_gpu_code(func, constraints):
    """Do a function's kernels stay within a device's limits? Symbolic extents count as fitting.

    Args:
        func: a Func whose loops are bound to thread axes.
        constraints: {limit: int}: "max_threads_per_block", "max_shared_memory_per_block" (bytes),
            "max_vector_bytes", "max_thread_x", "max_thread_y", "max_thread_z", "max_kernels".

    Raises:
        LatheError: `unknown-limit`; or the function cannot be split into kernels.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
        >>> func = lathe.lower(s, [A, B])["main"]
        >>> tir.analysis.verify_gpu_code(func, {"max_threads_per_block": 64})
        True
        >>> tir.analysis.verify_gpu_code(func, {"max_threads_per_block": 32})
        False
    """
    limits = {str(name): int(most) for name, most in dict(constraints).items()}
    kernels = limits.pop("max_kernels", -1)
    return _get("analysis.device_runs")(func, [[k, v] for k, v in limits.items()], kernels)


def calculate_workspace_bytes(func, workspace_byte_alignment=1):
    """The most bytes that a function's own buffers take at the same time (int).

    Args:
        func: a Func.
        workspace_byte_alignment: each buffer's size is rounded up to a multiple of it, in bytes.

    Raises:
        LatheError: `memory-size-symbolic` if a buffer has no constant size.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> C = te.compute((4,), lambda i: B[i] * 2.0, name="C")
        >>> func = lathe.lower(te.create_schedule(C.op), [A, C])["main"]
        >>> tir.analysis.calculate_workspace_bytes(func)    # B: four floats
        16
    """
    return _get("analysis.workspace_bytes")(func, int(workspace_byte_alignment))


def calculate_constant_bytes(func, constant_byte_alignment=1):
    """The bytes of a function's constants (int).

    Args:
        func: a Func.
        constant_byte_alignment: each constant's size is rounded up to a multiple of it, in bytes.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te, tir
        >>> W = te.constant(np.ones(4, "float32"), name="W")
        >>> B = te.compute((4,), lambda i: W[i] + 1.0, name="B")
        >>> func = lathe.lower(te.create_schedule(B.op), [B])["main"]
        >>> tir.analysis.calculate_constant_bytes(func)
        16
    """
    return _get("analysis.constant_bytes")(func, int(constant_byte_alignment))


def detect_buffer_access_lca(func):
    """Where each buffer is used: {Buffer: the innermost statement that contains all accesses}.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> func = lathe.lower(te.create_schedule(B.op), [A, B])["main"]
        >>> found = tir.analysis.detect_buffer_access_lca(func)
        >>> sorted((buffer.name, type(stmt).__name__) for buffer, stmt in found.items())
        [('A', 'Store'), ('B', 'Store')]
    """
    return dict(_get("analysis.access_ancestors")(func))

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
