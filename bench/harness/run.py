"""The table of bench/run: builds the kernels, measures ceilings, times each case in a process of its own, reports."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

import ceilings
import peers
import picture

HERE = os.path.dirname(os.path.abspath(__file__))


def parse():
    parser = argparse.ArgumentParser(prog="bench/run", add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--clang", help="folder of the pinned compiler, for plain loops as peers")
    parser.add_argument("--threads", default="")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--caches", default="warm,cold", help="warm, cold or warm,cold")
    parser.add_argument("--no-default", action="store_true")
    parser.add_argument("--thread-time", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def lines_of(command, **options):
    return [json.loads(line) for line in subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout.splitlines()]


def compile_plain_loops(clang, folder):
    """Plain C++ loops, compiled for this machine: the library's path, or None (the reason is printed)."""
    library = os.path.join(folder, "plain_loops.so")
    tools = os.path.join(clang or "", "usr/lib/llvm-19/bin")
    command = [f"{tools}/clang++", "-O3", "-march=native", "-ffreestanding", "-fno-exceptions", "-fPIC", "-shared", "-nostdlib"]
    command += [f"-fuse-ld={tools}/ld.lld", "-Wl,-z,undefs", os.path.join(HERE, "plain_loops.cc"), "-o", library]
    paths = ":".join(os.path.join(clang or "", p) for p in ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"))
    try:
        subprocess.run(command, check=True, env=dict(os.environ, LD_LIBRARY_PATH=paths))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"bench/run: no plain loops as peers: {error}", file=sys.stderr)
        return None
    return library


def ceiling_ms(case, ceiling, caches):
    """The least time that this machine could take: arithmetic in registers, or each byte moved once."""
    if case["kind"] != "memory":
        return ceilings.operations_ms(ceiling, case["operations"], case["kind"])
    return ceilings.bytes_ms(ceiling, case["bytes"], from_memory=caches == "cold")


class Worker:
    """measure.py for one number of threads; started again after a crash."""

    def __init__(self, options, kernels, threads):
        self.command = [sys.executable, os.path.join(HERE, "measure.py"), f"--runtime={options.bin}/runtime/liblathe_runtime.so"]
        self.command += [f"--kernels={kernels}", f"--threads={threads}", f"--seconds={options.seconds}", f"--caches={options.caches}"]
        self.command += [] if options.no_default else ["--default"]
        self.command += ["--thread-time"] if options.thread_time and threads == 1 else []
        self.environment = dict(os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "HL_NUM_THREADS"), str(threads)))
        self.process = None

    def ask(self, case):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment)
        try:
            self.process.stdin.write(json.dumps(case) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return json.loads(answer)
        status, self.process = self.process.wait(), None
        return {"failed": f"the worker ended with {status}"}

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def figure(case, measured, ceiling):
    times = dict(measured["times"])
    ours, default = times.pop("lathe"), times.pop("lathe default", None)
    peer = min(times, key=lambda name: times[name]["min"], default=None)
    return {
        "case": case["case"],
        "threads": measured["threads"],
        "caches": measured["caches"],
        "ours_ms": ours["min"],
        "ours_median_ms": ours["median"],
        "peer": peer,
        "peer_ms": times[peer]["min"] if peer else None,
        "peer_median_ms": times[peer]["median"] if peer else None,
        "ratio": times[peer]["min"] / ours["min"] if peer else None,
        "ceiling_share": ceiling_ms(case, ceiling, measured["caches"]) / ours["min"],
        "default_ms": default["min"] if default else None,
        "default_over_hand": default["min"] / ours["min"] if default else None,
        "default_limit": case.get("default_limit") if default else None,
        "runs": ours["runs"],
        "compile_ms": case["compile_ms"],
        "peers_ms": {name: t["min"] for name, t in times.items()},
        "error": measured["error"],
    }


def row(f):
    ratio = f"{f['ratio']:6.2f}" if f["ratio"] else "     -"
    peer = f"{f['peer_ms']:10.4f} {f['peer']:20s}" if f["peer"] else f"{'-':>10s} {'':20s}"
    default = f"{f['default_over_hand']:7.2f}{'!' if f['default_over_hand'] > f['default_limit'] else ' '}" if f["default_ms"] else "      - "
    return f"{f['case']:30s} {f['threads']:3d} {f['caches']} {f['ours_ms']:10.4f} {peer} {ratio}  {100 * f['ceiling_share']:5.0f} % {default}"


def goal_of(case):
    """(required ratio, goal, share of memory's ceiling that is enough instead)."""
    name = case.split("_")[0]
    size = case.rsplit("_", 1)[-1]
    if name == "gemm":
        return 0.9, (1.0 if case in ("gemm_512", "gemm_1024", "gemm_2048") or "batch" in case else 0.9), None
    if case.startswith("blurs_3_unfused"):
        return None, None, None
    if name in ("softmax", "layer", "gelu", "exp", "tanh", "sigmoid"):
        return (0.9, None, 0.95) if size == "64MB" else (0.9, 1.5, None)
    if name in ("sum", "max", "argmax", "transpose", "concat"):
        return 0.9, 1.0, 0.9
    return 0.9, 1.0, None


def falls_short(f):
    """How a figure misses its goal; empty if it does not. Goals are for warm caches."""
    required, goal, share = goal_of(f["case"])
    if share is not None and f["ceiling_share"] >= share:
        return ""
    if required is not None and f["ratio"] < required:
        return f"{f['ratio']:.2f} of the best peer, required {required}"
    if goal is not None and f["ratio"] < goal:
        return f"{f['ratio']:.2f} of the best peer, the goal is {goal}" + (f" or {share:.0%} of memory's ceiling ({f['ceiling_share']:.0%})" if share else "")
    if goal is None and share is not None:
        return f"{f['ceiling_share']:.0%} of memory's ceiling, the goal is {share:.0%} ({f['ratio']:.2f} of the best peer)"
    return ""


def summary(figures):
    good = [f for f in figures if f.get("ratio")]
    for caches in sorted({f["caches"] for f in good}, reverse=True):
        some = [f for f in good if f["caches"] == caches]
        slower = [f for f in some if f["ratio"] < 1]
        print(f"\n{caches} caches: {len(some)} figures, {len(some) - len(slower)} at least as fast as the best peer, {len(slower)} slower")
        for f in slower:
            print(f"  slower: {f['case']} on {f['threads']}: {f['ratio']:.2f}")
    print("\ngoals not reached, warm caches:")
    short = [(f, falls_short(f)) for f in good if f["caches"] == "warm"]
    for f, lack in short:
        if lack:
            print(f"  {f['case']} on {f['threads']}: {lack}")
    if not any(lack for _, lack in short):
        print("  none")
    over = [f for f in figures if f.get("default_ms") and f["caches"] == "warm" and f["default_over_hand"] > f["default_limit"]]
    compared = [f for f in figures if f.get("default_ms") and f["caches"] == "warm"]
    if compared:
        print(f"\ndefault schedules: {len(compared) - len(over)} of {len(compared)} within their limit of the hand schedule's time")
        for f in over:
            print(f"  over: {f['case']} on {f['threads']}: {f['default_over_hand']:.2f} times, limit {f['default_limit']:g}")
    at = {(f["case"], f["threads"], f["caches"]): f["ours_ms"] for f in figures if "ours_ms" in f}
    for (case, threads, caches), ms in at.items():
        unfused = at.get((case.replace("blurs_3_", "blurs_3_unfused_"), threads, caches))
        if case.startswith("blurs_3_") and "unfused" not in case and unfused:
            print(f"blurs with sliding windows, {threads} thread(s), {caches}: {unfused / ms:.2f} times as fast as unfused (goal 2)")


def main():
    options = parse()
    build = os.path.join(options.bin, "bench/kernels/build_kernels")
    if options.list:
        subprocess.run([build, "--list"], check=True)
        return
    began = time.monotonic()
    threads = [int(n) for n in options.threads.split(",")] if options.threads else sorted({1, len(os.sched_getaffinity(0))})
    versions = peers.versions()
    print("machine:", platform.machine(), open("/proc/cpuinfo").read().split("model name\t: ")[-1].split("\n")[0], "with", os.cpu_count(), "cores; load average", open("/proc/loadavg").read().split()[0])
    print("features:", ", ".join(sorted(f for f in open("/proc/cpuinfo").read().split("flags", 1)[-1].split("\n", 1)[0].split() if f.startswith(("avx", "amx", "fma", "sse4")))))
    print("peers:  ", ", ".join(f"{k} {v}" for k, v in versions.items() if v != "not there"))
    ceiling = ceilings.measure(os.path.join(options.bin, "bench/ceilings/ceilings"), threads)
    for one in ceiling.values():
        print(ceilings.text(one))
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        print("compiling the kernels ...", file=sys.stderr, flush=True)
        cases = lines_of([build, f"--out={folder}", *options.names])
        if not cases:
            sys.exit(f"bench/run: no case begins with {' or '.join(options.names)}; `bench/run --list` prints them all")
        plain_loops = compile_plain_loops(options.clang, folder)
        if plain_loops:
            os.environ["LATHE_BENCH_PLAIN_LOOPS"] = plain_loops
        print(f"\n{'case':30s} thr caches  ours ms    peer ms {'best peer':20s}  ratio  ceiling  default / hand   (minimum of all runs)")
        workers = {n: Worker(options, folder, n) for n in threads}
        for number, case in enumerate(cases):
            spent = time.monotonic() - began
            print(f"[{number + 1} of {len(cases)}, {spent:.0f} s] {case['case']}", file=sys.stderr, flush=True)
            for n, worker in workers.items():
                answer = worker.ask(case)
                if "failed" in answer:
                    print(f"{case['case']:30s} {n:3d} FAILED: {answer['failed']}", flush=True)
                    figures += [{"case": case["case"], "threads": n, "caches": caches, "failed": answer["failed"]} for caches in options.caches.split(",")]
                for measured in answer.get("figures", ()):
                    figures.append(figure(case, measured, ceiling[n]))
                    print(row(figures[-1]), flush=True)
        for worker in workers.values():
            worker.close()
    summary(figures)
    print(f"\n{time.monotonic() - began:.0f} s; load average {open('/proc/loadavg').read().split()[0]}")
    good = [f for f in figures if f.get("ratio")]
    if options.json:
        with open(options.json, "w") as file:
            file.writelines(json.dumps(f) + "\n" for f in figures)
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(picture.ratios(good))
    if any("failed" in f for f in figures):
        sys.exit(1)


if __name__ == "__main__":
    main()
