"""Times of kernels, measured through a session and measured here, in pairs by turns: `bazel run --config=ci //bench/remote:kernels`.

    bazel run --config=ci //bench/remote:kernels -- --target cuda --pairs 30

The far side is a worker process of this machine. A ratio is that of the medians, remote to local; its 95 % interval is
from 2,000 resamplings of the pairs (the percentile bootstrap; Efron and Tibshirani 1993, chapter 13).
"""

import argparse
import os
import random
import statistics
import tempfile

import numpy as np

import lathe
from lathe import rpc, te, topi


def kernels():
    """(name, arguments) of each kernel; the last argument is its result."""
    a, b = te.placeholder((512, 512), name="A"), te.placeholder((512, 512), name="B")
    yield "matmul 512x512x512", [a, b, topi.matmul(a, b)]
    x, w = te.placeholder((1, 64, 56, 56), name="X"), te.placeholder((64, 64, 3, 3), name="W")
    yield "conv2d 64x56x56, 3x3", [x, w, topi.nn.conv2d(x, w, 1, 1, 1)]
    x = te.placeholder((1024, 1024), name="X")
    yield "softmax 1024x1024", [x, topi.nn.softmax(x, axis=1)]
    yield "add 1024x1024", [x, topi.add(x, x)]


def ratio_and_interval(pairs, seed=1):
    """(ratio of the medians, lower end, upper end)."""
    def ratio(of):
        return statistics.median(far for far, _ in of) / statistics.median(near for _, near in of)

    rng = random.Random(seed)
    resampled = sorted(ratio(rng.choices(pairs, k=len(pairs))) for _ in range(2000))
    return ratio(pairs), resampled[50], resampled[1949]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="llvm", help="what the kernels are compiled for (default: llvm)")
    parser.add_argument("--pairs", type=int, default=30, help="measurements of each side (default: 30)")
    options = parser.parse_args()
    kind = "cpu" if options.target.startswith("llvm") else options.target.split()[0]
    near = lathe.device(kind, 0)
    print(f"{'kernel':24} {'here, us':>10} {'remote, us':>10} {'ratio':>6}  95 % interval")
    with tempfile.TemporaryDirectory() as folder, rpc.Server("127.0.0.1") as server, \
            rpc.connect("127.0.0.1", server.port) as session:
        far = session.device(kind, 0)
        for name, args in kernels():
            built = lathe.build(lathe.default_schedule(args[-1:], options.target), args, options.target, name="kernel")
            path = os.path.join(folder, "kernel.so")
            built.export_library(path)
            session.upload(path)
            values = [np.random.default_rng(0).standard_normal([int(n) for n in t.shape]).astype("float32") for t in args]
            measures = []
            for device, module in ((far, session.load_module("kernel.so")), (near, lathe.runtime.load_module(path))):
                arrays = [lathe.nd.array(v, device) for v in values]
                evaluator = module.time_evaluator("kernel", device, number=5, min_repeat_ms=20)
                measures.append(lambda evaluator=evaluator, arrays=arrays: evaluator(*arrays).mean)
            for measure in measures:
                measure()  # the first touches the memory
            pairs = []
            for i in range(options.pairs):
                first, second = (0, 1) if i % 2 == 0 else (1, 0)
                times = {first: measures[first](), second: measures[second]()}
                pairs.append((times[0], times[1]))
            ratio, low, high = ratio_and_interval(pairs)
            medians = [statistics.median(times) * 1e6 for times in zip(*pairs)]
            print(f"{name:24} {medians[1]:10.1f} {medians[0]:10.1f} {ratio:6.3f}  {low:.3f} to {high:.3f}", flush=True)


if __name__ == "__main__":
    main()
