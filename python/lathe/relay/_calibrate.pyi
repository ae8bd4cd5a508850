"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule

def ranges(mod: Any, main: Any, values: Any, dataset: Any, mode: Any) -> Any:
    """The largest number of each value that quantization keeps.

    Args:
        mod: an IRModule.
        main: its function `main`.
        values: expressions in it.
        dataset: dicts {name of an input: array}.
        mode: "percentile": 99.999 % of the numbers are kept; "kl_divergence": the limit for which the
            rounded numbers are distributed most like the numbers (Kullback and Leibler's divergence).
    """

def with_main(mod: Any, main: Any) -> Any:
    """The module with another `main`: its other functions, types and attributes are the same.

    Args:
        mod: an IRModule.
        main: a Function.
    """
