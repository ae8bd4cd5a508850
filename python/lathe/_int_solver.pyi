"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.ir import structural_equal as structural_equal
from lathe.ir import structural_hash as structural_hash

class IntConstraints:
    """Variables, what is known of their ranges, and conditions on them.

    Attributes:
        variables: a list of Var.
        ranges: {Var: Range}. A range may contain variables that come later in `variables`.
        relations: conditions that no range says.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> lathe.arith.IntConstraints([x], {}, [x > 3]).relations
        [x > 3]
    """
    def __repr__(self) -> str: ...
    def __init__(self, variables: Any, ranges: Any, relations: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class IntConstraintsTransform:
    """Constraints in other variables: those of `dst` begin at 0.

    Attributes:
        src, dst: IntConstraints.
        src_to_dst: {variable of src: expression of those of dst}.
        dst_to_src: {variable of dst: expression of those of src}.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> made = lathe.arith.solve_linear_inequalities([x >= 3, x < 7], [x], deskew_range=True)
        >>> int(made.dst.ranges[made.dst.variables[0]].extent), made.src_to_dst[x]
        (4, x_shift + 3)
    """
    def __init__(self, src: Any, dst: Any, src_to_dst: Any, dst_to_src: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def solve_inequalities_as_condition(variables: Any, ranges: Any, inequalities: Any) -> Any:
    """What `solve_linear_inequalities` finds, as a list of conditions.

    Args:
        variables: a list of Var.
        ranges: {Var: Range}.
        inequalities: conditions.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> lathe.arith.solve_inequalities_as_condition([x], {}, [x * 2 >= 5, x < 7])
        [x >= 3, x <= 6]
    """

def solve_linear_inequalities(equations: Any, variables: Any = ..., ranges: Any = ..., deskew_range: Any = ...) -> Any:
    """The ranges of variables that linear inequalities over integers admit.

    Args:
        equations: conditions, or an IntConstraints, whose variables and ranges count, too.
        variables: a list of Var, in the order in which they are eliminated; by default those of the
            conditions. Other variables are parameters.
        ranges: {Var: Range}, which hold beside the conditions.
        deskew_range: give an IntConstraintsTransform, whose new variables have ranges from 0.

    Returns:
        An IntConstraints: all integers that satisfy the conditions are in the ranges, and satisfy the
        relations. A variable without one of its ends has no range, and its other end is a relation. If
        nothing satisfies the conditions, and no parameter decides it, the only relation is False.

    Raises:
        LatheError: `arith-inequality`: a condition is no comparison, or not linear.

    Example:
        >>> import lathe
        >>> x, y = lathe.te.var("x"), lathe.te.var("y")
        >>> made = lathe.arith.solve_linear_inequalities([x + y < 10, x >= 2, y >= 3], [x, y])
        >>> made.ranges[x].min, made.ranges[x].extent, made.ranges[y].min, made.ranges[y].extent
        (2, 8 - y, 3, 5)
    """
