"""The table of bench/networks: writes the models, runs each peer in a process of its own, by turns, and reports."""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import network_models
import numpy as np
import picture

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = {"onnxruntime": "ONNX R.", "openvino": "OpenVINO", "pytorch": "PyTorch", "compile": "compiled"}
BLOCK = 4  # runs in a turn, after one that is not counted
FEWEST = 12  # runs of each
APART = {"mobilenet_v2_int8": 0.1}  # allowed differences of results, as a share of the largest


def parse():
    parser = argparse.ArgumentParser(prog="bench/networks", add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--site", required=True)
    parser.add_argument("--threads", default="")
    parser.add_argument("--batch", default="1")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--data", default=os.environ.get("LATHE_TEST_DATA", ""))
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--records", action="store_true")
    parser.add_argument("--thread-time", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    options.peers = [name for name in options.peers.split(",") if name]
    for name in options.peers:
        if name not in PEERS:
            sys.exit(f"bench/networks: there is no peer `{name}`; there are {', '.join(PEERS)}")
    return options


class Peer:
    """A worker, and what it said last."""

    def __init__(self, name, threads, options, cache):
        self.name = name
        command = [sys.executable, os.path.join(HERE, "network_worker.py"), f"--peer={name}", f"--threads={threads}"]
        command += ["--thread-time"] if options.thread_time and threads == 1 else []
        command += ["--records"] if options.records and name == "lathe" else []
        many = dict.fromkeys(("OMP_NUM_THREADS", "LATHE_NUM_THREADS"), str(threads))
        environment = dict(os.environ, PYTHONPATH=options.site, LATHE_CACHE_DIR=cache, **many)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, **request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else {"failed": f"its process ended with {self.process.wait()}"}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def difference(ours, theirs):
    """The largest difference of any result, as a share of that result's largest element; infinity for other shapes, and
    for elements that are no numbers."""
    largest = 0.0
    for a, b in zip(ours.values(), theirs.values(), strict=True):
        if a.shape != b.shape or not np.isfinite(a).all() or not np.isfinite(b).all():
            return float("inf")
        largest = max(largest, float(np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-30)))
    return largest


def load(name, peer, path, folder):
    results = os.path.join(folder, f"{name}.npz")
    said = peer.ask(load=path, results=results)
    if "failed" not in said:
        said["results"] = dict(np.load(results))
    return said


def measure(peers, seconds):
    """Runs the peers by turns: {name: times}. Raises RuntimeError if the process of one ends."""
    def timed(name, **request):
        answer = peers[name].ask(**request)
        if "times" not in answer:
            raise RuntimeError(f"{name}: {answer['failed']}")
        return answer["times"]

    once = {name: sum(timed(name, warm=2, runs=1)) / 1e3 for name in peers}
    rounds = int(max(seconds / (sum(once.values()) * (BLOCK + 1)), -(-FEWEST // BLOCK)))
    times = {name: [] for name in peers}
    for turn in range(min(rounds, 50)):
        names = list(peers)
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            time.sleep(0.02)  # the pool of the one before stops spinning
            times[name] += timed(name, warm=1, runs=BLOCK)
    return times


def network(options, name, batch, threads, folder):
    """The figures of one network, or why there are none."""
    figures = {"network": name, "batch": batch, "threads": threads}
    try:
        path = network_models.write(name, batch, options.data, os.path.join(folder, "models"))
    except FileNotFoundError as error:
        return {**figures, "failed": f"{error.filename} is not there: --data=FOLDER or LATHE_TEST_DATA names the folder of models"}
    cache = os.path.join(folder, f"cache_{name}_{batch}_{threads}")
    os.makedirs(cache, mode=0o700, exist_ok=True)
    peers, said = {}, {}
    try:
        for peer in ("lathe", *options.peers):
            peers[peer] = Peer(peer, threads, options, cache)
            said[peer] = load(peer, peers[peer], path, folder)
            if "failed" in said[peer]:
                print(f"  {name}: {peer} does not take part: {said[peer]['failed']}", file=sys.stderr, flush=True)
                peers.pop(peer).close()
        if "lathe" not in peers:
            return {**figures, "failed": said["lathe"]["failed"]}
        for peer in [p for p in peers if p != "lathe"]:
            error = difference(said["lathe"]["results"], said[peer]["results"])
            if not error < APART.get(name, 2e-3):
                return {**figures, "failed": f"our result differs from {peer}'s by {error:.3g} of its largest element"}
            figures[f"apart_{peer}"] = error
        # A second process finds the kernels in the cache.
        again = Peer("lathe", threads, options, cache)
        cached = load("cached", again, path, folder)
        again.close()
        times = measure(peers, options.seconds)
        figures["artefact_mb"] = peers["lathe"].ask(size=True).get("artefact_mb")
    except RuntimeError as error:
        return {**figures, "failed": str(error)}
    finally:
        for peer in peers.values():
            peer.close()
        shutil.rmtree(cache)
    figures["peers"] = {
        peer: {"min_ms": min(t), "median_ms": float(np.median(t)), "runs": len(t), **{k: said[peer][k] for k in ("load_ms", "first_ms", "peak_mb", "version")}}
        for peer, t in times.items()
    }
    figures["cached_ms"] = cached.get("load_ms")
    best = min((p for p in times if p != "lathe"), key=lambda p: figures["peers"][p]["median_ms"], default=None)
    figures["best"] = best
    if best:
        figures["ratio"] = figures["peers"][best]["median_ms"] / figures["peers"]["lathe"]["median_ms"]
    return figures


def row(f, peers):
    head = f"{f['network']:18s} {f['batch']:5d} {f['threads']:3d} "
    if "failed" in f:
        return head + f"FAILED: {f['failed']}"
    ours = f["peers"]["lathe"]
    cells = [f"{ours['min_ms']:9.2f} {ours['median_ms']:9.2f}"]
    cells += [f"{f['peers'][p]['median_ms']:9.2f}" if p in f["peers"] else f"{'-':>9s}" for p in peers]
    cells.append(f"{f['ratio']:6.2f}" if "ratio" in f else f"{'-':>6s}")
    cells.append(f"{ours['load_ms']:8.0f} {f['cached_ms'] or 0:7.0f} {ours['peak_mb']:6.0f}")
    cells.append(f"{f['peers'][f['best']]['peak_mb']:6.0f}" if f["best"] else f"{'-':>6s}")
    return head + " ".join(cells) + f" {f['artefact_mb'] or 0:8.1f}"


def header(peers):
    names = " ".join(f"{PEERS[p]:>9s}" for p in peers)
    units = " ".join(f"{'ms':>9s}" for _ in peers)
    return (
        f"{'network':18s} batch thr {'least':>9s} {'median':>9s} {names}  ratio  compile  cached   peak  best's artefact\n"
        f"{'':28s} {'ms':>9s} {'ms':>9s} {units} {'':6s} {'ms':>8s} {'ms':>7s} {'MB':>6s} {'MB':>6s} {'MB':>8s}"
    )


def main():
    options = parse()
    chosen = [n for n in network_models.NAMES if not options.names or any(n.startswith(p) for p in options.names)]
    if options.list:
        print("\n".join(network_models.NAMES))
        return
    if not chosen:
        sys.exit(f"bench/networks: no network begins with {' or '.join(options.names)}; `bench/networks --list` prints them all")
    threads = [int(n) for n in options.threads.split(",")] if options.threads else sorted({1, len(os.sched_getaffinity(0))})
    cases = [(name, int(batch), n) for batch in options.batch.split(",") for n in threads for name in chosen]
    print("machine:", platform.machine(), open("/proc/cpuinfo").read().split("model name\t: ")[-1].split("\n")[0], "with", os.cpu_count(), "cores; load average", open("/proc/loadavg").read().split()[0])
    print("records of searches:", "those that come with Lathe" if options.records else "none")
    print(f"\n{header(options.peers)}")
    began, figures = time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "models"))
        for number, (name, batch, n) in enumerate(cases):
            print(f"[{number + 1} of {len(cases)}, {time.monotonic() - began:.0f} s] {name}", file=sys.stderr, flush=True)
            figures.append(network(options, name, batch, n, folder))
            print(row(figures[-1], options.peers), flush=True)
    good = [f for f in figures if "ratio" in f]
    slower = [f for f in good if f["ratio"] < 1]
    print(f"\n{len(good)} figures, {len(good) - len(slower)} at least as fast as the best peer, {len(slower)} slower")
    print(f"{time.monotonic() - began:.0f} s; load average {open('/proc/loadavg').read().split()[0]}")
    if options.json:
        with open(options.json, "w") as file:
            file.writelines(json.dumps(f) + "\n" for f in figures)
    if options.svg:
        bars = [
            {"case": f["network"] + (f", batch {f['batch']}" if f["batch"] > 1 else ""), "threads": f["threads"], "caches": "warm", "ratio": f["ratio"],
             "ours_ms": f["peers"]["lathe"]["median_ms"], "peer": f["best"], "peer_ms": f["peers"][f["best"]]["median_ms"]}
            for f in good
        ]
        with open(options.svg, "w") as file:
            file.write(picture.ratios(bars))
    if any("failed" in f for f in figures):
        sys.exit(1)


if __name__ == "__main__":
    main()
