"""The table of bench/run: builds the kernels, measures ceilings, times each case in a process of its own, reports."""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile

import peers
import picture

HERE = os.path.dirname(os.path.abspath(__file__))


def parse():
    parser = argparse.ArgumentParser(prog="bench/run", add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--clang", help="folder of the pinned compiler, for plain loops as peers")
    parser.add_argument("--threads", default="")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--caches", default="warm", help="warm, cold or warm,cold")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def lines_of(command, **options):
    return [json.loads(line) for line in subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout.splitlines()]


def compile_plain_loops(clang, folder):
    """Plain C++ loops, compiled for this machine: the library's path, or None with a word about why."""
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


def ceiling_ms(case, ceiling):
    """The least time that this machine could take: arithmetic in registers, or each byte moved once."""
    if case["kind"] != "memory":
        peak = {"int8": "int8_gops", "bfloat16": "bfloat16_gflops"}.get(case["kind"], "float32_gflops")
        # Without an instruction for it a product is made in float32, or as fast as that.
        return case["operations"] / (ceiling[peak] or ceiling["float32_gflops"]) / 1e6
    # Beyond a few megabytes the arguments come from memory, each time.
    if case["bytes"] >= 32 << 20:
        return case["bytes"] / max(ceiling["memory_read"], ceiling["memory_copy"]) / 1e6
    return case["bytes"] / (ceiling["l1_copy"] if case["bytes"] <= 16 << 10 else ceiling["l2_copy"]) / 1e6


def figure(case, measured, ceiling):
    times = measured["times"]
    ours = times.pop("lathe")
    peer = min(times, key=lambda name: times[name]["min"], default=None)
    return {
        "case": case["case"],
        "threads": measured["threads"],
        "caches": "cold" if measured["cold"] else "warm",
        "ours_ms": ours["min"],
        "ours_median_ms": ours["median"],
        "peer": peer,
        "peer_ms": times[peer]["min"] if peer else None,
        "peer_median_ms": times[peer]["median"] if peer else None,
        "ratio": times[peer]["min"] / ours["min"] if peer else None,
        "ceiling_share": ceiling_ms(case, ceiling) / ours["min"],
        "runs": ours["runs"],
        "peers_ms": {name: t["min"] for name, t in times.items()},
        "error": measured["error"],
    }


def row(f):
    ratio = f"{f['ratio']:6.2f}" if f["ratio"] else "     -"
    peer = f"{f['peer_ms']:10.4f} {f['peer']:20s}" if f["peer"] else f"{'-':>10s} {'':20s}"
    return f"{f['case']:30s} {f['threads']:3d} {f['caches']} {f['ours_ms']:10.4f} {peer} {ratio}  {100 * f['ceiling_share']:5.0f} %"


def main():
    options = parse()
    build = os.path.join(options.bin, "bench/kernels/build_kernels")
    if options.list:
        subprocess.run([build, "--list"], check=True)
        return
    threads = [int(n) for n in options.threads.split(",")] if options.threads else sorted({1, os.cpu_count()})
    versions = peers.versions()
    print("machine:", platform.machine(), open("/proc/cpuinfo").read().split("model name\t: ")[-1].split("\n")[0], "with", os.cpu_count(), "cores")
    print("peers:  ", ", ".join(f"{k} {v}" for k, v in versions.items() if v != "not there"))
    ceilings = {c["threads"]: c for c in lines_of([os.path.join(options.bin, "bench/ceilings/ceilings"), *map(str, threads)])}
    for c in ceilings.values():
        print(f"ceiling: {c['threads']} thread(s): float32 {c['float32_gflops']} GFLOP/s; int8 {c['int8_gops']} GOP/s ({c['int8_instruction']}); bfloat16 {c['bfloat16_gflops']} GFLOP/s ({c['bfloat16_instruction']}); memory {c['memory_read']} GB/s read, {c['memory_copy']} GB/s copied")
    figures = []
    with tempfile.TemporaryDirectory() as folder:
        cases = lines_of([build, f"--out={folder}", *options.names])
        if not cases:
            sys.exit(f"bench/run: no case begins with {' or '.join(options.names)}; `bench/run --list` prints them all")
        plain_loops = compile_plain_loops(options.clang, folder)
        if plain_loops:
            os.environ["LATHE_BENCH_PLAIN_LOOPS"] = plain_loops
        print(f"\n{'case':30s} thr caches  ours ms    peer ms {'best peer':20s}  ratio  ceiling   (minimum of all runs)")
        for case in cases:
            for n, caches in ((n, caches) for n in threads for caches in options.caches.split(",")):
                command = [sys.executable, os.path.join(HERE, "measure.py"), f"--runtime={options.bin}/runtime/liblathe_runtime.so"]
                command += [f"--artefact={folder}/{case['case']}.so", f"--case={json.dumps(case)}", f"--threads={n}", f"--seconds={options.seconds}"]
                command += ["--cold"] if caches == "cold" else []
                environment = dict(os.environ, OMP_NUM_THREADS=str(n), OPENBLAS_NUM_THREADS=str(n), HL_NUM_THREADS=str(n))
                result = subprocess.run(command, text=True, capture_output=True, env=environment)
                if result.returncode != 0:
                    print(f"{case['case']:30s} {n:3d} {caches} FAILED: {result.stderr.strip().splitlines()[-1]}")
                    figures.append({"case": case["case"], "threads": n, "caches": caches, "failed": result.stderr.strip().splitlines()[-1]})
                    continue
                if result.stderr.strip():
                    print("  " + "\n  ".join(line for line in result.stderr.strip().splitlines() if "does not take part" in line), file=sys.stderr)
                figures.append(figure(case, json.loads(result.stdout), ceilings[n]))
                print(row(figures[-1]), flush=True)
    good = [f for f in figures if f.get("ratio")]
    slower = [f for f in good if f["ratio"] < 1]
    print(f"\n{len(good)} figures: {len(good) - len(slower)} at least as fast as the best peer, {len(slower)} slower" + "".join(f"\n  slower: {f['case']} on {f['threads']}: {f['ratio']:.2f}" for f in slower))
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
