"""One network beside its peers: loads it in each, compares the results, times runs by turns; and
the tables of that."""

import os
import shutil
import sys
import time

import network_models
import numpy as np
from network_process import Peer

PEERS = {"onnxruntime": "ONNX R.", "openvino": "OpenVINO", "pytorch": "PyTorch", "compile": "compiled"}
BLOCK = 4  # runs in a turn, after one that is not counted
FEWEST = 12  # runs of each
# Allowed differences of results, as a share of the largest.
APART = {"mobilenet_v2_int8": 0.1}
APART_FLOATS, APART_BFLOAT16 = 2e-3, 0.1
LOADING = ("load_ms", "first_ms", "peak_mb")


def difference(ours, theirs):
    """The largest difference of any result, as a share of that result's largest element; infinity
    for other shapes, and for elements that are no numbers."""
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


def loaded_again(options, threads, path, ours, folder, cache):
    """How new processes load the network: compiled from the cache, and from a file that `ours`
    exports."""
    found = {}
    with Peer("lathe", threads, options, folder, cache) as again:
        found["cached"] = load("cached", again, path, folder)
    file = os.path.join(folder, "network.so")
    found["artefact"] = ours.ask(export=file)
    if "failed" not in found["artefact"]:
        with Peer("lathe", threads, options, folder, cache) as other:
            found["artefact"].update(other.ask(open=file, model=path))
    for how, said in found.items():
        if "failed" in said:
            raise RuntimeError(f"a new process could not load it ({how}): {said['failed']}")
    return {
        "cached_ms": found["cached"]["load_ms"],
        "cached_first_ms": found["cached"]["first_ms"],
        "artefact_mb": found["artefact"]["artefact_mb"],
        **{f"artefact_{key}": found["artefact"][key] for key in LOADING},
    }


def figures_of(options, name, batch, threads, folder):
    """The figures of one network, or {"failed": why there are none}."""
    figures = {"network": name, "batch": batch, "threads": threads}
    try:
        path = network_models.write(name, batch, options.data, os.path.join(folder, "models"))
    except FileNotFoundError as error:
        return {**figures, "failed": f"{error.filename} is not there: --data=FOLDER or LATHE_TEST_DATA names the folder of models"}
    cache = os.path.join(folder, "cache")
    os.makedirs(cache, mode=0o700)
    peers, said, unfinished = {}, {}, True
    try:
        for peer in ("lathe", *options.peers):
            peers[peer] = Peer(peer, threads, options, folder, cache)
            said[peer] = load(peer, peers[peer], path, folder)
            if "failed" in said[peer]:
                print(f"  {name}: {peer} does not take part: {said[peer]['failed']}", file=sys.stderr, flush=True)
                peers.pop(peer).close()
        if "lathe" not in peers:
            raise RuntimeError(said["lathe"]["failed"])
        for peer in [p for p in peers if p != "lathe"]:
            error = difference(said["lathe"]["results"], said[peer]["results"])
            if not error < APART.get(name, APART_BFLOAT16 if options.bfloat16 else APART_FLOATS):
                raise RuntimeError(f"our result differs from {peer}'s by {error:.3g} of its largest element")
            figures[f"apart_{peer}"] = error
        figures.update(loaded_again(options, threads, path, peers["lathe"], folder, cache))
        times = measure(peers, options.seconds)
        unfinished = False
    except RuntimeError as error:
        return {**figures, "failed": str(error)}
    finally:
        for peer in peers.values():
            peer.kill() if unfinished else peer.close()
        shutil.rmtree(cache)
    figures["peers"] = {
        peer: {"min_ms": min(t), "median_ms": float(np.median(t)), "runs": len(t), **{k: said[peer][k] for k in (*LOADING, "version")}}
        for peer, t in times.items()
    }
    best = min((p for p in times if p != "lathe"), key=lambda p: figures["peers"][p]["median_ms"], default=None)
    figures["best"] = best
    if best:
        figures["ratio"] = figures["peers"][best]["median_ms"] / figures["peers"]["lathe"]["median_ms"]
    return figures


def header(peers):
    names = " ".join(f"{PEERS[p]:>9s}" for p in peers)
    units = " ".join(f"{'ms':>9s}" for _ in peers)
    return (
        f"{'network':18s} batch thr {'least':>9s} {'median':>9s} {names}  ratio\n"
        f"{'':28s} {'ms':>9s} {'ms':>9s} {units}"
    )


def row(f, peers):
    """Times of runs: of ours the least and the median, of peers the median."""
    head = f"{f['network']:18s} {f['batch']:5d} {f['threads']:3d} "
    if "failed" in f:
        return head + f"FAILED: {f['failed']}"
    ours = f["peers"]["lathe"]
    cells = [f"{ours['min_ms']:9.2f} {ours['median_ms']:9.2f}"]
    cells += [f"{f['peers'][p]['median_ms']:9.2f}" if p in f["peers"] else f"{'-':>9s}" for p in peers]
    cells.append(f"{f['ratio']:6.2f}" if "ratio" in f else f"{'-':>6s}")
    return head + " ".join(cells)


def answer_ms(said):
    """From the model's file to the first answer."""
    return said["load_ms"] + said["first_ms"]


def loading_table(figures, peers):
    """Of each network: until the first answer in a new process, the most memory beyond what the
    process had before, and the size of the exported file."""
    good = [f for f in figures if "failed" not in f]
    names = [p for p in peers if any(p in f["peers"] for f in good)]
    columns = " ".join(f"{PEERS[p]:>9s}" for p in names)
    lines = [
        f"{'':28s} until the first answer, ms {'':{10 * len(names)}s}       most memory, MB",
        f"{'network':18s} batch thr {'compiling':>9s} {'cached':>7s} {'file':>7s} {columns} {'compiling':>9s} {'file':>7s} {columns} {'file MB':>8s}",
    ]
    for f in good:
        ours = f["peers"]["lathe"]
        cells = [f"{answer_ms(ours):9.0f} {f['cached_ms'] + f['cached_first_ms']:7.0f} {f['artefact_load_ms'] + f['artefact_first_ms']:7.1f}"]
        cells += [f"{answer_ms(f['peers'][p]):9.0f}" if p in f["peers"] else f"{'-':>9s}" for p in names]
        cells += [f"{ours['peak_mb']:9.0f} {f['artefact_peak_mb']:7.0f}"]
        cells += [f"{f['peers'][p]['peak_mb']:9.0f}" if p in f["peers"] else f"{'-':>9s}" for p in names]
        lines.append(f"{f['network']:18s} {f['batch']:5d} {f['threads']:3d} {' '.join(cells)} {f['artefact_mb']:8.1f}")
    return "\n".join(lines)


def title(f):
    return f"{f['network']}, batch {f['batch']}, on {f['threads']}"


def loading_summary(figures):
    """Which networks need more memory than ONNX Runtime, and the longest first answer."""
    good = [f for f in figures if "failed" not in f]
    lines, compared = [], [f for f in good if "onnxruntime" in f["peers"]]
    for what, of in (("compiling", lambda f: f["peers"]["lathe"]["peak_mb"]), ("loading a file", lambda f: f["artefact_peak_mb"])):
        over = [f for f in compared if of(f) > f["peers"]["onnxruntime"]["peak_mb"]]
        lines.append(f"{what} and a run: {len(compared) - len(over)} of {len(compared)} need at most ONNX Runtime's memory")
        lines += [f"  more: {title(f)}: {of(f):.0f} MB, ONNX Runtime {f['peers']['onnxruntime']['peak_mb']:.0f}" for f in over]
    if good:
        late = {title(f): f["artefact_load_ms"] + f["artefact_first_ms"] - f["peers"]["lathe"]["median_ms"] for f in good}
        worst = max(late, key=late.get)
        lines.append(f"first answer from a file: at most {late[worst]:.0f} ms later than a warm run ({worst})")
    return "\n".join(lines)
