"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule

def ranges(main: Any, values: Any, dataset: Any, mode: Any) -> Any:
    """The largest number of each value that quantization keeps.

    Args:
        main: a Function.
        values: expressions in it.
        dataset: dicts {name of an input: array}.
        mode: "percentile": 99.999 % of the numbers are kept; "kl_divergence": the limit for which the
            rounded numbers are distributed most like the numbers (Kullback and Leibler's divergence).
    """
