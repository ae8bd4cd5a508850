#!/usr/bin/env python3
"""MobileNet's block (expand 1x1, depthwise 3x3, project 1x1, residual sum) in one nest and in three.

All tensors are [channels / 16, height, width, 16]; where 16 does not divide the channels, the last block of the
input and of the result is only partly used. ReLU6 follows the first two convolutions. Stride 1.

The variants; all but `default` are made by primitives of the schedule alone:
  three    three kernels. The first one stores its result with a frame of zeros for the depthwise.
  default  the three convolutions as one function, without a schedule.
  rows     one nest, row by row. The expanded tensor is kept as a window of three rows (rolling_buffer), and so
           are its sums.
  nested   the same with the sums attached to tiles of the window.
  strips   one nest, in strips of rows without a window: two rows more than the strip are expanded.
  blocks   one nest, in strips, and in these a few blocks of expanded channels at a time: the project accumulates.

Tiles are the fastest of a few for each variant, measured on the spot (--search prints all of them). Weights are
cold: calls take turns with several copies. Run on one thread with LATHE_NUM_THREADS=1.
"""

import argparse
import itertools
import math
import statistics
import time

import numpy as np

import lathe
from lathe import te, tir

from chained_stage import peak_gflops

LANES = 16
SHAPES = {"56x56": (56, 24, 144), "14x14": (14, 64, 384), "28x28": (28, 32, 192)}


def relu6(value):
    return tir.min(tir.max(value, 0.0), 6.0)


class Block:
    """What is computed."""

    def __init__(self, size, channels, expanded):
        self.size, self.channels, self.expanded = size, channels, expanded
        self.blocks, self.wide = -(-channels // LANES), expanded // LANES

    @property
    def operations(self):
        """Without those for the unused part of the last block."""
        return 2 * self.size ** 2 * self.expanded * (2 * self.channels + 9)

    def narrow_shape(self):
        return (self.blocks, self.size, self.size, LANES)

    def wide_shape(self, frame=False):
        return (self.wide, self.size + 2 * frame, self.size + 2 * frame, LANES)

    def parameters(self):
        """Names and shapes, in the order of arguments."""
        return {"expand_w": (self.wide, self.channels, LANES), "expand_b": (self.wide, LANES),
                "depth_w": (self.wide, 3, 3, LANES), "depth_b": (self.wide, LANES),
                "project_w": (self.blocks, self.expanded, LANES), "project_b": (self.blocks, LANES)}

    def placeholders(self):
        return {name: te.placeholder(shape, name=name) for name, shape in self.parameters().items()}

    def expand(self, x, p):
        n = self.size
        k = te.reduce_axis((0, self.channels), name="k")
        sums = te.compute(self.wide_shape(), lambda m, y, x_, b: te.sum(
            x[k // LANES, y, x_, k % LANES] * p["expand_w"][m, k, b], axis=k), name="expand_sum")
        out = te.compute(self.wide_shape(True), lambda m, y, x_, b: te.if_then_else(
            te.all(y >= 1, y < n + 1, x_ >= 1, x_ < n + 1),
            relu6(sums[m, y - 1, x_ - 1, b] + p["expand_b"][m, b]), 0.0), name="expand")
        return sums, out

    def depthwise(self, framed, p):
        ky, kx = te.reduce_axis((0, 3), name="ky"), te.reduce_axis((0, 3), name="kx")
        sums = te.compute(self.wide_shape(), lambda m, y, x, b: te.sum(
            framed[m, y + ky, x + kx, b] * p["depth_w"][m, ky, kx, b], axis=[ky, kx]), name="depth_sum")
        out = te.compute(self.wide_shape(), lambda m, y, x, b: relu6(sums[m, y, x, b] + p["depth_b"][m, b]),
                         name="depth")
        return sums, out

    def project(self, deep, x, p):
        qo, qi = te.reduce_axis((0, self.wide), name="qo"), te.reduce_axis((0, LANES), name="qi")
        sums = te.compute(self.narrow_shape(), lambda o, y, x_, b: te.sum(
            deep[qo, y, x_, qi] * p["project_w"][o, qo * LANES + qi, b], axis=[qo, qi]), name="project_sum")
        out = te.compute(self.narrow_shape(), lambda o, y, x_, b:
                         sums[o, y, x_, b] + p["project_b"][o, b] + x[o, y, x_, b], name="project")
        return sums, out


# Schedules.

def register_tiles(s, sums, out, blocks, columns, order="yox"):
    """Tiles of the result in registers; the sums follow at each of them. Gives the loop over columns of tiles."""
    o, y, x, b = out.op.axis
    oo, oi = s[out].split(o, factor=blocks)
    xo, xi = s[out].split(x, factor=columns)
    s[out].reorder(*((oo, y, xo) if order == "oyx" else (y, oo, xo)), oi, xi, b)
    s[out].unroll(oi)
    s[out].unroll(xi)
    s[out].vectorize(b)
    s[sums].compute_at(s[out], xo)
    so, sy, sx, sb = sums.op.axis
    # Columns outside blocks: each input element is then loaded once and needs a register only briefly.
    s[sums].reorder(*sums.op.reduce_axis, sy, sx, so, sb)
    s[sums].unroll(so)
    s[sums].unroll(sx)
    s[sums].vectorize(sb)
    return xo


def expand_tiles(s, block, sums, out, tile, order):
    xo = register_tiles(s, sums, out, *tile, order)
    if block.size + 2 > 2 * tile[1]:
        # Tiles within the frame must have no guards, or their sums do not stay in registers.
        s[out].pragma(xo, "loop_partition_hint")
    else:
        # Both tiles of a row touch the frame, so there is no piece without guards to cut out.
        s[out].unroll(xo)


def depth_tiles(s, sums, out, columns):
    register_tiles(s, sums, out, 1, columns, "oyx")
    for axis in sums.op.reduce_axis:
        s[sums].unroll(axis)


def all_stages(block):
    x = te.placeholder(block.narrow_shape(), name="x")
    p = block.placeholders()
    expand_sum, expand = block.expand(x, p)
    depth_sum, depth = block.depthwise(expand, p)
    project_sum, project = block.project(depth, x, p)
    s = te.create_schedule(project.op)
    args = [x, *p.values(), project]
    return s, args, expand_sum, expand, depth_sum, depth, project_sum, project


def one_kernel(s, args):
    return lathe.build(s, args, "llvm", name="block")["block"]


def build_three(block, tiles, **_):
    """Three functions, called in turn."""
    x = te.placeholder(block.narrow_shape(), name="x")
    p = block.placeholders()
    sums, out = block.expand(x, p)
    s = te.create_schedule(out.op)
    expand_tiles(s, block, sums, out, tiles[0], "oyx")
    first = one_kernel(s, [x, p["expand_w"], p["expand_b"], out])
    framed = te.placeholder(block.wide_shape(True), name="framed")
    sums, out = block.depthwise(framed, p)
    s = te.create_schedule(out.op)
    depth_tiles(s, sums, out, tiles[1])
    second = one_kernel(s, [framed, p["depth_w"], p["depth_b"], out])
    deep = te.placeholder(block.wide_shape(), name="deep")
    sums, out = block.project(deep, x, p)
    s = te.create_schedule(out.op)
    register_tiles(s, sums, out, *tiles[2], "oyx")
    third = one_kernel(s, [deep, p["project_w"], p["project_b"], x, out])
    a, b = lathe.nd.empty(block.wide_shape(True)), lathe.nd.empty(block.wide_shape())

    def run(x, expand_w, expand_b, depth_w, depth_b, project_w, project_b, out):
        first(x, expand_w, expand_b, a)
        second(a, depth_w, depth_b, b)
        third(b, project_w, project_b, x, out)

    return run


def build_rows(block, tiles, **_):
    s, args, expand_sum, expand, depth_sum, depth, project_sum, project = all_stages(block)
    register_tiles(s, project_sum, project, *tiles[2])
    row = project.op.axis[1]
    depth_tiles(s, depth_sum, depth, tiles[1])
    for stage in (depth, expand, expand_sum):
        s[stage].compute_at(s[project], row)
    m, y, x, b = expand.op.axis
    s[expand].reorder(y, m, x, b)
    s[expand].vectorize(b)
    s[expand].rolling_buffer()
    m, y, x, b = expand_sum.op.axis
    mo, mi = s[expand_sum].split(m, factor=tiles[0][0])
    xo, xi = s[expand_sum].split(x, factor=tiles[0][1])
    s[expand_sum].reorder(y, mo, xo, *expand_sum.op.reduce_axis, xi, mi, b)
    s[expand_sum].unroll(mi)
    s[expand_sum].unroll(xi)
    s[expand_sum].vectorize(b)
    s[expand_sum].rolling_buffer()
    return one_kernel(s, args)


def nested_schedule(block, tiles):
    s, args, expand_sum, expand, depth_sum, depth, project_sum, project = all_stages(block)
    register_tiles(s, project_sum, project, *tiles[2])
    row = project.op.axis[1]
    depth_tiles(s, depth_sum, depth, tiles[1])
    s[depth].compute_at(s[project], row)
    expand_tiles(s, block, expand_sum, expand, tiles[0], "yox")
    s[expand].compute_at(s[project], row)
    s[expand].rolling_buffer()
    return s, args


def build_nested(block, tiles, **_):
    return one_kernel(*nested_schedule(block, tiles))


def build_strips(block, tiles, rows, **_):
    s, args, expand_sum, expand, depth_sum, depth, project_sum, project = all_stages(block)
    register_tiles(s, project_sum, project, *tiles[2])
    strip, _ = s[project].split(project.op.axis[1], factor=rows)
    depth_tiles(s, depth_sum, depth, tiles[1])
    s[depth].compute_at(s[project], strip)
    expand_tiles(s, block, expand_sum, expand, tiles[0], "oyx")
    s[expand].compute_at(s[project], strip)
    return one_kernel(s, args)


def build_blocks(block, tiles, rows, step):
    s, args, expand_sum, expand, depth_sum, depth, project_sum, project = all_stages(block)
    o, y, x, b = project.op.axis
    strip, yi = s[project].split(y, factor=rows)
    s[project].reorder(strip, o, yi, x, b)
    s[project].vectorize(b)
    s[project_sum].compute_at(s[project], strip)
    o, y, x, b = project_sum.op.axis
    qo, qi = project_sum.op.reduce_axis
    steps, q = s[project_sum].split(qo, factor=step)
    oo, oi = s[project_sum].split(o, factor=tiles[2][0])
    xo, xi = s[project_sum].split(x, factor=tiles[2][1])
    s[project_sum].reorder(steps, oo, y, xo, q, qi, xi, oi, b)
    s[project_sum].unroll(oi)
    s[project_sum].unroll(xi)
    s[project_sum].vectorize(b)
    depth_tiles(s, depth_sum, depth, tiles[1])
    s[depth].compute_at(s[project_sum], steps)
    expand_tiles(s, block, expand_sum, expand, (min(tiles[0][0], step), tiles[0][1]), "oyx")
    s[expand].compute_at(s[project_sum], steps)
    return one_kernel(s, args)


def build_default(block, tiles, **_):
    return lathe.build(all_stages(block)[1], name="block")["block"]


VARIANTS = {"three": build_three, "default": build_default, "rows": build_rows, "nested": build_nested,
            "strips": build_strips, "blocks": build_blocks}


def choices(variant, block):
    """The tiles to try: ((blocks, columns) of expand, columns of depthwise, (blocks, columns) of project)."""
    if variant == "default":
        yield {"tiles": ()}
        return
    if variant == "rows":  # the picture's columns
        expands = [(1, columns) for columns in (7, 8, 14) if block.size % columns == 0]
        expands.append((3, 4) if block.wide % 3 == 0 and block.size % 4 == 0 else (2, 7))
    else:  # with the frame
        expands = [(1, 8), (1, 10), (1, 14), (1, 16), (3, 4)]
    projects = [(2, 7), (2, 14), (1, 14)]
    strips = sorted({min(block.size, rows) for rows in (14, 28)})
    steps = [step for step in (1, 2, 3, 4, 9) if block.wide % step == 0]
    for expand, project in itertools.product(expands, projects):
        tiles = (expand, 7, project)
        if variant == "strips":
            yield from ({"tiles": tiles, "rows": rows} for rows in strips)
        elif variant == "blocks":
            if expand[0] == 1 and project == projects[0]:
                yield from ({"tiles": tiles, "rows": rows, "step": step}
                            for rows, step in itertools.product(strips, steps))
        else:
            yield {"tiles": tiles}


# Values, NumPy, measuring.

def make_values(block, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(block.narrow_shape()).astype("float32")
    scale = {"expand_w": block.channels ** -0.5, "depth_w": 1 / 3, "project_w": block.expanded ** -0.5}
    p = {name: (rng.standard_normal(shape) * scale.get(name, 0.3)).astype("float32")
         for name, shape in block.parameters().items()}
    unused = block.blocks * LANES - block.channels
    if unused:  # the rest of the last block is zero everywhere
        x[-1, :, :, LANES - unused:] = 0
        p["project_w"][-1, :, LANES - unused:] = 0
        p["project_b"][-1, LANES - unused:] = 0
    return x, p


def expected_block(block, x, p):
    n = block.size

    def plain(a):
        return a.transpose(0, 3, 1, 2).reshape(-1, n * n)

    w = p["expand_w"].transpose(0, 2, 1).reshape(block.expanded, block.channels)
    wide = w @ plain(x)[:block.channels] + p["expand_b"].reshape(-1, 1)
    wide = np.pad(np.clip(wide, 0, 6).reshape(-1, n, n), ((0, 0), (1, 1), (1, 1)))
    w = p["depth_w"].transpose(0, 3, 1, 2).reshape(block.expanded, 3, 3)
    deep = sum(wide[:, ky:ky + n, kx:kx + n] * w[:, ky, kx, None, None]
               for ky in range(3) for kx in range(3))
    deep = np.clip(deep.reshape(block.expanded, -1) + p["depth_b"].reshape(-1, 1), 0, 6)
    w = p["project_w"].transpose(0, 2, 1).reshape(-1, block.expanded)
    out = w @ deep + p["project_b"].reshape(-1, 1) + plain(x)
    return out.reshape(-1, LANES, n, n).transpose(0, 2, 3, 1)


def timed(run, x, copies, out, count, first):
    seconds = []
    for number in range(count):
        args = copies[(first + number) % len(copies)]
        begin = time.perf_counter()
        run(x, *args, out)
        seconds.append(time.perf_counter() - begin)
    return seconds


def measure_shape(name, options, peak):
    block = Block(*SHAPES[name])
    x_values, p_values = make_values(block)
    weights = sum(a.nbytes for a in p_values.values())
    count = max(1, math.ceil(options.cold_mb * 2 ** 20 / weights))
    x = lathe.nd.array(x_values)
    copies = [[lathe.nd.array(a) for a in p_values.values()] for _ in range(count)]
    out = lathe.nd.empty(block.narrow_shape())
    expected = expected_block(block, x_values, p_values)
    print(f"{name}, {block.channels} -> {block.expanded} -> {block.channels}: {block.operations / 1e6:.1f} MFLOP, "
          f"weights {weights / 1e3:.0f} KB in {count} copies")
    runs = {}
    for variant in options.variants:
        best = None
        for choice in choices(variant, block):
            run = VARIANTS[variant](block, **choice)
            run(x, *copies[0], out)
            np.testing.assert_allclose(out.numpy(), expected, rtol=1e-3, atol=1e-3, err_msg=f"{variant} {choice}")
            seconds = statistics.median(timed(run, x, copies, out, 40, 0))
            if options.search:
                print(f"  {variant:<7} {block.operations / seconds / 1e9:6.1f} GFLOP/s  {choice}")
            if best is None or seconds < best[0]:
                best = (seconds, choice, run)
        runs[variant] = best[1:]
    # In rounds, so that a disturbance meets all variants.
    seconds = {variant: [] for variant in runs}
    for number in range(options.rounds):
        for variant, (_, run) in runs.items():
            seconds[variant] += timed(run, x, copies, out, 20, 20 * number)
    for variant, (choice, _) in runs.items():
        best, median = min(seconds[variant]), statistics.median(seconds[variant])
        text = ", ".join(f"{k} {v}" for k, v in choice.items() if v)
        print(f"  {variant:<7} {median * 1e3:7.3f} ms  {block.operations / median / 1e9:6.1f} GFLOP/s"
              f"  {block.operations / median / 1e9 / peak:4.0%} of the peak"
              f"  (best run {block.operations / best / 1e9:6.1f})  {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=["56x56", "14x14"])
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--cold-mb", type=float, default=64,
                        help="megabytes of weights that take turns; 0: warm weights")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of 20 calls of each variant")
    parser.add_argument("--search", action="store_true", help="print the figures of all tiles")
    options = parser.parse_args()
    peak = peak_gflops()
    print(f"peak of one core: {peak:.0f} GFLOP/s; times are medians")
    for name in options.shapes:
        measure_shape(name, options, peak)


if __name__ == "__main__":
    main()
