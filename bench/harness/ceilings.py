"""What this machine can do at most, as bench/ceilings measures it, and the least time that work
takes on it."""

import json
import subprocess

# The others have that of float32.
PEAKS = {"int8": "int8_gops", "bfloat16": "bfloat16_gflops"}
BEYOND_CACHES = 32 << 20  # so many bytes come from memory each time


def measured_once(program, threads):
    lines = subprocess.run([program, *map(str, threads)], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()
    return {one["threads"]: one for one in map(json.loads, lines)}


def measure(program, threads):
    """{number of threads: what `program`, the binary of bench/ceilings, says of it}.

    A busy machine shows less than it can do, so this measures until the best figures stay the same,
    but for 2 %, or six times. Each time takes some seconds.
    """
    best, agreed = measured_once(program, threads), False
    for _ in range(5):
        if agreed:
            break
        agreed = True
        for number, ceiling in measured_once(program, threads).items():
            for name, figure in ceiling.items():
                if isinstance(figure, float):
                    agreed = agreed and abs(figure - best[number][name]) <= 0.02 * best[number][name]
                    best[number][name] = max(figure, best[number][name])
    return best


def text(ceiling):
    """A line for people."""
    return (
        f"ceiling: {ceiling['threads']} thread(s): float32 {ceiling['float32_gflops']} GFLOP/s; "
        f"int8 {ceiling['int8_gops']} GOP/s ({ceiling['int8_instruction']}); "
        f"bfloat16 {ceiling['bfloat16_gflops']} GFLOP/s ({ceiling['bfloat16_instruction']}); "
        f"memory {ceiling['memory_read']} GB/s read, {ceiling['memory_copy']} GB/s copied"
    )


def gflops(ceiling, kind):
    """The highest rate of operations on elements of a type, in billions a second."""
    # Without an instruction for the type, a product is made in float32, or at its speed.
    return ceiling[PEAKS.get(kind, "float32_gflops")] or ceiling["float32_gflops"]


def memory_gbs(ceiling):
    return max(ceiling["memory_read"], ceiling["memory_copy"])


def operations_ms(ceiling, operations, kind):
    """The least time of operations on registers."""
    return operations / gflops(ceiling, kind) / 1e6


def bytes_ms(ceiling, size, from_memory=False):
    """The least time in which `size` bytes are read or written: at the rate of the nearest cache
    that holds so many, or of memory for bytes that no cache holds or that are stated to come from
    there."""
    if from_memory or size >= BEYOND_CACHES:
        return size / memory_gbs(ceiling) / 1e6
    return size / (ceiling["l1_copy"] if size <= 16 << 10 else ceiling["l2_copy"]) / 1e6
