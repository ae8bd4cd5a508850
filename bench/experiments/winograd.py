#!/usr/bin/env python3
"""Winograd convolution F(4x4, 3x3) and F(2x2, 3x3) by tensor expressions and a schedule by hand.

    Y = relu(conv3x3(D, W) + B), stride 1, a frame of one zero, float32, blocks of 16 channels:
    D[C/16, H, H, 16], Y[O/16, H, H, 16]. The weights are transformed ahead, by NumPy.

An m x m tile of the output needs an a x a tile of the input, a = m + 2. Both transforms are
one-dimensional steps, first over rows, then over columns. Between them lie a * a matrix products
over channels. The schedule works on one row of tiles at a time: transformed input, products and
output of a row stay in the second-level cache.

Beside it: the direct convolution by hand with several register tiles, the same Winograd program
under the default schedule, the products alone, and the three steps as programs of their own.
Every result is compared with a direct convolution in float64.

usage: LATHE_NUM_THREADS=1 winograd.py [--size 56] [--channels 64] [--filters 64] [--repeat 30]
"""

import argparse

import numpy as np

import lathe
from lathe import te, tir

LANES = 16  # channels of a block, and floats of a vector


# One-dimensional transforms: lists of expressions of the same vector position. Sums that several
# results share are written the same way, so that the compiler computes them once.

def data_steps(m, d):
    if m == 2:
        return [d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]]
    even, odd = d[4] - 4.0 * d[2], d[3] - 4.0 * d[1]
    even2, odd2 = d[4] - d[2], 2.0 * (d[3] - d[1])
    return [4.0 * d[0] - 5.0 * d[2] + d[4], even + odd, even - odd, even2 + odd2, even2 - odd2,
            4.0 * d[1] - 5.0 * d[3] + d[5]]


def output_steps(m, p):
    if m == 2:
        return [p[0] + p[1] + p[2], p[1] - p[2] - p[3]]
    plus1, minus1, plus2, minus2 = p[1] + p[2], p[1] - p[2], p[3] + p[4], p[3] - p[4]
    return [p[0] + plus1 + plus2, minus1 + 2.0 * minus2, plus1 + 4.0 * plus2,
            minus1 + 8.0 * minus2 + p[5]]


WEIGHT_STEPS = {
    2: np.array([[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]]),
    4: np.array([[1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6],
                 [1 / 24, 1 / 12, 1 / 6], [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]]),
}


def stacked(index, values):
    """values[index]. A compute has one value for all positions of an axis, so results that differ
    along an axis are chosen by its index. Where the axis is unrolled, nothing of it is left."""
    chosen = values[-1]
    for n in reversed(range(len(values) - 1)):
        chosen = tir.Select(index == n, values[n], chosen)
    return chosen


class Winograd:
    """The program, as te: from the input to the output, or only one of its three steps."""

    def __init__(self, size, channels, filters, m):
        assert channels % LANES == 0 and filters % LANES == 0
        self.m, self.a, self.tiles = m, m + 2, -(-size // m)
        self.size, self.channels, self.filters = size, channels, filters

    def input(self):
        shape = (self.channels // LANES, self.size, self.size, LANES)
        return te.placeholder(shape, name="D")

    def transformed_input(self, data):
        size, m, a, blocks = self.size, self.m, self.a, self.channels // LANES
        whole = self.tiles * m + 2  # the frame, and zeros for the rest of the last tiles
        self.padded = te.compute(
            (blocks, whole, whole, LANES),
            lambda i, y, x, b: te.if_then_else(
                te.all(y >= 1, y < size + 1, x >= 1, x < size + 1), data[i, y - 1, x - 1, b], 0.0),
            name="padded")
        shape = (a, a, blocks, self.tiles, self.tiles, LANES)
        self.rows = te.compute(
            shape, lambda e, n, i, y, x, b: stacked(
                e, data_steps(m, [self.padded[i, y * m + r, x * m + n, b] for r in range(a)])),
            name="rows")
        self.transformed = te.compute(
            shape, lambda e, n, i, y, x, b: stacked(
                n, data_steps(m, [self.rows[e, r, i, y, x, b] for r in range(a)])),
            name="transformed")
        return self.transformed

    def weights(self):
        return te.placeholder((self.a, self.a, self.filters // LANES, self.channels, LANES), name="U")

    def multiplied(self, transformed, weights):
        block = te.reduce_axis((0, self.channels // LANES), name="block")
        lane = te.reduce_axis((0, LANES), name="lane")
        shape = (self.a, self.a, self.filters // LANES, self.tiles, self.tiles, LANES)
        self.products = te.compute(
            shape, lambda e, n, o, y, x, b: te.sum(
                transformed[e, n, block, y, x, lane] * weights[e, n, o, block * LANES + lane, b],
                axis=[block, lane]), name="products")
        return self.products

    def bias(self):
        return te.placeholder((self.filters // LANES, LANES), name="B")

    def output(self, products, bias):
        m, a, blocks = self.m, self.a, self.filters // LANES
        self.half = te.compute(
            (m, a, blocks, self.tiles, self.tiles, LANES),
            lambda i, n, o, y, x, b: stacked(
                i, output_steps(m, [products[e, n, o, y, x, b] for e in range(a)])), name="half")
        self.whole = te.compute(
            (m, m, blocks, self.tiles, self.tiles, LANES),
            lambda i, j, o, y, x, b: stacked(
                j, output_steps(m, [self.half[i, n, o, y, x, b] for n in range(a)])), name="whole")
        self.out = te.compute(
            (blocks, self.size, self.size, LANES),
            lambda o, y, x, b: tir.max(
                self.whole[y % m, x % m, o, y // m, x // m, b] + bias[o, b], 0.0), name="out")
        return self.out

    def program(self):
        data, weights, bias = self.input(), self.weights(), self.bias()
        out = self.output(self.multiplied(self.transformed_input(data), weights), bias)
        return [data, weights, bias, out]

    # The schedule. The parts are separate, so that a step can be a program of its own.

    def schedule_input(self, s):
        e, n, i, y, x, b = self.transformed.op.axis
        s[self.transformed].reorder(i, y, x, e, n, b)
        self.unroll(s, self.transformed, e, n)
        s[self.transformed].vectorize(b)
        # One row of the transform at a time, a vectors, in registers.
        s[self.rows].compute_at(s[self.transformed], e)
        self.unroll(s, self.rows, *self.rows.op.axis[:2])
        s[self.rows].vectorize(self.rows.op.axis[5])
        s[self.padded].vectorize(self.padded.op.axis[3])

    def schedule_products(self, s, rows, vectors, vectors_outside=False):
        e, n, o, y, x, b = self.products.op.axis
        block, lane = self.products.op.reduce_axis
        o, vector = s[self.products].split(o, factor=vectors)
        # A register tile is a part of a row of tiles, or several rows.
        if rows > self.tiles:
            y, down = s[self.products].split(y, factor=rows // self.tiles)
            x, row = s[self.products].split(x, factor=self.tiles)
            below = [y, x]
            tile = [down, row]
        else:
            x, row = s[self.products].split(x, factor=rows)
            below = [y, x]
            tile = [row]
        # Rows outside of vectors: an element of the input is then loaded once for all vectors, and
        # only one of them takes a register at a time.
        tile = [vector] + tile if vectors_outside else tile + [vector]
        s[self.products].reorder(e, n, o, *below, block, lane, *tile, b)
        self.unroll(s, self.products, *tile)
        s[self.products].vectorize(b)

    def schedule_output(self, s, tile_rows):
        o, y, x, b = self.out.op.axis
        y, row = s[self.out].split(y, factor=self.m)
        strip, y = s[self.out].split(y, factor=tile_rows)
        x, column = s[self.out].split(x, factor=self.m)
        s[self.out].reorder(strip, o, y, x, row, column, b)
        self.unroll(s, self.out, row, column)
        s[self.out].vectorize(b)
        s[self.whole].compute_inline()
        s[self.half].compute_at(s[self.out], x)
        self.unroll(s, self.half, *self.half.op.axis[:2])
        s[self.half].vectorize(self.half.op.axis[5])
        return strip

    def schedule(self, rows, vectors, tile_rows=1, vectors_outside=False):
        s = te.create_schedule(self.out.op)
        strip = self.schedule_output(s, tile_rows)
        for stage in (self.products, self.transformed):
            s[stage].compute_at(s[self.out], strip)
        self.schedule_products(s, rows, vectors, vectors_outside)
        self.schedule_input(s)
        return s

    def choices(self):
        """Register tiles of the products, rows of tiles, and the order within the register tile."""
        t, found = self.tiles, []
        for rows, vectors, tile_rows, order in (
                (14, 1, 1, "rows"), (7, 2, 1, "rows"), (7, 4, 1, "rows"), (14, 2, 1, "rows"),
                (14, 2, 1, "vectors"), (t, 1, 1, "rows"), (t, 2, 1, "rows"), (2 * t, 1, 2, "rows"),
                (14, 1, 2, "rows")):
            fits = rows <= t and t % rows == 0 or rows % t == 0 and rows // t <= tile_rows
            if not fits or rows * vectors > 28 or self.filters // LANES % vectors or t % tile_rows:
                continue
            if (rows, vectors, tile_rows, order) not in found:
                found.append((rows, vectors, tile_rows, order))
        return found

    @staticmethod
    def unroll(s, tensor, *axes):
        for axis in axes:
            s[tensor].unroll(axis)


def direct(size, channels, filters):
    """The direct convolution, as te: the arguments, the sums, and the frame of zeros."""
    data = te.placeholder((channels // LANES, size, size, LANES), name="D")
    weights = te.placeholder((filters // LANES, channels // LANES, 3, 3, LANES, LANES), name="W")
    bias = te.placeholder((filters // LANES, LANES), name="B")
    padded = te.compute(
        (channels // LANES, size + 2, size + 2, LANES),
        lambda i, y, x, b: te.if_then_else(
            te.all(y >= 1, y < size + 1, x >= 1, x < size + 1), data[i, y - 1, x - 1, b], 0.0),
        name="padded")
    block, lane = te.reduce_axis((0, channels // LANES)), te.reduce_axis((0, LANES))
    ky, kx = te.reduce_axis((0, 3), name="ky"), te.reduce_axis((0, 3), name="kx")
    shape = (filters // LANES, size, size, LANES)
    sums = te.compute(shape, lambda o, y, x, b: te.sum(
        padded[block, y + ky, x + kx, lane] * weights[o, block, ky, kx, lane, b],
        axis=[block, ky, kx, lane]), name="sums")
    out = te.compute(shape, lambda o, y, x, b: tir.max(sums[o, y, x, b] + bias[o, b], 0.0), name="out")
    return [data, weights, bias, out], sums, padded


def schedule_direct(out, sums, padded, rows, vectors):
    s = te.create_schedule(out.op)
    o, y, x, b = out.op.axis
    o, vector = s[out].split(o, factor=vectors)
    x, row = s[out].split(x, factor=rows)
    s[out].reorder(o, y, x, row, vector, b)
    for axis in (row, vector):
        s[out].unroll(axis)
    s[out].vectorize(b)
    s[sums].compute_at(s[out], x)
    o, y, x, b = sums.op.axis
    s[sums].reorder(*sums.op.reduce_axis, y, x, o, b)
    for axis in (x, o):
        s[sums].unroll(axis)
    s[sums].vectorize(b)
    s[padded].vectorize(padded.op.axis[3])
    return s


def peak_program():
    """Multiply-adds on a tile of 28 vectors; all operands are in the nearest cache."""
    rows, depth, times = 28, 256, 1000
    a, b = te.placeholder((rows, depth), name="A"), te.placeholder((depth, LANES), name="B")
    k = te.reduce_axis((0, depth), name="k")
    c = te.compute((times, rows, LANES), lambda t, i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    s = te.create_schedule(c.op)
    sums = s.cache_write(c, "local")
    s[sums].compute_at(s[c], c.op.axis[0])
    s[sums].reorder(*sums.op.reduce_axis, *sums.op.axis[1:])
    for stage in (c, sums):
        s[stage].unroll(stage.op.axis[1])
        s[stage].vectorize(stage.op.axis[2])
    return s, [a, b, c], 2.0 * times * rows * depth * LANES


class Case:
    """The numbers, their reference, and the clock."""

    def __init__(self, size, channels, filters, repeat):
        self.repeat = repeat
        rng = np.random.default_rng(0)
        self.data = rng.standard_normal((channels, size, size)).astype("float32")
        self.weight = (rng.standard_normal((filters, channels, 3, 3)) / np.sqrt(9 * channels)).astype("float32")
        self.bias = rng.standard_normal(filters).astype("float32")
        frame = np.pad(self.data.astype("float64"), ((0, 0), (1, 1), (1, 1)))
        sums = sum(np.einsum("oc,cyx->oyx", self.weight[:, :, r, q].astype("float64"),
                             frame[:, r:r + size, q:q + size]) for r in range(3) for q in range(3))
        self.reference = np.maximum(sums + self.bias[:, None, None], 0)
        self.operations = 2.0 * filters * channels * 9 * size * size
        self.peak = 0.0

    @staticmethod
    def blocks(x):
        """Channels first -> blocks of channels."""
        return np.ascontiguousarray(x.reshape(-1, LANES, *x.shape[1:]).transpose(0, 2, 3, 1))

    def direct_arrays(self):
        o, c = self.weight.shape[:2]
        w = self.weight.reshape(o // LANES, LANES, c // LANES, LANES, 3, 3).transpose(0, 2, 4, 5, 3, 1)
        out = np.zeros_like(self.blocks(self.reference), "float32")
        return [self.blocks(self.data), w, self.bias.reshape(-1, LANES), out]

    def winograd_arrays(self, m):
        g, (o, c) = WEIGHT_STEPS[m], self.weight.shape[:2]
        u = np.einsum("er,ocrs,ns->enoc", g, self.weight.astype("float64"), g)
        u = u.reshape(m + 2, m + 2, o // LANES, LANES, c).transpose(0, 1, 2, 4, 3)
        data, _, bias, out = self.direct_arrays()
        return [data, u.astype("float32"), bias, out]

    def time(self, function, arrays):
        evaluator = function.time_evaluator(function.entry_name, lathe.cpu(0), number=3, repeat=self.repeat)
        return evaluator(*arrays).min

    def run(self, what, function, arrays):
        """Times a whole convolution, checks its result, and prints a line."""
        arrays = [lathe.nd.array(np.ascontiguousarray(x)) for x in arrays]
        seconds = self.time(function, arrays)
        got = arrays[-1].numpy().transpose(0, 3, 1, 2).reshape(self.reference.shape)
        error = np.abs(got - self.reference).max()
        assert error < 1e-3, f"{what}: wrong, error {error}"
        self.line(what, seconds, self.operations, f"error {error:.1e}")
        return seconds

    def line(self, what, seconds, operations, more=""):
        rate = operations / seconds / 1e9
        share = f"{rate / self.peak * 100:4.0f} % of peak" if self.peak else ""
        print(f"{what:68} {seconds * 1e3:7.3f} ms {rate:7.1f} GFLOP/s {share}  {more}", flush=True)

    def step(self, what, seconds, operations=None):
        share = "" if operations is None else f", {operations / seconds / self.peak / 1e7:.0f} % of peak"
        print(f"    {what:24} {seconds * 1e3:7.3f} ms{share}", flush=True)


def random_arrays(args):
    rng = np.random.default_rng(1)
    return [lathe.nd.array(rng.standard_normal([int(n) for n in a.shape]).astype("float32")) for a in args]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=56, help="rows and columns of the picture")
    parser.add_argument("--channels", type=int, default=64, help="channels of the input, a multiple of 16")
    parser.add_argument("--filters", type=int, default=64, help="channels of the output, a multiple of 16")
    parser.add_argument("--repeat", type=int, default=30, help="samples; the least is printed")
    parser.add_argument("--loops", action="store_true", help="print the loops of F(4x4) and stop")
    options = parser.parse_args()
    shape = (options.size, options.channels, options.filters)
    if options.loops:
        program = Winograd(*shape, 4)
        args = program.program()
        print(lathe.lower(program.schedule(14, 1), args, simple_mode=True))
        return
    case = Case(*shape, options.repeat)
    s, args, operations = peak_program()
    seconds = case.time(lathe.build(s, args, "llvm"), random_arrays(args))
    case.peak = operations / seconds / 1e9
    case.line("peak: multiply-adds in registers", seconds, operations)

    print("\nGFLOP/s are those of the direct convolution, for all whole convolutions.")
    args, sums, padded = direct(*shape)
    best = case.run("direct, default schedule", lathe.build(args), case.direct_arrays())
    for rows, vectors in ((14, 1), (28, 1), (8, 2), (14, 2), (7, 4), (4, 4)):
        if options.size % rows or options.filters // LANES % vectors:
            continue
        args, sums, padded = direct(*shape)
        function = lathe.build(schedule_direct(args[-1], sums, padded, rows, vectors), args, "llvm")
        best = min(best, case.run(f"direct by hand, {rows} x {vectors} vectors", function, case.direct_arrays()))

    for m in (4, 2):
        name = f"F({m}x{m}, 3x3)"
        program = Winograd(*shape, m)
        args = program.program()
        case.run(f"{name}, default schedule", lathe.build(args), case.winograd_arrays(m))
        least = None
        for rows, vectors, tile_rows, order in program.choices():
            function = lathe.build(program.schedule(rows, vectors, tile_rows, order == "vectors"), args, "llvm")
            seconds = case.run(f"{name} by hand, {rows} x {vectors} vectors ({order} outside), "
                               f"{tile_rows} row(s)", function, case.winograd_arrays(m))
            if least is None or seconds < least[0]:
                least = (seconds, rows, vectors)
        print(f"{name}: {best / least[0]:.2f} times as fast as the best direct convolution")

        # The three steps as programs of their own: what the transforms cost, and what it brings to
        # keep a row of tiles in the cache.
        products = 2.0 * (m + 2) ** 2 * program.tiles ** 2 * options.channels * options.filters
        total = 0.0
        step = Winograd(*shape, m)
        data = step.input()
        args = [data, step.transformed_input(data)]
        s = te.create_schedule(args[-1].op)
        step.schedule_input(s)
        seconds = case.time(lathe.build(s, args, "llvm"), random_arrays(args))
        total += seconds
        case.step("input transform alone", seconds)
        moved = te.placeholder(args[-1].shape, name="V")
        weights = step.weights()
        args = [moved, weights, step.multiplied(moved, weights)]
        s = te.create_schedule(args[-1].op)
        step.schedule_products(s, *least[1:])
        seconds = case.time(lathe.build(s, args, "llvm"), random_arrays(args))
        total += seconds
        case.step("products alone by hand", seconds, products)
        default = case.time(lathe.build(args), random_arrays(args))
        case.step("the same by default", default, products)
        multiplied, bias = te.placeholder(args[-1].shape, name="M"), step.bias()
        args = [multiplied, bias, step.output(multiplied, bias)]
        s = te.create_schedule(args[-1].op)
        step.schedule_output(s, 1)
        seconds = case.time(lathe.build(s, args, "llvm"), random_arrays(args))
        total += seconds
        case.step("output transform alone", seconds)
        case.step("the three steps", total)
        print()


if __name__ == "__main__":
    main()
