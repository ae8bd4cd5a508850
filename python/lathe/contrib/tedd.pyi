"""Written by python/stubs/make_stubs.py."""

from typing import Any

CLASSES: Any

def viz_dataflow_graph(sch: Any, show_svg: Any = ..., dot_file_path: Any = ..., output_dot_string: Any = ...) -> Any:
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

def viz_itervar_relationship_graph(sch: Any, show_svg: Any = ..., dot_file_path: Any = ..., output_dot_string: Any = ...) -> Any:
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

def viz_schedule_tree(sch: Any, show_svg: Any = ..., dot_file_path: Any = ..., output_dot_string: Any = ...) -> Any:
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
