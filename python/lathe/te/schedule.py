"""Schedules: they say how the operations of a tensor program are computed."""

from .. import _core, _ffi, _nodes, _places
from ..error import LatheTypeError, LatheValueError
from ._stage import Group, Stage  # noqa: F401  (Stage is one of this module's names)

_get = _ffi.get
_of_schedule = _places.remembers("schedule.stamp")
_stage = _get("schedule.stage")
_SCHEDULE = 1024


def _op_of(item):
    return item.op if isinstance(item, _nodes.CLASSES["Tensor"]) else item


def _ops(items):
    items = items if isinstance(items, (list, tuple)) else [items]
    return [_op_of(item) for item in items]


def output_ops(items):
    """The operations to make a schedule for. Raises an error if there is none."""
    ops = _ops(items)
    if not ops:
        raise LatheValueError("a schedule needs an operation to compute", "schedule-outputs")
    return ops


class _Separator:
    def __repr__(self):
        return "te.AXIS_SEPARATOR"


#: Among the indices that `transform_layout` maps to: flattening begins anew here.
AXIS_SEPARATOR = _Separator()


class Schedule(_core.Object):
    """A stage for every operation. Primitives change the stages. Use it in one thread at a time.

    `s[C]` is the stage of a tensor or operation.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [stage.name for stage in s.stages]
        ['A', 'B']
    """

    __slots__ = ()

    def __getitem__(self, item):
        """The stage of a tensor or operation."""
        if isinstance(item, Group):
            return item
        return _stage(self, _op_of(item))

    @property
    def stages(self):
        """All stages; each follows the stages that it reads."""
        return _get("schedule.stages")(self)

    @property
    def groups(self):
        """The groups made with `create_group`, in order."""
        return _get("schedule.groups")(self)

    @property
    def outputs(self):
        """The operations it was made for."""
        return _get("schedule.outputs")(self)

    @property
    def trace(self):
        """The primitives applied so far, as steps that can be printed and replayed."""
        return _get("schedule.trace")(self)

    def copy(self):
        """An independent copy."""
        return _get("schedule.copy")(self)

    __copy__ = copy

    def normalize(self):
        """A copy in which inlined stages are substituted and attachments are resolved."""
        with _places.about(self):
            return _get("schedule.normalize")(self)

    def replay(self, trace):
        """Applies the steps of a trace, in order."""
        _get("schedule.replay")(self, list(trace))

    @_of_schedule
    def cache_read(self, tensor, scope, readers):
        """Copies `tensor` to memory `scope`; `readers` (operations) then read the copy.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> s.cache_read(A, "local", [B]).op.name
            'A.local'
        """
        return _get("schedule.cache_read")(self, tensor, scope, _ops(readers))

    @_of_schedule
    def cache_write(self, tensor, scope):
        """Computes `tensor` in memory `scope` first; returns the tensor that is computed there.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> s.cache_write(B, "local").op.name
            'B.local'
        """
        many = isinstance(tensor, (list, tuple))
        out = _get("schedule.cache_write")(self, list(tensor) if many else [tensor], scope)
        return out if many else out[0]

    @_of_schedule
    def rfactor(self, tensor, axis, factor_axis=0):
        """Makes the reduction axis `axis` an output axis of a new stage; reduces it afterwards.

        Example:
            >>> from lathe import te
            >>> A, k = te.placeholder((64,), name="A"), te.reduce_axis((0, 64), name="k")
            >>> B = te.compute((1,), lambda i: te.sum(A[k], axis=k), name="B")
            >>> s = te.create_schedule(B.op)
            >>> outer, inner = s[B].split(B.op.reduce_axis[0], factor=8)
            >>> s.rfactor(B, inner).shape
            (8, 1)
        """
        out = _get("schedule.rfactor")(self, tensor, axis, factor_axis)
        return out[0] if len(out) == 1 else out

    @_of_schedule
    def create_group(self, outputs, inputs, include_inputs=False):
        """Groups the stages between `inputs` and `outputs`, to attach them together.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> C = te.compute((64,), lambda i: B[i] * 2.0, name="C")
            >>> D = te.compute((64,), lambda i: C[i] - 3.0, name="D")
            >>> s = te.create_schedule(D.op)
            >>> group = s.create_group(outputs=C, inputs=A, include_inputs=False)
            >>> group.compute_at(s[D], D.op.axis[0])
        """
        def listed(x):
            return list(x) if isinstance(x, (list, tuple)) else [x]

        return _get("schedule.create_group")(self, listed(outputs), listed(inputs),
                                             bool(include_inputs))

    @_of_schedule
    def transform_layout(self, tensor, index_map, axis_separators=()):
        """Stores `tensor` in another layout: index_map(i, j, ...) -> the new indices.

        Args:
            axis_separators: where flattening begins anew, as indices may say themselves:
                `lambda i, j: [i, te.AXIS_SEPARATOR, j]`.

        Raises:
            LatheError: `layout-tensor-type`: `tensor` is something else.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> C = te.compute((64,), lambda i: B[i] * 2.0, name="C")
            >>> s = te.create_schedule(C.op)
            >>> axes = s.transform_layout(B, lambda i: [i // 8, i % 8])
        """
        if not isinstance(tensor, _nodes.CLASSES["Tensor"]):
            raise LatheTypeError("only a tensor can have another layout", "layout-tensor-type",
                                 f"found: {type(tensor).__name__}\nhelp: op.output(0) is the tensor of an operation")

        def mapped(indices):
            return [item for item in index_map(*indices) if item is not AXIS_SEPARATOR]

        separators, before = list(axis_separators), 0
        for item in index_map(*[_get("tir.var")(f"i{k}", "int32") for k in range(tensor.ndim)]):
            if item is AXIS_SEPARATOR:
                separators.append(before)
            else:
                before += 1
        _get("schedule.transform_layout")(self, tensor, mapped, separators)

    def pre_transform(self, tensors=None):
        """A schedule without copies that can be made once, before all calls.

        Args:
            tensors: inputs whose elements may lie in another order in memory; by default the
                `layout_free_placeholders` of the operations.

        Returns:
            The same schedule; but an input that it copies as a whole in another layout (`cache_read`
            and `transform_layout`) has that layout itself. `in_layout` gives what a caller passes.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((8, 8), name="A")
            >>> B = te.compute((8, 8), lambda i, j: A[j, i], name="B")
            >>> s = te.create_schedule(B.op)
            >>> copy = s.cache_read(A, "global", [B])
            >>> s.transform_layout(copy, lambda i, j: (j, i))
            >>> [str(step) for step in s.pre_transform([A]).trace]
            ['transform_layout(map=(list<handle>("d1", "d0")), output=0, separators=(list<handle>()), stage=A)']
        """
        if tensors is None:
            tensors = _get("schedule.layout_free_inputs")(self)
        return _get("schedule.pre_transform")(self, list(tensors))

    def in_layout(self, tensor, values):
        """Values of an input in the layout that the schedule gives to it.

        Args:
            tensor: the input.
            values: an array or tensor of its shape, with constant extents.

        Returns:
            A tensor; it has the shape of the function's parameter. What belongs to no element is 0.

        Raises:
            LatheError: `relayout-values`: the values have another shape or type.

        Example:
            >>> import numpy as np
            >>> from lathe import te
            >>> A = te.placeholder((2, 3), name="A")
            >>> B = te.compute((2, 3), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> s.transform_layout(A, lambda i, j: (j, i))
            >>> s.in_layout(A, np.arange(6, dtype="float32").reshape(2, 3)).numpy().tolist()
            [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
        """
        from .. import nd
        return _get("schedule.in_layout", True)(self, tensor, nd.array(values))

    def to_program(self, args, name="main"):
        """The operations, arguments and trace as one node, to print, parse and replay."""
        return _get("schedule.to_program")(self, list(args), name)

    def __reduce__(self):
        args = _get("schedule.all_arguments")(self)
        return (_from_program, (self.to_program(args),))

    def _repr_html_(self):
        try:
            return schedule_ops(self)._repr_html_()
        except LatheError:  # it cannot be lowered as it is
            from .. import _html

            return _html.page_of(str(self))

    def __str__(self):
        lines = [f"schedule of {', '.join(op.name for op in self.outputs)}"]
        for stage in self.stages:
            axes = ", ".join(stage.axis_name(a) for a in stage.leaf_iter_vars)
            place = stage.attach_type if stage.attach_stage is None else f"at {stage.attach_stage.name}"
            lines.append(f"  {stage.name}: [{axes}] {place}")
        for step in self.trace:
            lines.append(f"  {step}")
        return "\n".join(lines)

    __repr__ = __str__


def _from_program(program):
    return _get("schedule.from_program")(program)[0]


_core.register_class(_SCHEDULE, Schedule)


def create_schedule(ops):
    """Makes a schedule: a stage for each operation that `ops` need.

    Args:
        ops: an operation (`C.op`), a tensor, or a list of them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(te.create_schedule(B.op).stages)
        2
    """
    return _get("schedule.create")(output_ops(ops))


def infer_bound(s):
    """The range that each axis of each stage must cover: {axis: Range}.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> bounds = te.schedule.infer_bound(s)
        >>> int(bounds[B.op.axis[0]].extent)
        8
    """
    with _places.about(s):
        return dict(_get("schedule.infer_bounds")(s))


def schedule_ops(s, bounds=None, args=None):
    """The loop nest of a schedule, before any pass: a statement.

    Args:
        s: the schedule.
        bounds: ignored; they follow from the schedule.
        args: the function's tensors; all inputs and outputs by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> stmt = te.schedule.schedule_ops(s)
    """
    args = list(args) if args is not None else list(_get("schedule.all_arguments")(s))
    with _places.about(s):
        return _get("schedule.loop_nest")(s, args, "main", []).body


def post_dfs_order(outputs):
    """The operations that `outputs` need; each follows the operations that it reads.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [op.name for op in te.schedule.post_dfs_order(B)]
        ['A', 'B']
    """
    return _get("schedule.post_order")(_ops(outputs))


def create_read_graph(outputs):
    """{operation: the tensors it reads}, in post order.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [t.name for t in te.schedule.create_read_graph(B)[B.op]]
        ['A']
    """
    return dict(_get("schedule.read_graph")(_ops(outputs)))


def readers(s, tensor):
    """The stages that read a tensor.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [stage.name for stage in te.schedule.readers(s, A)]
        ['B']
    """
    return _get("schedule.readers")(s, tensor)


def auto_inline_elemwise(s):
    """Inlines elementwise stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B", tag="elemwise")
        >>> C = te.compute((8,), lambda i: B[i] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_elemwise(te.create_schedule(C.op))]
        ['B']
    """
    return _get("schedule.auto_inline")(s, "elemwise")


def auto_inline_broadcast(s):
    """Inlines broadcast and elementwise stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((4, 8), lambda i, j: A[j], name="B", tag="broadcast")
        >>> C = te.compute((4, 8), lambda i, j: B[i, j] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_broadcast(te.create_schedule(C.op))]
        ['B']
    """
    return _get("schedule.auto_inline")(s, "broadcast")


def auto_inline_injective(s):
    """Inlines injective stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((4, 8), name="A")
        >>> B = te.compute((8, 4), lambda i, j: A[j, i], name="B", tag="injective")
        >>> C = te.compute((8, 4), lambda i, j: B[i, j] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_injective(te.create_schedule(C.op))]
        ['B']
    """
    return _get("schedule.auto_inline")(s, "injective")


def SchedulePostProcToPrimFunc(arg_list, body, extern_buffer=None):
    """A function of loops: parameters that are tensors are its buffers.

    Args:
        arg_list: tensors of te, buffers and variables, in the order of the parameters.
        body: a statement, such as `schedule_ops` gives. A tensor's buffer in it has the tensor's name,
            shape and element type.
        extern_buffer: {Tensor: Buffer}: buffers to use instead.

    Returns:
        A tir.Func of the name "main". Tensors between the arguments are `realize` statements in it, which
        `tir.transform.CompactBufferAllocation` gives memory.

    Raises:
        LatheValueError: `schedule-equal-names`: it is not known which buffer is a tensor's.

    Example:
        >>> import numpy as np, lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> body = te.schedule.ScheduleOps(s, te.schedule.InferBound(s))
        >>> func = te.schedule.SchedulePostProcToPrimFunc([A, B], body)
        >>> b = np.zeros(8, "float32")
        >>> lathe.build(func, target="llvm")(np.arange(8, dtype="float32"), b)
        >>> b.tolist()
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """
    from .. import tir
    from .._nodes import CLASSES

    outside, given, buffers, params = _buffers_from_outside(body), dict(extern_buffer or {}), {}, []
    tensors = [item for item in arg_list if isinstance(item, CLASSES["Tensor"])]
    for item in arg_list:
        if isinstance(item, CLASSES["Tensor"]):
            own = [one for one in outside if _alike(one, item)]
            if len(own) > 1 or sum(_alike(one, item) for one in tensors) > 1:
                raise LatheValueError(
                    f"it is not known which buffer is the tensor {item.name}", "schedule-equal-names",
                    f"expected: one tensor, and one buffer, of this name, shape and element type\n"
                    f"found: {item.name}: {item.dtype}{list(item.shape)} more than once\n"
                    "help: give the operations names; lathe.lower(s, args) needs none")
            place = given.get(item) or (own[0] if own else tir.decl_buffer(item.shape, item.dtype, item.name))
            buffers.update({one: place for one in (item, *own) if one is not place})
            item = place
        params.append(item)

    def placed(node):
        kind = type(node).__name__
        if kind == "Load" and node.source in buffers:
            return CLASSES["Load"](buffers[node.source], list(node.indices))
        if kind == "Store" and node.buffer in buffers:
            return CLASSES["Store"](buffers[node.buffer], node.value, list(node.indices))
        if kind == "Prefetch" and node.buffer in buffers:
            return CLASSES["Prefetch"](buffers[node.buffer], list(node.bounds))
        if kind == "Call" and any(one in buffers for one in node.args if isinstance(one, CLASSES["Buffer"])):
            args = [buffers.get(one, one) if isinstance(one, CLASSES["Buffer"]) else one for one in node.args]
            return CLASSES["Call"](node.dtype, node.op, args, node.attrs)
        return None

    return tir.Func("main", params, tir.ir_transform(body, None, placed, ["Load", "Store", "Prefetch", "Call"]))


def _alike(buffer, tensor):
    from ..ir import structural_equal

    return (buffer.name, buffer.dtype, len(buffer.shape)) == (tensor.name, tensor.dtype, len(tensor.shape)) and all(
        structural_equal(*(_get("tir.convert")(n) for n in pair)) for pair in zip(buffer.shape, tensor.shape))


def _buffers_from_outside(body):
    """The buffers that a statement uses but does not define."""
    from .. import tir
    from .._nodes import CLASSES

    used, made = {}, []

    def visit(node):
        kind = type(node).__name__
        if kind in ("Realize", "Allocate"):
            made.append(node.buffer)
        elif kind in ("Store", "Prefetch"):
            used.setdefault(node.buffer)
        elif kind == "Load":
            used.setdefault(node.source)
        elif kind == "Call":
            for one in node.args:
                if isinstance(one, CLASSES["Buffer"]):
                    used.setdefault(one)

    tir.post_order_visit(body, visit)
    return [one for one in used if isinstance(one, CLASSES["Buffer"]) and one not in made]
