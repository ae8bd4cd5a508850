#!/usr/bin/env python3
"""What TVM's MetaSchedule finds in the same time: a row for each kernel, to be put beside bench/tuning --section=goals.

    python3 -m venv tvm
    tvm/bin/pip install apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post0 xgboost-cpu psutil cloudpickle tornado
    tvm/bin/python bench/tuning/incumbent.py --minutes 2 gemm_256 conv2d_3x3_56x56x64x64

Kernels have the names of bench/tuning. apache-tvm-ffi 0.1.15, which pip takes by itself, crashes in TuneContext. The time
counts from the first call of the tuner; what is under way is finished, and a round has --round trials. The last column is
the best schedule measured again, the median of --repeat samples, on --threads threads.
"""
import argparse
import os
import re
import statistics
import tempfile
import time


def gemm(te, m, n, k):
    a, b = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    r = te.reduce_axis((0, k), name="k")
    return [a, b, te.compute((m, n), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="C")]


def conv2d(te, window, size, channels, filters, lanes=16):
    """Blocked as bench/run has it: [1, c/l, h, w, l] by [f/b, c/l, kh, kw, l, b]."""
    block = 2 * lanes if filters % (2 * lanes) == 0 else lanes
    data = te.placeholder((1, channels // lanes, size, size, lanes), name="data")
    weight = te.placeholder((filters // block, channels // lanes, window, window, lanes, block), name="weight")
    pad = window // 2
    padded = data
    if pad:
        padded = te.compute(
            (1, channels // lanes, size + 2 * pad, size + 2 * pad, lanes),
            lambda n, c, y, x, i: te.if_then_else(
                te.all(y >= pad, y < size + pad, x >= pad, x < size + pad), data[n, c, y - pad, x - pad, i], 0.0),
            name="padded")
    c, i = te.reduce_axis((0, channels // lanes), name="c"), te.reduce_axis((0, lanes), name="i")
    r, s = te.reduce_axis((0, window), name="r"), te.reduce_axis((0, window), name="s")
    out = te.compute(
        (1, filters // block, size, size, block),
        lambda n, f, y, x, o: te.sum(padded[n, c, y + r, x + s, i] * weight[f, c, r, s, i, o], axis=[c, r, s, i]),
        name="out")
    return [data, weight, out]


def program(te, name):
    found = re.fullmatch(r"gemm_(\d+)", name)
    if found:
        return gemm(te, *3 * [int(found[1])])
    found = re.fullmatch(r"gemm_small_k_(\d+)x(\d+)x(\d+)", name)
    if found:
        return gemm(te, *map(int, found.groups()))
    found = re.fullmatch(r"conv2d_(\d)x\d_(\d+)x\d+x(\d+)x(\d+)", name)
    if found:
        return conv2d(te, *map(int, found.groups()))
    raise SystemExit(f"incumbent.py: no kernel {name}: gemm_N, gemm_small_k_MxNxK or conv2d_RxR_HxHxCxF")


def tune(options, name):
    import numpy as np
    import tvm
    from tvm import te
    from tvm.s_tir import meta_schedule as ms

    args = program(te, name)
    module = tvm.IRModule({"main": te.create_prim_func(args)})
    target = tvm.target.Target({"kind": "llvm", "mcpu": options.mcpu, "num-cores": options.threads})
    best, trials, seconds = None, 0, 0.0
    database = ms.database.MemoryDatabase()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        while seconds < 60 * options.minutes:
            ms.tune_tir(module, target, folder, max_trials_global=options.round, num_trials_per_iter=options.round,
                        database=database, cost_model=options.model, seed=trials + 1)
            trials += options.round
            seconds = time.monotonic() - begun
            print(f"{name}: {trials} trials, {seconds:.0f} s", flush=True)
        best = ms.tir_integration.compile_tir(database, module, target)
    if best is None:
        print(f"{name:28s} {seconds:8.1f} s {trials:6d} trials, none ran", flush=True)
        return
    built = tvm.compile(best.mod, target).jit()
    tensors = [tvm.runtime.tensor(np.random.uniform(-1, 1, [int(e) for e in arg.shape]).astype("float32")) for arg in args]
    timer = built.time_evaluator("main", tvm.cpu(), number=1, repeat=options.repeat, min_repeat_ms=5)
    times = timer(*tensors).results
    print(f"{name:28s} {seconds:8.1f} s {trials:6d} trials {statistics.median(times) * 1e3:10.4f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", default=["gemm_256", "conv2d_3x3_56x56x64x64"])
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--round", type=int, default=32, help="trials between two looks at the clock (32)")
    parser.add_argument("--model", default="xgb", help="xgb (the default), mlp or random")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--mcpu", default="native", help="the processor, as LLVM names it; default: this one")
    parser.add_argument("--repeat", type=int, default=25)
    options = parser.parse_args()
    # Before the library is loaded: its pool and those of its workers read it once.
    os.environ["TVM_NUM_THREADS"] = str(options.threads)
    if options.mcpu == "native":
        import tvm

        options.mcpu = str(tvm.target.codegen.llvm_get_system_cpu())
    for name in options.kernels:
        tune(options, name)


if __name__ == "__main__":
    main()
