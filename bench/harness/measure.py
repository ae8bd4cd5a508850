"""Times one case against its peers, interleaved, in one process: the worker of bench/run.

Prints one JSON line. Samples are single calls; the slowest machine phase hits all alike, as every runner has a turn
in each round. With several threads a runner's turn is a block of calls after a pause, because the pools of idle
libraries go on spinning for a while.
"""

import argparse
import json
import sys
import time

import numpy as np

import lathe_kernels
import peers

PAUSE_S = 0.02
COLD_BYTES = 256 << 20


def make_arrays(args, outputs, distinct):
    """Inputs of small fractions, so that sums are the same in any order; or all distinct. Outputs are zeros."""
    rng = np.random.default_rng(1)
    arrays = []
    for number, arg in enumerate(args):
        bfloat16 = arg["dtype"] == "bfloat16"  # NumPy has no such type: its bits
        array = lathe_kernels.aligned(arg["shape"], "uint16" if bfloat16 else arg["dtype"])
        if number < len(args) - outputs:
            if distinct:
                array[...] = rng.permutation(array.size).reshape(array.shape)
            elif array.dtype.kind == "f":
                array[...] = rng.integers(-8, 9, array.shape) / 8
            elif bfloat16:
                array[...] = (rng.integers(-8, 9, array.shape) / 8).astype(np.float32).view(np.uint32) >> 16
            elif array.dtype == np.int8:
                array[...] = rng.integers(-128, 128, array.shape)
            else:
                array[...] = rng.integers(0, 128, array.shape)
        else:
            array[...] = 0
        arrays.append(array)
    return arrays


def numbers(array, dtype):
    if dtype == "bfloat16":
        array = (np.asarray(array).astype(np.uint32) << 16).view(np.float32)
    return np.asarray(array, np.float64)


clock = time.perf_counter


def sample(call):
    start = clock()
    call()
    return (clock() - start) * 1e3


def measure(runners, rounds, block, pause, flush):
    samples = {name: [] for name in runners}
    for name in runners:
        for _ in range(3):
            runners[name]()
    for turn in range(rounds):
        names = list(runners)
        # Nobody always comes first.
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            if pause:
                time.sleep(PAUSE_S)
                runners[name]()
            for _ in range(block):
                if flush is not None:
                    flush += 1  # read and written: nothing of the arrays is left in any cache
                samples[name].append(sample(runners[name]))
    return samples


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--artefact", required=True)
    parser.add_argument("--case", required=True, help="the line that build_kernels printed")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long to measure, all runners together")
    parser.add_argument("--cold", action="store_true", help="caches are swept before each call")
    parser.add_argument(
        "--thread-time", action="store_true", help="the calling thread's time on a processor: for busy machines, one thread"
    )
    options = parser.parse_args()
    if options.thread_time:
        if options.threads != 1:
            sys.exit("--thread-time sees one thread only")
        global clock
        clock = time.thread_time
    case = json.loads(options.case)
    runtime = lathe_kernels.Runtime(options.runtime)
    runtime.set_threads(options.threads)
    peers.set_threads(options.threads)
    arrays = make_arrays(case["args"], case["outputs"], case["case"].startswith("argmax"))
    ours = runtime.kernel(options.artefact, case["case"])(arrays, [a["dtype"] for a in case["args"]])
    others = peers.peers_of(case["case"], arrays)

    ours()
    worst = 0.0
    for name, (call, results) in others.items():
        call()
        places = range(len(arrays) - case["outputs"], len(arrays))
        for place, theirs in zip(places, results()):
            mine, theirs = (numbers(x, case["args"][place]["dtype"]) for x in (arrays[place], theirs))
            theirs = theirs.reshape(mine.shape)
            scale = max(float(np.max(np.abs(theirs))), 1e-30)
            error = float(np.max(np.abs(mine - theirs))) / scale
            worst = max(worst, error)
            if not error < 1e-3:
                sys.exit(f"{case['case']}: our result differs from {name}'s by {error:.3g} of its largest element")

    runners = {"lathe": ours, **{name: call for name, (call, _) in others.items()}}
    once = sum(sample(call) for call in runners.values()) / 1e3
    block = 1 if options.threads == 1 else 5
    rounds = int(min(max(options.seconds / max(once * block, 1e-6), 20 / block), 400))
    flush = np.zeros(COLD_BYTES // 8) if options.cold else None
    samples = measure(runners, max(rounds, 4), block, options.threads > 1, flush)
    print(
        json.dumps(
            {
                "case": case["case"],
                "threads": options.threads,
                "cold": options.cold,
                "error": worst,
                "times": {
                    name: {"min": min(s), "median": float(np.median(s)), "runs": len(s)} for name, s in samples.items()
                },
            }
        )
    )


if __name__ == "__main__":
    main()
