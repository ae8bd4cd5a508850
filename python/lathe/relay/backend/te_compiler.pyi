"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule

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
    def clear(self) -> Any: ...
    def jit(self, source_func: Any, target: Any = ...) -> Any: ...
    def lower(self, source_func: Any, target: Any = ..., mod_name: Any = ...) -> Any: ...
    ...

def get() -> Any:
    """The TECompiler of this process.

    Example:
        >>> from lathe import relay
        >>> relay.backend.te_compiler.get() is relay.backend.te_compiler.get()
        True
    """
