"""States as people read them: a nest of loops."""

from . import _steps


def loop_text(state):
    """The loops of a state, a line for each; stages stand where they are computed."""
    schedule, words = state.schedule, _steps.annotations(state.schedule)
    inputs = [one.name for one in schedule.stages if not one.leaf_iter_vars and not _computes(one)]
    lines = [f"Placeholder: {', '.join(inputs)}"] if inputs else []
    within, successors = {}, _steps.successors(schedule)  # stage.loop -> the stages in it
    for stage in schedule.stages:
        if stage.attach_type in ("scope", "scan") and stage.attach_ivar is not None:
            reader = stage.attach_stage
            place = f"{reader.name}.{reader.axis_name(stage.attach_ivar)}"
            while place in successors:
                place = successors[place]
            within.setdefault(place, []).append(stage)
    for stage in schedule.stages:
        if stage.attach_type == "root" and stage.name not in inputs:
            _add(state, stage, 0, words, within, lines)
    return "\n".join(lines)


def _computes(stage):
    return type(stage.op).__name__ != "PlaceholderOp"


def _add(state, stage, depth, words, within, lines):
    for axis in stage.leaf_iter_vars:
        loop = stage.axis_name(axis)
        span = state._range(stage.name, loop)
        shown = "(None)" if span is None else f"({span.min},{span.extent})"
        lines.append(f"{'  ' * depth}{words.get(f'{stage.name}.{loop}', 'for')} {loop} {shown}")
        depth += 1
        for inner in within.get(f"{stage.name}.{loop}", ()):
            _add(state, inner, depth, words, within, lines)
    lines.append(f"{'  ' * depth}{stage.name} = ...")
