"""What a schedule consists of: stages, which have the primitives, and groups of them."""

from .. import _core, _ffi, _places
from ..error import LatheOSError, LatheTypeError, LatheValueError

_get = _ffi.get
_of_stage = _places.remembers("stage.stamp")
_split, _fuse, _reorder = _get("stage.split"), _get("stage.fuse"), _get("stage.reorder")
_STAGE, _GROUP = 1025, 1026


class Stage(_core.Object):
    """How one operation is computed. Axes are IterVars; `op.axis` are the axes at the beginning.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=4)
        >>> s[B].vectorize(inner)
        >>> [s[B].axis_name(axis) for axis in s[B].leaf_iter_vars]
        ['i.outer', 'i.inner']
    """

    __slots__ = ()

    def __hash__(self):
        return _get("stage.id")(self)

    def __eq__(self, other):
        return isinstance(other, Stage) and hash(self) == hash(other)

    def __ne__(self, other):
        return not self == other

    @property
    def name(self):
        """The stage's name, unique in the schedule."""
        return _get("stage.name")(self)

    @property
    def op(self):
        """The operation, as the primitives rewrote it."""
        return _get("stage.op")(self)

    @property
    def origin_op(self):
        """The operation, as the user made it."""
        return _get("stage.origin_op")(self)

    @property
    def is_output(self):
        """Is it one of the schedule's outputs?"""
        return _get("stage.is_output")(self)

    @property
    def leaf_iter_vars(self):
        """The present loops, outermost first."""
        return _get("stage.leaf_iter_vars")(self)

    @property
    def all_iter_vars(self):
        """All axes, including those that were split or fused."""
        return _get("stage.all_iter_vars")(self)

    @property
    def attach_type(self):
        """"root", "inline", "scope" (within another stage's loop) or "scan"."""
        return _get("stage.attach_type")(self)

    @property
    def attach_stage(self):
        """The stage within which it is computed, or None."""
        return _get("stage.attach_stage")(self)

    @property
    def attach_ivar(self):
        """The axis at which it is computed, or None."""
        return _get("stage.attach_ivar")(self)

    @property
    def scope(self):
        """The memory scope of its outputs; "": chosen by the threads that use them."""
        return _get("stage.scope")(self)

    def axis_name(self, axis):
        """The name of an axis in printed text: "i.outer"."""
        return _get("stage.axis_name")(self, axis)

    @_of_stage
    def split(self, parent, factor=None, nparts=None):
        """Splits a loop into two.

        Args:
            parent: the axis to split.
            factor: the extent of the inner loop (int or expression). Give either this or `nparts`.
            nparts: the extent of the outer loop.

        Returns:
            (outer, inner).

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((100,), name="A")
            >>> B = te.compute((100,), lambda i: A[i] * 2.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> outer, inner = s[B].split(B.op.axis[0], factor=32)
        """
        if (factor is None) == (nparts is None):
            raise LatheValueError("split takes either factor or nparts", "split-factor",
                                  "help: s[C].split(i, factor=32)")
        if isinstance(factor, float) or isinstance(nparts, float):
            raise LatheValueError("split takes a whole number", "schedule-bad-factor",
                                  f"expected: an int or an expression of integers\nfound: {factor or nparts}\n"
                                  "help: `//` divides whole numbers, `/` gives a float")
        return _split(self, parent, factor, nparts)

    @_of_stage
    def fuse(self, *axes):
        """Fuses adjacent loops into one; returns its axis.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].axis_name(s[B].fuse(i, j))
            'i.j.fused'
        """
        if len(axes) == 1 and isinstance(axes[0], (list, tuple)):
            axes = axes[0]
        return _fuse(self, list(axes))

    @_of_stage
    def reorder(self, *axes):
        """Puts these loops into this order, in the places that they now take.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].reorder(j, i)
            >>> [s[B].axis_name(axis) for axis in s[B].leaf_iter_vars]
            ['j', 'i']
        """
        _reorder(self, list(axes))

    @_of_stage
    def tile(self, x_parent, y_parent, x_factor, y_factor):
        """Splits two loops, outer loops outside: (x_outer, y_outer, x_inner, y_inner).

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> yo, xo, yi, xi = s[B].tile(i, j, 8, 16)
            >>> [s[B].axis_name(axis) for axis in s[B].leaf_iter_vars]
            ['i.outer', 'j.outer', 'i.inner', 'j.inner']
        """
        return _get("stage.tile")(self, x_parent, y_parent, x_factor, y_factor)

    @_of_stage
    def vectorize(self, var):
        """Turns the loop's iterations into lanes of vectors.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> outer, inner = s[B].split(j, factor=8)
            >>> s[B].vectorize(inner)
        """
        _get("stage.vectorize")(self, var)

    @_of_stage
    def unroll(self, var):
        """Writes out the loop's iterations one after the other.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> outer, inner = s[B].split(j, factor=4)
            >>> s[B].unroll(inner)
        """
        _get("stage.unroll")(self, var)

    @_of_stage
    def parallel(self, var):
        """Runs the loop's iterations on several threads.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].parallel(i)
        """
        _get("stage.parallel")(self, var)

    @_of_stage
    def bind(self, ivar, thread_ivar):
        """Binds the loop to a thread axis (te.thread_axis): one thread for each iteration.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].bind(i, te.thread_axis("blockIdx.x"))
            >>> s[B].bind(j, te.thread_axis("threadIdx.x"))
        """
        if isinstance(thread_ivar, str):
            raise LatheTypeError("argument `thread_ivar` of `Stage.bind` must be a thread axis", "call-wrong-argument-kind",
                                 f'found: "{thread_ivar}"\nhelp: te.thread_axis("{thread_ivar}")')
        _get("stage.bind")(self, ivar, thread_ivar)

    @_of_stage
    def env_threads(self, threads):
        """Puts thread axes around the whole stage.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].env_threads([te.thread_axis((0, 64), "threadIdx.x")])
        """
        _get("stage.env_threads")(self, list(threads) if isinstance(threads, (list, tuple))
                                  else [threads])

    @_of_stage
    def compute_at(self, parent, scope):
        """Computes this stage within the loop `scope` of stage `parent`.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> C = te.compute((64, 64), lambda i, j: B[i, j] * 2.0, name="C")
            >>> s = te.create_schedule(C.op)
            >>> s[B].compute_at(s[C], C.op.axis[0])
            >>> s[B].attach_stage == s[C]
            True
        """
        name = None if isinstance(parent, (Stage, Group)) else getattr(parent, "name", None)
        if name is not None:
            raise LatheTypeError("argument `parent` of `Stage.compute_at` must be a stage", "call-wrong-argument-kind",
                                 f"found: {type(parent).__name__} {name}\nhelp: s[{name}], of the schedule `s`, is its stage")
        _get("stage.compute_at")(self, parent, scope)

    @_of_stage
    def compute_inline(self):
        """Computes each element at the place where it is read.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> C = te.compute((64, 64), lambda i, j: B[i, j] * 2.0, name="C")
            >>> s = te.create_schedule(C.op)
            >>> s[B].compute_inline()
            >>> s[B].attach_type
            'inline'
        """
        _get("stage.compute_inline")(self)

    @_of_stage
    def compute_root(self):
        """Computes the whole stage before its readers; undoes compute_at and compute_inline.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> C = te.compute((64, 64), lambda i, j: B[i, j] * 2.0, name="C")
            >>> s = te.create_schedule(C.op)
            >>> s[B].compute_inline()
            >>> s[B].compute_root()
            >>> s[B].attach_type
            'root'
        """
        _get("stage.compute_root")(self)

    @_of_stage
    def set_scope(self, scope):
        """Keeps the outputs in memory `scope` ("global", "shared", "local", ...).

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> C = te.compute((64, 64), lambda i, j: B[i, j] * 2.0, name="C")
            >>> s = te.create_schedule(C.op)
            >>> s[B].compute_at(s[C], C.op.axis[0])
            >>> s[B].set_scope("local")
            >>> s[B].scope
            'local'
        """
        _get("stage.set_scope")(self, scope)

    @_of_stage
    def pragma(self, var, pragma_type, pragma_value=None):
        """A hint for the code generator on a loop, or a source to link (import_llvm, import_c).

        Args:
            var: the axis.
            pragma_type: the hint's name.
            pragma_value: a number; the source's text for the imports, or for import_llvm the name of a
                file of LLVM's text, which ends in ".ll".

        Raises:
            LatheError: `pragma-source`: the file cannot be read, or is none of text.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].pragma(i, "auto_unroll_max_step", 16)
        """
        if isinstance(pragma_value, str):
            if pragma_type == "import_llvm" and "\n" not in pragma_value:
                pragma_value = _llvm_text(pragma_value)
            _get("stage.pragma_import")(self, var, pragma_type, pragma_value)
            return
        _get("stage.pragma")(self, var, pragma_type, 1 if pragma_value is None else
                             int(pragma_value))

    @_of_stage
    def prefetch(self, tensor, var, offset):
        """In each iteration of `var`, prefetches what the iteration `offset` steps later reads.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].prefetch(A, i, 1)
        """
        _get("stage.prefetch")(self, tensor, var, offset)

    @_of_stage
    def storage_align(self, axis, factor, offset):
        """Makes the stride of `axis` in memory equal to `offset` modulo `factor`, in elements.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> C = te.compute((64, 64), lambda i, j: B[i, j] * 2.0, name="C")
            >>> s = te.create_schedule(C.op)
            >>> s[B].storage_align(B.op.axis[0], 32, 1)
        """
        _get("stage.storage_align")(self, axis, factor, offset)

    @_of_stage
    def double_buffer(self):
        """Uses two buffers in turn: one is filled while the other is read.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> C = te.compute((64, 64), lambda i, j: B[i, j] * 2.0, name="C")
            >>> s = te.create_schedule(C.op)
            >>> s[B].compute_at(s[C], C.op.axis[0])
            >>> s[B].double_buffer()
        """
        _get("stage.double_buffer")(self)

    @_of_stage
    def rolling_buffer(self):
        """Keeps elements that the next iteration needs too, in a ring buffer.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> C = te.compute((62,), lambda i: B[i] + B[i + 1] + B[i + 2], name="C")
            >>> s = te.create_schedule(C.op)
            >>> s[B].compute_at(s[C], C.op.axis[0])
            >>> s[B].rolling_buffer()
        """
        _get("stage.rolling_buffer")(self)

    @_of_stage
    def pipeline(self, axis, stages, asynchronous=False):
        """Overlaps production and use across the iterations of `axis`.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] * A[i], name="B")
            >>> s = te.create_schedule(B.op)
            >>> copy = s.cache_read(A, "local", [B])
            >>> outer, inner = s[B].split(B.op.axis[0], factor=8)
            >>> s[copy].compute_at(s[B], outer)
            >>> s[B].pipeline(outer, 3)
        """
        _get("stage.pipeline")(self, axis, stages, bool(asynchronous))

    @_of_stage
    def set_store_predicate(self, predicate):
        """Stores only elements for which the condition holds.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64, 64), name="A")
            >>> B = te.compute((64, 64), lambda i, j: A[i, j] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> i, j = B.op.axis
            >>> s[B].set_store_predicate(i < 32)
        """
        _get("stage.set_store_predicate")(self, predicate)

    @_of_stage
    def tensorize(self, var, tensor_intrin, target=""):
        """Replaces the loop `var` and the loops within it by a tensor intrinsic.

        Args:
            var: the axis, from which on the intrinsic computes.
            tensor_intrin: what te.decl_tensor_intrin made; or the name of one that the target has, such as
                "x86.vpdpbusd.512". te.tensor_intrinsics(target) lists the names.
            target: the kind of target that a name is looked up for, such as "cuda"; "": those for every target.

        Raises:
            LatheError: `unknown-tensor-intrin`, `target-unknown-kind`; `call-wrong-argument-kind`: a
                function that makes an intrinsic was given instead of what it returns.

        Example:
            >>> from lathe import te, tir
            >>> def part():
            ...     a = te.placeholder((16,), name="a")
            ...     b = te.compute((16,), lambda i: a[i] + 1.0, name="b")
            ...     def call(ins, outs):
            ...         return tir.call_packed("my.add_one", ins[0], outs[0])
            ...     return te.decl_tensor_intrin(b.op, call)
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> outer, inner = s[B].split(B.op.axis[0], factor=16)
            >>> s[B].tensorize(inner, part())
        """
        if isinstance(tensor_intrin, str):
            from .tensor_intrin import _find

            tensor_intrin = _find(tensor_intrin, target)
        elif callable(tensor_intrin):
            name = getattr(tensor_intrin, "__name__", "intrin")
            raise LatheTypeError("tensorize takes an intrinsic, not a function", "call-wrong-argument-kind",
                                 f"found: the function {name}\nhelp: call it: tensorize(axis, {name}(...))")
        _get("stage.tensorize")(self, var, tensor_intrin, target)

    def __repr__(self):
        return f"stage({self.name})"


def _llvm_text(source):
    """The text of a file that is named for import_llvm; what is no name of a file is the text itself."""
    if source.endswith(".bc"):
        raise LatheValueError("import_llvm takes LLVM's text, not bitcode", "pragma-source",
                              f"found: {source}\nhelp: llvm-dis makes text (.ll) of it; so does clang with -S -emit-llvm")
    if not source.endswith(".ll"):
        return source
    try:
        with open(source, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise LatheOSError("the source for import_llvm cannot be read", "pragma-source",
                           f"expected: a file of LLVM's text, or the text itself\nfound: {source}: {error}") from error


class Group(_core.Object):
    """A group of stages that are attached together.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> C = te.compute((8,), lambda i: B[i] * 2.0, name="C")
        >>> s = te.create_schedule(C.op)
        >>> group = s.create_group(outputs=B, inputs=A)
        >>> [stage.name for stage in group.stages]
        ['B']
    """

    __slots__ = ()

    @property
    def name(self):
        """The group's name, unique in the schedule."""
        return _get("group.name")(self)

    @property
    def stages(self):
        """Its stages."""
        return _get("group.stages")(self)

    def compute_at(self, parent, scope):
        """Computes the group within the loop `scope` of stage `parent`."""
        _get("group.compute_at")(self, parent, scope)

    def compute_root(self):
        """Computes the group at the root."""
        _get("group.compute_root")(self)


_core.register_class(_STAGE, Stage)
_core.register_class(_GROUP, Group)
