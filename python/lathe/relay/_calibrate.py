"""Ranges of the data that quantization limits, measured on a data set."""

from .._irmodule import IRModule
from . import expr as _e

_BINS = 2048  # of the histograms that limits are chosen from


def with_main(mod, main):
    """The module with another `main`: its other functions, types and attributes are the same.

    Args:
        mod: an IRModule.
        main: a Function.
    """
    functions = {var.name_hint: func for var, func in mod.functions.items()}
    return IRModule({**functions, "main": main}, mod.type_definitions, mod.attrs)


def ranges(mod, main, values, dataset, mode):
    """The largest number of each value that quantization keeps.

    Args:
        mod: an IRModule.
        main: its function `main`.
        values: expressions in it.
        dataset: dicts {name of an input: array}.
        mode: "percentile": 99.999 % of the numbers are kept; "kl_divergence": the limit for which the
            rounded numbers are distributed most like the numbers (Kullback and Leibler's divergence).
    """
    import numpy as np

    from .build_module import create_executor

    if not values:
        return []
    func = _e.Function(main.params, _e.Tuple(values))
    run = create_executor("graph", with_main(mod, func)).evaluate()
    seen = [[] for _ in values]
    for inputs in dataset:
        found = run(**inputs)
        for into, one in zip(seen, found if isinstance(found, list) else [found]):
            into.append(np.abs(one.numpy()).ravel())
    choose = _percentile if mode == "percentile" else _least_divergence
    return [choose(np.concatenate(parts)) or 1.0 for parts in seen]


def _percentile(numbers):
    import numpy as np

    return float(np.quantile(numbers, 0.99999))


def _least_divergence(numbers, levels=128):
    """The limit among those of a histogram's bins (Migacz, 8-bit inference with TensorRT, 2017)."""
    import numpy as np

    most = float(numbers.max())
    if most == 0:
        return 0.0
    counts, edges = np.histogram(numbers, bins=_BINS, range=(0, most))
    best, limit = np.inf, most
    for kept in range(levels, _BINS + 1, 16):
        real = counts[:kept].astype("float64")
        rounded = np.zeros(kept)
        for part in np.array_split(np.arange(kept), levels):
            there = real[part] > 0
            if there.any():
                rounded[part[there]] = real[part].sum() / there.sum()
        real[-1] += counts[kept:].sum()  # what is cut off gets the limit
        p, q = real / real.sum(), rounded / max(rounded.sum(), 1)
        there = p > 0
        found = float((p[there] * np.log(p[there] / np.maximum(q[there], 1e-12))).sum())
        if found < best:
            best, limit = found, float(edges[kept])
    return limit
