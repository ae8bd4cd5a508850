"""Times cases against their peers, interleaved, in one process: the worker of bench/run.

Reads the lines that build_kernels prints, one case each, and answers each with one JSON line: {"figures": [...]}, or
{"failed": why}. Samples are single calls. Slow phases of the machine affect all runners alike, because every runner has
a turn in each round. With several threads a runner's turn begins after a pause, because the pools of idle libraries
spin for a while. With warm caches a turn is then a block of calls, with cold ones it is one call. With cold caches
memory is swept before each call.
"""

import argparse
import gc
import glob
import json
import os
import sys
import time

import numpy as np

import lathe_kernels
import peers

PAUSE_S = 0.03  # OpenBLAS's threads spin for 2^26 cycles before they sleep
BLOCK = 8  # calls in a turn, with several threads
FEWEST, MOST = 20, 400  # runs of each
KEPT_WARM = 3  # calls before the first sample

clock = time.perf_counter


def sweep_bytes():
    """Twice the largest cache that the system reports."""
    largest = 0
    for path in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size"):
        text = open(path).read().strip()
        units = {"K": 1 << 10, "M": 1 << 20}
        largest = max(largest, int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text))
    return min(max(2 * largest, 64 << 20), 512 << 20)


def make_arrays(args, outputs, distinct):
    """Inputs are small fractions, so that sums are the same in any order; or all distinct. Outputs are zeros."""
    rng = np.random.default_rng(1)
    arrays = []
    for number, arg in enumerate(args):
        bfloat16 = arg["dtype"] == "bfloat16"  # NumPy has no such type: its bits
        array = lathe_kernels.aligned(arg["shape"], "uint16" if bfloat16 else arg["dtype"])
        if number < len(args) - outputs:
            if distinct:
                array[...] = rng.permutation(array.size).reshape(array.shape)
            elif array.dtype.kind == "f":
                array[...] = rng.integers(-8, 9, array.shape, dtype=np.int8)
                array /= 8
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
    """Numbers that can be subtracted: float32 unchanged, which is exact enough, others as float64."""
    if dtype == "bfloat16":
        return (np.asarray(array).astype(np.uint32) << 16).view(np.float32)
    array = np.asarray(array)
    return array if array.dtype == np.float32 else array.astype(np.float64)


def difference(mine, theirs):
    """The largest difference, divided by the largest element."""
    theirs = theirs.reshape(mine.shape)
    scale = max(float(np.max(theirs)), -float(np.min(theirs)), 1e-30)
    apart = mine - theirs
    return max(float(np.max(apart)), -float(np.min(apart))) / scale


def sample(call):
    start = clock()
    call()
    return (clock() - start) * 1e3


class Session:
    """One case: our kernels and the peers over the same arrays; checks that the results agree."""

    def __init__(self, runtime, folder, case, default):
        self.case = case
        arrays = make_arrays(case["args"], case["outputs"], case["case"].startswith("argmax"))
        dtypes = [a["dtype"] for a in case["args"]]
        path = os.path.join(folder, case["case"])
        ours = runtime.kernel(path + ".so", case["case"])(arrays, dtypes)
        self.runners = {"lathe": ours}
        self.kept = [arrays]  # some peers hold addresses without keeping the arrays alive
        outputs = range(len(arrays) - case["outputs"], len(arrays))
        ours()
        reference = [numbers(arrays[place], dtypes[place]) for place in outputs]
        self.error = 0.0
        if default and case.get("default_limit"):
            own = arrays[: outputs.start] + [np.zeros_like(arrays[place]) for place in outputs]
            own = own[: outputs.start] + [self.aligned_copy(a) for a in own[outputs.start :]]
            call = runtime.kernel(path + ".default.so", case["case"])(own, dtypes)
            self.add("lathe default", call, lambda: own[outputs.start :], reference, outputs)
        for name, (call, results) in peers.peers_of(case["case"], arrays).items():
            self.add(name, call, results, reference, outputs)

    @staticmethod
    def aligned_copy(array):
        copy = lathe_kernels.aligned(array.shape, array.dtype)
        copy[...] = array
        return copy

    def add(self, name, call, results, reference, outputs):
        call()
        for mine, theirs, place in zip(reference, results(), outputs):
            error = difference(mine, numbers(theirs, self.case["args"][place]["dtype"]))
            if not error < 1e-3:
                raise RuntimeError(f"our result differs from {name}'s by {error:.3g} of its largest element")
            self.error = max(self.error, error)
        self.runners[name] = call
        self.kept.append(results)

    def rounds(self, seconds, block, pause):
        once = sum(sample(call) for call in self.runners.values()) / 1e3
        each = once * block + pause * len(self.runners)
        return int(min(max(seconds / max(each, 1e-6), -(-FEWEST // block)), max(MOST // block, 1)))

    def measure(self, rounds, block, pause, swept):
        samples = {name: [] for name in self.runners}
        for call in self.runners.values():
            for _ in range(KEPT_WARM):
                call()
        for turn in range(rounds):
            names = list(self.runners)
            # The order rotates, so that no runner is always first.
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                if pause:
                    time.sleep(pause)
                    if swept is None:
                        self.runners[name]()
                for _ in range(block):
                    if swept is not None:
                        swept += 1  # read and written: no part of the arrays is left in any cache
                    samples[name].append(sample(self.runners[name]))
        return {
            name: {"min": min(times), "median": float(np.median(times)), "runs": len(times)}
            for name, times in samples.items()
        }


def figures_of(session, options, swept):
    for caches in options.caches.split(","):
        pause = 0 if options.threads == 1 else PAUSE_S
        if caches == "cold":
            times = session.measure(FEWEST, 1, pause, swept)
        else:
            block = 1 if options.threads == 1 else BLOCK
            times = session.measure(session.rounds(options.seconds, block, pause), block, pause, None)
        yield {"threads": options.threads, "caches": caches, "error": session.error, "times": times}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--kernels", required=True, help="the folder that build_kernels wrote to")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.5, help="about how long to measure a case, all runners together")
    parser.add_argument("--caches", default="warm", help="warm, cold or warm,cold")
    parser.add_argument("--default", action="store_true", help="the default schedule's kernels, too")
    parser.add_argument(
        "--thread-time", action="store_true", help="the calling thread's time on a processor: for busy machines, one thread"
    )
    options = parser.parse_args()
    if options.thread_time:
        global clock
        clock = time.thread_time
    runtime = lathe_kernels.Runtime(options.runtime)
    runtime.set_threads(options.threads)
    peers.set_threads(options.threads)
    swept = np.zeros(sweep_bytes() // 8) if "cold" in options.caches else None
    for line in sys.stdin:
        try:
            session = Session(runtime, options.kernels, json.loads(line), options.default)
            answer = {"figures": list(figures_of(session, options, swept))}
        except Exception as error:  # noqa: BLE001: said, and the next case is measured
            answer = {"failed": f"{type(error).__name__}: {error}"}
        session = None
        gc.collect()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
