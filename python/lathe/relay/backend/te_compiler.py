"""The compiler of single functions, as programs that tune operators name it."""

from ..._irmodule import IRModule
from .. import expr as _e


class TECompiler:
    """Compiles single functions. It keeps nothing: each call compiles.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> run = relay.backend.te_compiler.get().jit(relay.Function([x], x + x), "llvm")
        >>> made = np.zeros(2, "float32")
        >>> run(np.ones(2, "float32"), made)
        >>> made.tolist()
        [2.0, 2.0]
    """

    def lower(self, source_func, target=None, mod_name="default"):
        """The compiled graph of a function: what `relay.build` gives.

        Args:
            source_func: a relay.Function.
            target: text or Target; by default the current one.
            mod_name: the name of the graph.
        """
        from ..build_module import build

        return build(IRModule.from_expr(_e.as_expr(source_func)), target, mod_name=mod_name)

    def jit(self, source_func, target=None):
        """A function of tensors: the inputs, then memory for each result. For a processor.

        Args:
            source_func: a relay.Function.
            target: text or Target; by default the current one.
        """
        run, results = self.lower(source_func, target).get_lib()["default"], _results(source_func)

        def call(*args):
            found = run(*args[:-results])
            for into, one in zip(args[-results:], found if isinstance(found, (list, tuple)) else [found]):
                if hasattr(into, "copyfrom"):
                    into.copyfrom(one)
                else:
                    into[...] = one.numpy()

        return call

    def clear(self):
        """Forgets what was compiled: nothing is kept, so the next call compiles in any case."""


def _results(func):
    found = func.checked_type.ret_type
    return len(found.fields) if type(found).__name__ == "TupleType" else 1


_the_only = TECompiler()


def get():
    """The TECompiler of this process.

    Example:
        >>> from lathe import relay
        >>> relay.backend.te_compiler.get() is relay.backend.te_compiler.get()
        True
    """
    return _the_only
