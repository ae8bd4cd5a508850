"""The PassContext in the form that the functions on graphs take."""

import logging
import sys

from .. import _ffi
from ..transform import PassInfo, _call

# Relay's passes -> Lathe's.
RELAY_NAMES = {
    "InferType": [], "FoldConstant": ["fold_constants", "fold_weights"],
    "FoldScaleAxis": ["fold_scale"], "ForwardFoldScaleAxis": ["fold_scale"],
    "BackwardFoldScaleAxis": ["fold_scale"], "AlterOpLayout": ["choose_layouts"],
    "ConvertLayout": ["choose_layouts"], "EliminateCommonSubexpr": ["share_equal"],
    "DeadCodeElimination": ["drop_dead_code"], "SimplifyInference": ["expand_operators"],
}


def graph_passes():
    """The names of the passes over graphs, in order."""
    return [name for name, _, _ in _ffi.get("graph.passes")()]


def disabled(context):
    """([passes over graphs that the context leaves out], [other names])."""
    known = set(graph_passes())
    graphs, others = [], []
    for name in context.disabled_pass:
        if name in RELAY_NAMES:
            graphs += RELAY_NAMES[name]
        else:
            (graphs if name in known else others).append(name)
    return graphs, others


def packed(context, time_limit=None, level=None, leave_out=None):
    """[level, passes to leave out, after_pass, the context for kernels, which schedules they have, progress].

    `progress` is None: `_progress.Progress` gives what may take its place.

    Args:
        context: a PassContext.
        time_limit: seconds for the whole build; by default the context's.
        level: instead of the context's level.
        leave_out: instead of what the context leaves out.
    """
    graphs, others = disabled(context)
    kernels = context.packed(time_limit)
    kernels[1] = [name for name in others if not name[:1].isupper()] + context._left_out
    after = None
    if context.instruments:
        from .._irmodule import IRModule

        def module_of(function):
            return IRModule.from_node(_ffi.get("graph.module")([function], [], []))

        def after(name, before, now):
            info = PassInfo(name)
            for instrument in context.instruments:
                _call(instrument, "run_before_pass", module_of(before), info)
                _call(instrument, "run_after_pass", module_of(now), info)
    level = context.opt_level if level is None else level
    return [int(level), graphs if leave_out is None else leave_out, after, kernels,
            _schedules(context), None]


def _schedules(context):
    """What gives kernels their schedules (python/ffi/kernel_schedules.h)."""
    package = __package__.partition(".")[0]
    autotvm = sys.modules.get(f"{package}.autotvm")
    auto_scheduler = sys.modules.get(f"{package}.auto_scheduler")
    choose = None if autotvm is None else autotvm.task.dispatcher.chooser()
    records = [] if auto_scheduler is None else auto_scheduler.dispatcher.records()

    def note(text, is_problem):
        # A kernel's schedule is no default one (INFO), or a record does not apply.
        name = "auto_scheduler" if records else "autotvm"
        logging.getLogger(name).log(logging.WARNING if is_problem else logging.INFO, "%s", text)

    return [records, choose, note, bool(context.config.get("tune.shipped_records", True))]
