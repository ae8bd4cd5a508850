"""bench/networks: whole networks beside their peers (compare_networks.py), or step by step beside
the machine's ceilings (layers.py). Writes the models, goes through the cases, prints tables, writes
JSON and a picture."""

import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time

import ceilings
import compare_networks
import layers
import network_models
import network_picture
import roofline_picture

PEERS = compare_networks.PEERS


def parse():
    parser = argparse.ArgumentParser(prog="bench/networks", add_help=False)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--site", required=True)
    parser.add_argument("--ceilings", help="the binary of bench/ceilings, for --layers")
    parser.add_argument("--threads", default="")
    parser.add_argument("--batch", default="1")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--data", default=os.environ.get("LATHE_TEST_DATA", ""))
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("--order", default="lost", choices=("lost", "plan", "kernel"))
    parser.add_argument("--least", action="store_true")
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--opt-level", type=int, default=3, choices=range(4))
    parser.add_argument("--disable", default="")
    parser.add_argument("--bfloat16", action="store_true")
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
    options.threads = numbers("--threads", options.threads) or sorted({1, len(os.sched_getaffinity(0))})
    options.batch = numbers("--batch", options.batch) or [1]
    for name in options.names:
        if not any(one.startswith(name) for one in network_models.NAMES):
            sys.exit(f"bench/networks: no network begins with `{name}`; `bench/networks --list` prints them all")
    options.chosen = [n for n in network_models.NAMES if not options.names or any(n.startswith(p) for p in options.names)]
    if options.layers and not (options.ceilings and os.path.exists(options.ceilings)):
        sys.exit(
            f"bench/networks: --layers needs the binary of bench/ceilings, found {options.ceilings or 'none'}; "
            "`bazel build //bench/ceilings` makes it, and --ceilings=FILE names it"
        )
    return options


def numbers(option, text):
    """"1,2" as a list."""
    try:
        found = [int(part) for part in text.split(",") if part]
    except ValueError:
        found = [0]
    if any(number < 1 for number in found):
        sys.exit(f"bench/networks: {option} takes numbers above 0 with commas between them, for example {option}=1,2; found `{text}`")
    return found


def load_average():
    return open("/proc/loadavg").read().split()[0]


def machine():
    model = open("/proc/cpuinfo").read().split("model name\t: ")[-1].split("\n")[0]
    return f"{platform.machine()} {model} with {os.cpu_count()} cores"


class Progress:
    """Says on standard error which case is measured, and about how long the others will take."""

    def __init__(self, cases):
        self.cases, self.done, self.began = cases, 0, time.monotonic()

    def next(self, name, batch, threads):
        spent = time.monotonic() - self.began
        left = f", some {max(spent / self.done * (self.cases - self.done) / 60, 1):.0f} min left" if self.done else ""
        self.done += 1
        print(f"[{self.done} of {self.cases}, {spent:.0f} s{left}] {name}, batch {batch}, threads {threads}", file=sys.stderr, flush=True)

    def seconds(self):
        return time.monotonic() - self.began


def measured(options, progress, limits, figures):
    """Measures all cases, prints each as it is done, and adds it to `figures`."""
    with tempfile.TemporaryDirectory(prefix="lathe_networks_") as folder:
        for batch in options.batch:
            os.mkdir(os.path.join(folder, "models"))
            for threads in options.threads:
                for name in options.chosen:
                    progress.next(name, batch, threads)
                    if options.layers:
                        figures.append(layers.layers_of(options, name, batch, threads, limits[threads], folder))
                        print(layers.table(figures[-1], options.order, options.rows), flush=True)
                    else:
                        figures.append(compare_networks.figures_of(options, name, batch, threads, folder))
                        print(compare_networks.row(figures[-1], options.peers), flush=True)
            shutil.rmtree(os.path.join(folder, "models"))


def summary(options, figures):
    if options.layers:
        return
    print(f"\n{compare_networks.loading_table(figures, options.peers)}")
    ratios = [f["ratio"] for f in figures if "ratio" in f]
    slower = [f for f in figures if f.get("ratio", 1) < 1]
    print(f"\n{len(ratios)} figures, {len(ratios) - len(slower)} at least as fast as the best peer, {len(slower)} slower")
    for f in slower:
        print(f"  slower: {compare_networks.title(f)}: {f['ratio']:.2f} of {PEERS[f['best']]}")
    print(compare_networks.loading_summary(figures))


def write_files(options, figures, about):
    if options.json:
        with open(options.json, "w") as file:
            file.writelines(json.dumps({**f, **about}) + "\n" for f in figures)
    if options.svg:
        draw = roofline_picture.rooflines if options.layers else network_picture.ratios
        with open(options.svg, "w") as file:
            file.write(draw([f for f in figures if "failed" not in f], about["machine"]))


def main():
    options = parse()
    if options.list:
        print("\n".join(network_models.NAMES))
        return 0
    # Ends as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    about = {"machine": machine(), "records": options.records, "opt_level": options.opt_level, "disabled": options.disable, "bfloat16": options.bfloat16, "when": time.strftime("%Y-%m-%d %H:%M")}
    print(f"machine: {about['machine']}; load average {load_average()}")
    print("records of searches:", "those that come with Lathe" if options.records else "none")
    if options.opt_level != 3:
        print("level of optimization:", options.opt_level)
    if options.bfloat16:
        print("products of bfloat16, sums in float32")
    if options.disable:
        print("passes that are left out:", options.disable)
    figures, limits, interrupted = [], {}, False
    progress = Progress(len(options.batch) * len(options.threads) * len(options.chosen))
    try:
        if options.layers:
            print("measuring the machine's ceilings ...", file=sys.stderr, flush=True)
            limits = ceilings.measure(options.ceilings, options.threads)
            print("\n".join(map(ceilings.text, limits.values())))
        else:
            print(f"\n{compare_networks.header(options.peers)}")
        measured(options, progress, limits, figures)
    except KeyboardInterrupt:
        interrupted = True
        print("bench/networks: interrupted; what follows is of the networks before", file=sys.stderr)
    summary(options, figures)
    print(f"\n{progress.seconds():.0f} s; load average {load_average()}")
    write_files(options, figures, about)
    return 130 if interrupted else int(any("failed" in f for f in figures))


if __name__ == "__main__":
    sys.exit(main())
