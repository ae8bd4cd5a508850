#!/usr/bin/env python3
"""PyTorch's samples of its operators, imported, compiled at level 3, run and compared.

usage: operator_table.py [NAME...] [--samples N] [--jobs N] [--write docs/pytorch.md] [--show]

With names (parts of them), only those operators. --write makes the page. --show prints each failure.
PyTorch and the package expecttest, which its samples need, must be installed beside the wheel. It
takes some ten minutes on two cores. Processes have a share of the operators each: a crash loses one
operator.
"""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import warnings

DTYPES = ("float32", "int64", "bool")
SKIPPED = "skipped"
LIMIT_S = 120  # for one operator

# What is no operator of inference, by a part of the name: why.
OUTSIDE = {
    "random numbers": (
        "rand", "randn", "randint", "rand_like", "randn_like", "randint_like", "with_train",
        "fractional_max", "bernoulli", "multinomial", "normal", "uniform", "poisson",
        "exponential", "cauchy", "geometric", "log_normal", "dropout", "rrelu", "multi_head_attention_forward_train"),
    "memory without defined elements": ("empty", "new_empty", "resize_", "set_"),
    "complex numbers": ("fft", "complex", "imag", "real_", "angle", "polar", "view_as_", "stft", "istft",
                        "cfloat", "cdouble", "chalf", "polygamma_c"),
    "sparse, nested or jagged tensors": ("sparse", "to_sparse", "jagged", "nested"),
    "gradients": ("backward", "gradient"),
    "results that are no tensors": ("item", "equal", "allclose", "broadcast_shapes"),
    "other machines": ("jiterator", "_scaled_mm", "_flash_attention_forward",
                       "_efficient_attention_forward"),
    "factorisations and solvers of linear algebra": (
        "cholesky", "eig", "svd", "qr", "lu", "solve", "inv", "lstsq", "ldl", "det", "pinv",
        "geqrf", "householder", "ormqr", "orgqr", "matrix_exp", "matrix_rank", "cond", "lobpcg",
        "pca_lowrank", "svd_lowrank", "tensorsolve", "tensorinv", "logdet", "matrix_power"),
    "higher-order: functions of functions": (
        "map", "scan", "while_loop", "associative", "cond_", "invoke_subgraph", "local_map", "vmap",
        "flex_attention"),
}
# Names that only look like one of these.
COUNTED = ("nn.functional.normalize", "masked.normalize", "nn.functional.poisson_nll_loss",
           "resolve_conj", "resolve_neg", "fft.fftshift", "fft.ifftshift", "linalg.matrix_power")
# Of equal elements, PyTorch does not say which one it finds: {operator: (number of the result with
# places, place of `dim` among the arguments, dim if it is not given)}.
TIES = {"topk": (1, 1, -1), "kthvalue": (1, 1, -1), "sort": (1, 0, -1), "argsort": (0, 0, -1),
        "median": (1, 0, -1)}


def outside(name):
    """Why an operator is not counted; None if it is."""
    short = name.rpartition(".")[2]
    if name in COUNTED:
        return None
    if name.startswith("sparse."):
        return "sparse, nested or jagged tensors"
    if any(one in name for one in ("jiterator", "with_train", "normal.", "scaled_mm")):
        return "other machines" if "normal" not in name and "train" not in name else \
            "random numbers"
    if short.startswith("_foreach") or name.startswith("_foreach"):
        return "lists of tensors for optimisers"
    if name.startswith(("fft.", "signal.", "torch.ops.")) and not name.startswith("torch.ops.aten"):
        return "complex numbers" if name.startswith("fft.") else "no operator of models"
    for why, parts in OUTSIDE.items():
        for part in parts:
            if short == part or (len(part) > 4 and part in short) or \
                    (name.startswith("linalg.") and why.startswith("factor") and part in short):
                return why
    return None


# -- One operator, in a process.


def check(name, samples_wanted, show):
    """{dtype: [passed, all]} and the first reasons why samples do not pass."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    torch.set_num_threads(1)
    counts, reasons = {}, []
    for info in op_db:
        if full_name(info) != name:
            continue
        for dtype in DTYPES:
            kind = getattr(torch, dtype)
            if kind not in info.supported_dtypes("cpu"):
                continue
            torch.manual_seed(1)
            try:
                samples = list(info.sample_inputs("cpu", kind, requires_grad=False))
            except Exception as error:
                reasons.append(f"{dtype}: no samples: {first_line(error)}")
                continue
            if len(samples) > samples_wanted:  # evenly over all
                step = len(samples) / samples_wanted
                samples = [samples[int(i * step)] for i in range(samples_wanted)]
            passed = skipped = 0
            for sample in samples:
                reason = one_sample(info, sample, show)
                if reason is SKIPPED:
                    skipped += 1
                    continue
                passed += reason is None
                if reason is not None:
                    reasons.append(f"{dtype}: {reason}")
            counts[dtype] = [passed, len(samples) - skipped]
    return {"name": name, "counts": counts, "reasons": list(dict.fromkeys(reasons))}


def full_name(info):
    return info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")


def first_line(error):
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    found = [line for line in lines if line.startswith("found:") and " at " not in line[:10]][:2]
    return " ".join([f"{type(error).__name__}: {lines[0] if lines else ''}", *found])[:300]


def one_sample(info, sample, show):
    """None, or why the sample does not pass."""
    import torch
    import torch.utils._pytree as pytree

    everything = (sample.input, tuple(sample.args), dict(sample.kwargs))
    flat, form = pytree.tree_flatten(everything)
    places = [i for i, one in enumerate(flat) if isinstance(one, torch.Tensor)]
    tensors = [flat[i].detach().clone() for i in places]

    class Model(torch.nn.Module):
        def forward(self, *given):
            values = list(flat)
            for i, one in zip(places, given):
                values[i] = one
            first, args, kwargs = pytree.tree_unflatten(values, form)
            return info.op(first, *args, **kwargs)

    if any(sample.kwargs.get(key) for key in ("dropout_p",)):
        return SKIPPED  # random
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = Model()(*[one.clone() for one in tensors])
    except Exception:
        return SKIPPED  # it needs the sample's own storage
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = [one for one in pytree.tree_leaves(expected)
                      if isinstance(one, (torch.Tensor, bool, int, float))]
            given = tensors or [torch.zeros(1)]
            model = Model() if tensors else Ignoring(Model())
            model, given = model.eval(), [one.clone() for one in given]
            try:
                traced = torch.jit.trace(model, tuple(given), check_trace=False, strict=False)
            except RuntimeError:  # the tracer has not all types of numbers
                traced = torch.export.export(model, tuple(given))
    except Exception as error:
        return f"torch.jit.trace: {first_line(error)}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = compiled(traced, given)
    except Exception as error:
        if show:
            import traceback

            traceback.print_exc()
            print("sample:", pytree.tree_map(short, everything))
        return first_line(error)
    if info.name in TIES:
        found, wanted = by_elements(info.name, sample, found, wanted)
    reason = differs(found, wanted)
    if reason and show:
        print(reason, pytree.tree_map(short, everything), found, wanted, sep="\n")
    return reason


def by_elements(name, sample, found, wanted):
    """The results, with the elements at places in place of the places."""
    number, at, axis = TIES[name]
    data = sample.input
    if len(found) <= number or data.dim() == 0:
        return found, wanted
    axis = sample.kwargs.get("dim", sample.args[at] if len(sample.args) > at else axis)
    if name == "sort" and "stable" in sample.kwargs:
        axis = sample.kwargs.get("dim", -1)
    for results in (found, wanted):
        places = results[number]
        if places.dim() < data.dim():
            places = places.unsqueeze(axis)
        results[number] = data.gather(axis, places)
    return found, wanted


def short(one):
    if hasattr(one, "dtype") and hasattr(one, "shape"):
        return f"{one.dtype}{tuple(one.shape)}"
    return one


def Ignoring(model):
    import torch

    class Wrapper(torch.nn.Module):
        def forward(self, _):
            return model()

    return Wrapper()


def compiled(traced, tensors):
    """The results of the compiled model."""
    import lathe
    import torch
    from lathe import relay
    from lathe.contrib import graph_executor

    infos = [(f"x{i}", (tuple(one.shape), str(one.dtype).removeprefix("torch.")))
             for i, one in enumerate(tensors)]
    mod, params = relay.frontend.from_pytorch(traced, infos)
    with lathe.transform.PassContext(opt_level=3):
        lib = relay.build(mod, "llvm", params=params)
    executor = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    for (name, _), one in zip(infos, tensors):
        if executor.get_input_index(name) >= 0:
            executor.set_input(name, lathe.from_dlpack(one.contiguous()))
    executor.run()
    return [torch.from_dlpack(executor.get_output(i)).clone()
            for i in range(executor.get_num_outputs())]


def differs(found, wanted):
    """None, or how the results differ."""
    import torch

    if len(found) != len(wanted):
        return f"results: {len(found)} of {len(wanted)}"
    for i, (one, other) in enumerate(zip(found, wanted)):
        if not isinstance(other, torch.Tensor):
            if one.numel() != 1 or one.item() != other:
                return f"result {i}: {one.tolist()} instead of {other}"
            continue
        other = other.detach()
        if one.shape != other.shape:
            return f"result {i}: shape {tuple(one.shape)} instead of {tuple(other.shape)}"
        if one.dtype != other.dtype:
            return f"result {i}: type {one.dtype} instead of {other.dtype}"
        try:
            torch.testing.assert_close(one, other, rtol=2e-4, atol=2e-5, equal_nan=True)
        except AssertionError as error:
            return f"result {i}: " + " ".join(str(error).split())[:160]
    return None


def worker(names, samples, show):
    for name in names:
        signal.signal(signal.SIGALRM, _late)
        signal.alarm(LIMIT_S)
        try:
            found = check(name, samples, show)
        except TimeoutError:
            found = {"name": name, "counts": {}, "reasons": [f"took more than {LIMIT_S} s"]}
        except Exception as error:
            found = {"name": name, "counts": {}, "reasons": [first_line(error)]}
        signal.alarm(0)
        print("RESULT " + json.dumps(found), flush=True)


def _late(*_):
    raise TimeoutError


# -- All of them.


def all_names(parts):
    from torch.testing._internal.common_methods_invocations import op_db

    names = list(dict.fromkeys(full_name(info) for info in op_db))
    exact = [name for name in names if name in parts]
    return exact or [name for name in names if not parts or any(part in name for part in parts)]


def run(names, options):
    """{name: result}; a worker that dies loses the operator that it was at."""
    results, waiting, running = {}, [name for name in names if outside(name) is None], []
    size = max(1, min(24, -(-len(waiting) // options.jobs)))
    while waiting or running:
        while waiting and len(running) < options.jobs:
            share, waiting = waiting[:size], waiting[size:]
            command = [sys.executable, __file__, "--worker", "--samples", str(options.samples),
                       *(["--show"] if options.show else []), *share]
            running.append((share, subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                                    stderr=None if options.show
                                                    else subprocess.DEVNULL)))
        share, process = running.pop(0)
        done = set()
        for line in process.stdout:
            if line.startswith("RESULT "):
                found = json.loads(line[7:])
                results[found["name"]] = found
                done.add(found["name"])
            elif options.show:
                print(line, end="")
        process.wait()
        left = [name for name in share if name not in done]
        if left:
            results[left[0]] = {"name": left[0], "counts": {},
                                "reasons": [f"the process ended with {process.returncode}"]}
            waiting = left[1:] + waiting
        print(f"{len(results)} done, {sum(map(passes, results.values()))} pass", file=sys.stderr)
    return results


def passes(found):
    """Do all samples of all element types pass?"""
    counts = found["counts"].values()
    return bool(counts) and all(one == total for one, total in counts) and \
        any(total for _, total in counts)


def page(names, results, options):
    """docs/pytorch.md."""
    import torch

    good = sorted(name for name in results if passes(results[name]))
    bad = sorted(name for name in results if not passes(results[name]))
    some = [name for name in bad if any(one for one, _ in results[name]["counts"].values())]
    apart = {}
    for name in names:
        why = outside(name)
        if why is not None:
            apart.setdefault(why, []).append(name)
    samples = sum(total for found in results.values() for _, total in found["counts"].values())
    right = sum(one for found in results.values() for one, _ in found["counts"].values())
    text = (pathlib.Path(__file__).parent / "pytorch_page.md").read_text()
    rows = "\n".join(f"| {name} | {counted(results[name])} | {reason(results[name])} |"
                     for name in bad)
    return text.format(
        version=torch.__version__.partition("+")[0], operators=len(results), good=len(good),
        some=len(some), none=len(bad) - len(some), samples=samples, right=right,
        most=options.samples, names=", ".join(good), rows=rows,
        apart="\n".join(f"| {why} | {', '.join(sorted(those))} |"
                        for why, those in sorted(apart.items())))


def counted(found):
    return ", ".join(f"{dtype} {one} of {total}"
                     for dtype, (one, total) in found["counts"].items()) or "none"


def reason(found):
    text = "; ".join(found["reasons"][:2]) or "no samples of these element types"
    return text.replace("|", "\\|").replace("\n", " ")[:240]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--samples", type=int, default=8, help="of each operator and element type")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", metavar="FILE", help="all results, as JSON")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.names, options.samples, options.show)
        return 0
    names = all_names(options.names)
    results = run(names, options)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1))
    for found in results.values():
        if not passes(found):
            print(found["name"], "|", counted(found), "|", reason(found))
    print(f"{sum(map(passes, results.values()))} of {len(results)} operators pass")
    if options.write:
        pathlib.Path(options.write).write_text(page(names, results, options))
    return 0


if __name__ == "__main__":
    sys.exit(main())
