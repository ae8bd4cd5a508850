"""The per-layer table of bench/networks: what each step of a network does, how long it takes, and
how long it would take at the machine's ceilings.

A step cannot be faster than its multiplications at the highest rate of multiply-adds, nor than its
bytes at the highest rate of the memory that they come from (the roofline of Williams, Waterman and
Patterson, 2009). What it takes beyond the longer of both is lost.
"""

import os

import ceilings
import network_models
from network_process import Peer


def sum_of(step, *names):
    """The sum of these figures of a step over all its rounds in a run."""
    return step.get("times", 1) * sum(step.get(name, 0) for name in names)


def moved_bytes(step):
    """All that a step reads and writes. What a recurrent layer reads again in each of its steps of
    time counts each time."""
    return sum_of(step, "weight_bytes", "read_bytes", "written_bytes") + step["times"] * step.get("again_bytes", 0) * step.get("again_times", 0)


def complete(step, time, ceiling, weights_from_memory):
    """Adds to a step that takes `time` ms the least time that it could take, what limits it, its
    rates, and the time that is lost."""
    flop, size = sum_of(step, "flop"), moved_bytes(step)
    adding = ceilings.operations_ms(ceiling, flop * step.get("winograd", 1), step.get("kind", "float32"))
    moving = ceilings.bytes_ms(ceiling, sum_of(step, "weight_bytes"), weights_from_memory)
    moving += ceilings.bytes_ms(ceiling, sum_of(step, "read_bytes", "written_bytes"))
    moving += step["times"] * step.get("again_times", 0) * ceilings.bytes_ms(ceiling, step.get("again_bytes", 0))
    least = max(adding, moving)
    return {
        **step,
        "ms": time,
        "roofline_ms": least,
        "limit": "" if not least else "FLOP" if adding > moving else "bytes",
        "share": least / time if time else 0,
        "lost_ms": time - least,
        "total_flop": flop,
        "total_bytes": size,
        "gflops": flop / time / 1e6 if time else 0,
        "gbs": size / time / 1e6 if time else 0,
    }


def layers_of(options, name, batch, threads, ceiling, folder):
    """The table of one network, as it goes into the JSON; or {"failed": why there is none}."""
    figures = {"network": name, "batch": batch, "threads": threads}
    try:
        path = network_models.write(name, batch, options.data, os.path.join(folder, "models"))
    except FileNotFoundError as error:
        return {**figures, "failed": f"{error.filename} is not there: --data=FOLDER or LATHE_TEST_DATA names the folder of models"}
    cache = os.path.join(folder, "cache")
    os.makedirs(cache, mode=0o700, exist_ok=True)
    with Peer("lathe", threads, options, folder, cache) as peer:
        said = peer.ask(steps=path, seconds=options.seconds)
    if "failed" in said:
        return {**figures, "failed": said["failed"]}
    weights = sum(sum_of(step, "weight_bytes") for step in said["steps"])
    from_memory = weights >= ceilings.BEYOND_CACHES
    times = [step["min_ms" if options.least else "median_ms"] for step in said["steps"]]
    steps = [complete(*one, ceiling, from_memory) for one in zip(said["steps"], times)]
    run_ms = said["run_min_ms" if options.least else "run_median_ms"]
    flops = sum(step["total_flop"] for step in steps)
    figures["total_bytes"] = sum(step["total_bytes"] for step in steps)
    figures["gbs"] = figures["total_bytes"] / run_ms / 1e6
    kinds = {step["kind"] for step in steps if step.get("flop")}
    figures.update(said, steps=steps, ceiling=ceiling, weight_bytes=weights, plan_flop=flops)
    figures.update(run_ms=run_ms, least=options.least)
    figures["steps_ms"] = sum(step["ms"] for step in steps)
    figures["roofline_ms"] = sum(step["roofline_ms"] for step in steps)
    figures["share_of_roofline"] = figures["roofline_ms"] / run_ms
    figures["gflops"] = said["model_flop"] / run_ms / 1e6
    if kinds == {"float32"}:
        figures["share_of_fma"] = figures["gflops"] / ceiling["float32_gflops"]
    return figures


def operators_text(step, width):
    """The operators of a step, the first one with the extents of its window: "conv2d_nchwc 3x3 +
    add + relu"."""
    shown, last = [], 0
    for operator in step["operators"]:
        if shown and shown[last] == operator:  # a chain of equal operators is shown once
            continue
        shown.append(operator)
        last = len(shown) - 1
    text = " + ".join(shown)
    return text if len(text) <= width else text[: width - 3] + "..."


def result_text(step):
    return " ".join("x".join(map(str, shape)) or "scalar" for shape in step.get("result", []))


def line_of(step):
    gflops = f"{step['gflops']:8.1f}{'w' if step.get('winograd', 1) < 1 else ' '}" if step["total_flop"] else f"{'-':>8s} "
    return (
        f"{step['step']:>5} {step['ms']:9.4f} {step['roofline_ms']:9.4f} {100 * step['share']:4.0f} % {step['lost_ms']:8.4f} "
        f"{step['limit']:>5s} {step['total_flop'] / 1e6:9.2f} {gflops}{step['total_bytes'] / 1e6:8.3f} {step['gbs']:7.1f}  "
        f"{result_text(step):20s} {operators_text(step, 70)}"
    )


def by_kernel(steps):
    """The steps of each kernel added up; instead of a number they have how many there are."""
    found = {}
    for step in steps:
        found.setdefault(step["kernel"] or f"step {step['step']}", []).append(step)
    merged = []
    for group in found.values():
        names = ("ms", "roofline_ms", "lost_ms", "total_flop", "total_bytes")
        row = {**group[0], "step": f"{len(group)} x", **{name: sum(step[name] for step in group) for name in names}}
        row["share"] = row["roofline_ms"] / row["ms"]
        row["gflops"], row["gbs"] = row["total_flop"] / row["ms"] / 1e6, row["total_bytes"] / row["ms"] / 1e6
        merged.append(row)
    return merged


def kinds_table(steps):
    """The steps added up by their first operator that multiplies, or their first one."""
    rows = {}
    for step in steps:
        names = [one.split()[0] for one in step["operators"]]
        name = next((n for n in names if any(w in n for w in ("conv", "dense", "matmul", "lstm", "gru", "rnn"))), names[0])
        row = rows.setdefault(name, [0, 0.0, 0.0])
        row[0] += 1
        row[1] += step["ms"]
        row[2] += step["roofline_ms"]
    total = sum(row[1] for row in rows.values())
    lines = [f"  {'steps':>5s} {'ms':>9s} {'of all':>7s} {'roofline':>9s} {'lost':>9s}"]
    for name, (count, time, least) in sorted(rows.items(), key=lambda item: item[1][2] - item[1][1]):
        lines.append(f"  {count:5d} {time:9.3f} {100 * time / total:5.1f} % {least:9.3f} {time - least:9.3f}  {name}")
    return "\n".join(lines)


def table(f, order, rows):
    """The table as text, of `rows` lines at most, 0 for all. `order` is "lost" (the most lost time
    first), "plan", or "kernel" (the steps of each kernel added up, the most lost time first)."""
    title = f"{f['network']}, batch {f['batch']}, {f['threads']} thread{'s' if f['threads'] > 1 else ''}"
    if "failed" in f:
        return f"\n{title}\nFAILED: {f['failed']}"
    steps = f["steps"] if order == "plan" else sorted(f["steps"], key=lambda s: -s["lost_ms"])
    if order == "kernel":
        steps = sorted(by_kernel(steps), key=lambda s: -s["lost_ms"])
    shown = steps[:rows] if rows else steps
    lines = [
        f"\n{title}: {len(f['steps'])} steps, {'least times' if f['least'] else 'medians'} of {f['runs']} runs",
        f" step        ms  roofline  share     lost limit     MFLOP  GFLOP/s       MB    GB/s  {'result':20s} operators",
        *map(line_of, shown),
    ]
    if len(shown) < len(steps):
        left = steps[len(shown) :]
        time, least = sum(s["ms"] for s in left), sum(s["roofline_ms"] for s in left)
        lines.append(f"      {time:9.4f} {least:9.4f} {100 * least / time:4.0f} % {time - least:8.4f}  the other {len(left)} {'kernels' if order == 'kernel' else 'steps'}")
    share = f["roofline_ms"] / f["steps_ms"]
    lines.append(f"  all {f['steps_ms']:9.4f} {f['roofline_ms']:9.4f} {100 * share:4.0f} % {f['steps_ms'] - f['roofline_ms']:8.4f}")
    lines += ["", kinds_table(f["steps"]), ""]
    lines.append(f"a run as a whole: {f['run_median_ms']:.3f} ms (least {f['run_min_ms']:.3f}), {100 * f['share_of_roofline']:.0f} % of the roofline")
    model, plan = f["model_flop"] / 1e9, f["plan_flop"] / 1e9
    filled = f" ({plan:.3f} with channels that fill up blocks)" if abs(plan - model) > 0.001 * model else ""
    fma = ""
    if "share_of_fma" in f:
        alone = f["share_of_fma"] * f["run_ms"] / f["steps_ms"]
        fma = f", {100 * f['share_of_fma']:.1f} % of the ceiling of multiply-adds (the steps alone: {100 * alone:.1f} %)"
    lines.append(f"the model has {model:.3f} GFLOP{filled}: {f['gflops']:.1f} GFLOP/s{fma}")
    lines.append(f"weights {f['weight_bytes'] / 1e6:.1f} MB; all steps read and write {f['total_bytes'] / 1e6:.1f} MB, {f['gbs']:.1f} GB/s")
    faster = [s for s in f["steps"] if s["share"] > 1.05]
    if faster:
        lines.append(
            f"faster than the ceilings allow: {', '.join(str(s['step']) for s in faster)}; the machine was busy when these were "
            "measured, or the step's operands were in a nearer cache than supposed"
        )
    if any(s.get("winograd", 1) < 1 for s in f["steps"]):
        lines.append("w: by Winograd's algorithm, which multiplies less; FLOP are those of the convolution, the roofline is that of Winograd's")
    return "\n".join(lines)
