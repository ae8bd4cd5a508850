"""Drawings of schedules, as texts for Graphviz (`dot -Tsvg file.dot`)."""

from .._nodes import CLASSES


def _quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _drawn(lines, path, show_svg, output_dot_string):
    text = "digraph {\n" + "\n".join("  " + line for line in lines) + "\n}\n"
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    if show_svg:
        import subprocess

        from IPython.display import SVG, display

        display(SVG(subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True).stdout))
    return text if output_dot_string else None


def _shape(tensor):
    return f"{tensor.dtype}[{', '.join(map(str, tensor.shape))}]"


def viz_dataflow_graph(sch, show_svg=False, dot_file_path="", output_dot_string=False):
    """Draws which stage reads which: a box for each, with the type of its result and its memory scope.

    Args:
        sch: a Schedule.
        dot_file_path: where the text is written; "" for nowhere.
        show_svg: show the picture in a notebook; needs Graphviz and IPython.
        output_dot_string: return the text.

    Returns:
        The text, or None.

    Example:
        >>> from lathe import te
        >>> from lathe.contrib import tedd
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> '"A" -> "B"' in tedd.viz_dataflow_graph(te.create_schedule(B.op), output_dot_string=True)
        True
    """
    lines = ["rankdir=BT", "node [shape=box]"]
    for stage in sch.stages:
        results = ", ".join(_shape(stage.op.output(i)) for i in range(stage.op.num_outputs))
        scope = f"\\n{stage.scope}" if stage.scope else ""
        lines.append(f"{_quoted(stage.name)} [label={_quoted(stage.name)[:-1]}\\n{results}{scope}\"]")
    names = {stage.op: stage.name for stage in sch.stages}
    for stage in sch.stages:
        for tensor in stage.op.input_tensors:
            if tensor.op in names:
                lines.append(f"{_quoted(names[tensor.op])} -> {_quoted(stage.name)}")
    return _drawn(lines, dot_file_path, show_svg, output_dot_string)


def viz_schedule_tree(sch, show_svg=False, dot_file_path="", output_dot_string=False):
    """Draws where stages are computed: the loops of each, outermost first, and the stages within them.

    Args:
        sch, dot_file_path, show_svg, output_dot_string: as for `viz_dataflow_graph`.

    Returns:
        The text, or None.

    Example:
        >>> from lathe import te
        >>> from lathe.contrib import tedd
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> '"root" -> "B"' in tedd.viz_schedule_tree(te.create_schedule(B.op), output_dot_string=True)
        True
    """
    lines, place = ["node [shape=box]", '"root"'], {}
    for stage in sch.stages:
        if isinstance(stage.op, CLASSES["PlaceholderOp"]):
            continue
        before = stage.name
        for axis in stage.leaf_iter_vars:
            name = f"{stage.name}.{stage.axis_name(axis)}"
            extent = "" if axis.domain is None else f" in range({axis.domain.extent})"
            lines.append(f"{_quoted(name)} [label={_quoted(stage.axis_name(axis) + extent)}]")
            lines.append(f"{_quoted(before)} -> {_quoted(name)}")
            before = place[stage.name, axis] = name
    for stage in sch.stages:
        if not isinstance(stage.op, CLASSES["PlaceholderOp"]):
            within = stage.attach_type in ("scope", "scan_update") or stage.attach_ivar is not None
            above = place.get((stage.attach_stage.name, stage.attach_ivar), "root") if within else "root"
            note = " [style=dashed]" if stage.attach_type == "inline" else ""
            lines.append(f"{_quoted(above)} -> {_quoted(stage.name)}{note}")
    return _drawn(lines, dot_file_path, show_svg, output_dot_string)


def viz_itervar_relationship_graph(sch, show_svg=False, dot_file_path="", output_dot_string=False):
    """Draws which loops the axes of each stage became: the loops in their order behind the axes of the operation.

    Args:
        sch, dot_file_path, show_svg, output_dot_string: as for `viz_dataflow_graph`.

    Returns:
        The text, or None.

    Example:
        >>> from lathe import te
        >>> from lathe.contrib import tedd
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=4)
        >>> '"B.i" -> "B.i.outer"' in tedd.viz_itervar_relationship_graph(s, output_dot_string=True)
        True
    """
    lines = ["node [shape=ellipse]"]
    for stage in sch.stages:
        if isinstance(stage.op, CLASSES["PlaceholderOp"]):
            continue
        names = {axis: f"{stage.name}.{stage.axis_name(axis)}" for axis in stage.all_iter_vars}
        lines += [_quoted(name) + ("" if axis in stage.leaf_iter_vars else " [style=dotted]")
                  for axis, name in names.items()]
        known = {stage.axis_name(axis) for axis in stage.all_iter_vars}
        lines += [f"{_quoted(stage.name + '.' + before)} -> {_quoted(stage.name + '.' + after)}"
                  for after in sorted(known) for before in _made_of(after, known)]
    return _drawn(lines, dot_file_path, show_svg, output_dot_string)


def _made_of(name, known):
    """The axes that a split or fused axis was made of, by its name: "i.outer", "i.j.fused"."""
    rest, _, how = name.rpartition(".")
    if how in ("outer", "inner"):
        return [rest] if rest in known else []
    parts = rest.split(".") if how == "fused" else []
    pairs = [(".".join(parts[:i]), ".".join(parts[i:])) for i in range(1, len(parts))]
    return next((list(pair) for pair in pairs if known.issuperset(pair)), [])
