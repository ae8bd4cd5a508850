"""Lathe's own passes by their usual names: each call gives a Pass, `tir.transform.Simplify()(module)`.

`lathe.transform.passes()` lists all, by the names that dumps and instruments show.
"""

from ..transform import Pass, Sequential, builtin_pass, module_pass, prim_func_pass

#: usual name -> the pass
NAMES = {
    "Simplify": "simplify",
    "LoopPartition": "loop_partition",
    "InjectSoftwarePipeline": "software_pipeline",
    "InjectPrefetch": "prefetch",
    "MakePackedAPI": "bind_arguments",
    "FlattenBuffer": "flatten",
    "StorageRewrite": "storage_reuse",
    "VectorizeLoop": "vectorize",
    "UnrollLoop": "unroll",
    "NarrowDataType": "narrow",
    "LowerTVMBuiltin": "packed_calls",
    "CommonSubexprElimTIR": "cse",
    "LowerIntrin": "intrinsics",
}


def _named(name, builtin):
    def make(*args, **kwargs):
        if args or kwargs:
            raise TypeError(f"{name} takes its options from the PassContext")
        return builtin_pass(builtin)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Lathe's pass `{builtin}` as a Pass."
    return make


for _usual, _builtin in NAMES.items():
    globals()[_usual] = _named(_usual, _builtin)


def Apply(ftransform):
    """A pass that applies `ftransform` (Func -> Func) to each function."""
    return prim_func_pass(lambda func, module, context: ftransform(func), name="Apply")
