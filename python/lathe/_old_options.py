"""What TVM's options of a PassContext mean for Lathe."""

#: {TVM's option: {key of its dict: Lathe's option}}.
PARTS = {
    "tir.UnrollLoop": {"auto_max_step": "unroll.auto_max_step", "auto_max_depth": "unroll.auto_max_depth",
                       "auto_max_extent": "unroll.auto_max_extent", "explicit_unroll": "unroll.explicit"},
    "tir.LoopPartition": {"partition_const_loop": "partition.constant_loops"},
}
#: {TVM's option: Lathe's}.
SAME = {"tir.instrument_bound_checkers": "check"}
#: {TVM's option: the pass that it turns off}.
TURNS_OFF = {"tir.disable_cse_tir": "cse", "tir.disable_storage_rewrite": "storage_reuse"}
#: Hints that Lathe does not need, and options of what it does not have.
WITHOUT_EFFECT = (
    "tir.noalias", "tir.detect_global_barrier", "tir.InjectDoubleBuffer", "tir.disable_assert", "tir.is_entry_func",
    "tir.enable_equiv_terms_in_cse_tir", "tir.contrib.ethos-u.copy_constants", "relay.FuseOps.max_depth",
    "relay.FuseOps.link_params", "relay.backend.disable_compile_engine_cache", "relay.backend.use_meta_schedule",
    "relay.backend.use_auto_scheduler", "relay.backend.tir_converter", "relay.ToMixedPrecision.keep_orig_output_dtype",
    "relay.remove_standalone_reshapes.enable", "te.keep_schedule_record")
NO_VECTORS = "tir.disable_vectorize"
#: All of them, for errors.
NAMES = (*PARTS, *SAME, *TURNS_OFF, *WITHOUT_EFFECT, NO_VECTORS)


def translated(config):
    """({Lathe's option: int}, [passes to leave out], the options that neither TVM nor this table knows).

    Args:
        config: {option: value}; Lathe's own options stay.

    Example:
        >>> from lathe import _old_options
        >>> _old_options.translated({"tir.UnrollLoop": {"auto_max_step": 16}, "tir.disable_cse_tir": True, "check": 1})
        ({'unroll.auto_max_step': 16, 'check': 1}, ['cse'], [])
    """
    made, left_out, odd = {}, [], []
    for key, value in config.items():
        if key in PARTS:
            for part, number in dict(value).items():
                if part in PARTS[key]:
                    made[PARTS[key][part]] = int(number)
                elif part != "no_unroll_loop_with_extent_one":
                    odd.append(f"{key}: {part}")
        elif key in TURNS_OFF:
            left_out += [TURNS_OFF[key]] if value else []
        elif key not in WITHOUT_EFFECT and key != NO_VECTORS:
            made[SAME.get(key, key)] = int(value)
    return made, left_out, odd


def without_vectors(module):
    """A module in which vectorized loops run one after the other.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> s[B].vectorize(B.op.axis[0])
        >>> "vectorized" in str(lathe._old_options.without_vectors(lathe.lower(s, [A, B])))
        False
    """
    from . import tir

    def serial(loop):
        if loop.for_kind != "vectorized":
            return None
        return tir.For(loop.var, loop.min, loop.extent, "serial", loop.body, "", dict(loop.annotations))

    return module.with_functions([
        func.with_body(tir.stmt_functor.ir_transform(func.body, None, serial, ["For"])) for func in module.functions])
