#!/usr/bin/env python3
"""Causal attention by blocks of rows: softmax(Q K^T / sqrt(d) + mask) V, float32, never the whole
matrix of scores in memory.

Each program works on a block of queries at a time and lets its scores stay in the second-level
cache. Queries lie in the lanes of vectors, so that the maximum and the sum of a row are operations
on whole vectors, and K is read as it lies. The programs differ in how they leave out the key
blocks above the diagonal:

  dense      tensor expressions as one would write them, default schedule; whole matrices
  rectangle  two passes for a block of rows (all scores, then exp, sums and products); all keys
  where      the same; reductions have a condition, `where=key_block <= row_block`
  triangle   the same; reductions have the extent row_block + 1
  calls      the same; the number of key blocks is an argument, and each block of rows is a call
  online     one reduction over key blocks up to the diagonal, whose state is (maximum, sum, result)
             and whose combiner rescales (te.comm_reducer with tuples)
  scan       the same recurrence as te.scan over all key blocks
  builder    the two passes written as statements (te.extern with tir.ir_builder)
  hybrid     the same as a Python function (te.hybrid.script)
  numpy      whole matrices with NumPy, for comparison

usage: LATHE_NUM_THREADS=1 attention_blocks.py [--heads 12] [--length 1024] [--depth 64]
"""

import argparse
import time

import numpy as np

import lathe
from lathe import te, tir

LANES = 16
LOWEST = -1e30  # stands for minus infinity where a difference of two of them must be a number


def split_vectors(s, stage, axis, vectors=None):
    """Splits off vectors; with `vectors`, also groups of so many of them, which are unrolled."""
    groups = None
    if vectors is not None:
        groups, axis = s[stage].split(axis, factor=vectors * LANES)
    outer, lane = s[stage].split(axis, factor=LANES)
    s[stage].unroll(outer)
    s[stage].vectorize(lane)
    return groups, outer, lane


def schedule_scores(s, scores, at, keys, vectors):
    """Scores: tiles of `keys` x `vectors`, summed up in registers (cache_write), then stored."""
    sums = s.cache_write(scores, "local")
    s[scores].compute_at(*at)
    j, key = s[scores].split(scores.op.axis[-2], factor=keys)
    i, vector, lane = split_vectors(s, scores, scores.op.axis[-1], vectors)
    s[scores].reorder(j, i, key, vector, lane)
    s[scores].unroll(key)
    s[sums].compute_at(s[scores], i)
    d, = sums.op.reduce_axis
    key = sums.op.axis[-2]
    _, vector, lane = split_vectors(s, sums, sums.op.axis[-1])
    s[sums].reorder(d, key, vector, lane)
    s[sums].unroll(key)


def schedule_column_reduction(s, stage, at):
    """Maxima and sums over keys: one vector of queries beside the other."""
    s[stage].compute_at(*at)
    _, vector, lane = split_vectors(s, stage, stage.op.axis[-1])
    s[stage].reorder(*stage.op.reduce_axis, vector, lane)


def schedule_result(s, stage, rows, vectors):
    """Splits (row, column) into register tiles; returns (row tiles, column tiles, row, ...)."""
    i, row = s[stage].split(stage.op.axis[-2], factor=rows)
    c, vector, lane = split_vectors(s, stage, stage.op.axis[-1], vectors)
    s[stage].unroll(row)
    return i, c, row, vector, lane


class Attention:
    def __init__(self, heads, length, depth, block, keys, rows):
        self.heads, self.length, self.depth, self.block = heads, length, depth, block
        self.key_block = block
        self.keys, self.rows = keys, rows  # register tiles: keys of scores, rows of the result
        self.count = length // block
        self.scale = depth ** -0.5

    def blocked(self, name, blocks, size):
        """[heads, length, depth] in blocks of rows; the same memory."""
        return te.placeholder((self.heads, blocks, size, self.depth), name=name)

    # Programs: each gives (schedule, arguments).

    def dense(self):
        h, t, n = self.heads, self.length, self.depth
        q, k, v = (te.placeholder((h, t, n), name=x) for x in "QKV")
        d, j = te.reduce_axis((0, n), name="d"), te.reduce_axis((0, t), name="j")
        m, l = te.reduce_axis((0, t), name="m"), te.reduce_axis((0, t), name="l")
        scores = te.compute((h, t, t), lambda h, i, j: te.sum(q[h, i, d] * k[h, j, d], axis=d), name="scores")
        masked = te.compute((h, t, t), lambda h, i, j: te.if_then_else(
            j <= i, scores[h, i, j] * self.scale, te.min_value("float32")), name="masked")
        most = te.compute((h, t), lambda h, i: te.max(masked[h, i, m], axis=m), name="most")
        weight = te.compute((h, t, t), lambda h, i, j: te.exp(masked[h, i, j] - most[h, i]), name="weight")
        total = te.compute((h, t), lambda h, i: te.sum(weight[h, i, l], axis=l), name="total")
        share = te.compute((h, t, t), lambda h, i, j: weight[h, i, j] / total[h, i], name="share")
        out = te.compute((h, t, n), lambda h, i, c: te.sum(share[h, i, j] * v[h, j, c], axis=j), name="out")
        return lathe.default_schedule(out), [q, k, v, out]

    def two_passes(self, kind):
        """`kind`: rectangle, where, triangle or calls."""
        h, size, n = self.heads, self.block, self.depth
        calls = kind == "calls"
        number = te.size_var("n")  # calls: how many key blocks this call has
        blocks = 1 if calls else self.count
        key_blocks = number if calls else self.count
        def block_of(b):
            return number - 1 if calls else b
        def key_axes(b):
            extent = block_of(b) + 1 if kind == "triangle" else key_blocks
            return te.reduce_axis((0, extent), name="jb"), te.reduce_axis((0, size), name="j")
        def where(b, jb):
            return {"where": jb <= b} if kind == "where" else {}

        q = self.blocked("Q", blocks, size)
        k, v = self.blocked("K", self.count, size), self.blocked("V", self.count, size)
        turned = te.compute((h, blocks, n, size), lambda h, b, d, i: q[h, b, i, d] * self.scale, name="turned")
        d = te.reduce_axis((0, n), name="d")
        scores = te.compute((h, blocks, key_blocks, size, size), lambda h, b, jb, j, i: te.sum(
            k[h, jb, j, d] * turned[h, b, d, i], axis=d, **where(b, jb)), name="scores")
        def masked(h, b, jb, j, i):
            return tir.Select(jb * size + j <= block_of(b) * size + i, scores[h, b, jb, j, i],
                              te.min_value("float32"))
        def most_of(h, b, i):
            jb, j = key_axes(b)
            return te.max(masked(h, b, jb, j, i), axis=[jb, j], **where(b, jb))
        most = te.compute((h, blocks, size), most_of, name="most")
        def weight_of(h, b, jb, j, i):
            value = te.exp(masked(h, b, jb, j, i) - most[h, b, i])
            return te.if_then_else(jb <= b, value, 0.0) if kind == "where" else value
        weight = te.compute((h, blocks, key_blocks, size, size), weight_of, name="weight")
        def total_of(h, b, i):
            jb, j = key_axes(b)
            return te.sum(weight[h, b, jb, j, i], axis=[jb, j], **where(b, jb))
        total = te.compute((h, blocks, size), total_of, name="total")
        def sums_of(h, b, i, c):
            jb, j = key_axes(b)
            return te.sum(weight[h, b, jb, j, i] * v[h, jb, j, c], axis=[jb, j], **where(b, jb))
        sums = te.compute((h, blocks, size, n), sums_of, name="sums")
        out = te.compute((h, blocks, size, n), lambda h, b, i, c: sums[h, b, i, c] / total[h, b, i], name="out")

        s = te.create_schedule(out.op)
        at = (s[out], out.op.axis[1])
        schedule_scores(s, scores, at, self.keys, 1)
        for stage in (most, total):
            schedule_column_reduction(s, stage, at)
        s[weight].compute_at(*at)
        split_vectors(s, weight, weight.op.axis[-1])
        s[turned].compute_at(*at)
        i, c, row, vector, lane = schedule_result(s, out, self.rows, 2)
        s[out].reorder(*out.op.axis[:2], i, c, row, vector, lane)
        s[sums].compute_at(s[out], c)
        _, vector, lane = split_vectors(s, sums, sums.op.axis[-1])
        row = sums.op.axis[-2]
        s[sums].reorder(*sums.op.reduce_axis, row, vector, lane)
        s[sums].unroll(row)
        return s, ([number] if calls else []) + [q, k, v, out]

    def rectangle(self):
        return self.two_passes("rectangle")

    def where(self):
        return self.two_passes("where")

    def triangle(self):
        return self.two_passes("triangle")

    def calls(self):
        return self.two_passes("calls")

    def online(self):
        h, size, keys, n = self.heads, self.block, self.key_block, self.depth
        blocks, key_blocks = self.count, self.length // keys
        q = self.blocked("Q", blocks, size)
        k, v = self.blocked("K", key_blocks, keys), self.blocked("V", key_blocks, keys)
        turned = te.compute((h, blocks, n, size), lambda h, b, d, i: q[h, b, i, d] * self.scale, name="turned")
        d = te.reduce_axis((0, n), name="d")
        scores = te.compute((h, blocks, key_blocks, keys, size), lambda h, b, jb, j, i: te.sum(
            k[h, jb, j, d] * turned[h, b, d, i], axis=d), name="scores")
        def masked(h, b, jb, j, i):
            return tir.Select(jb * keys + j <= b * size + i, scores[h, b, jb, j, i], te.const(LOWEST, "float32"))
        # One key block: its maxima, sums and products.
        shape = (h, blocks, key_blocks, size)
        j1, j2, j3 = (te.reduce_axis((0, keys), name="j") for _ in range(3))
        most = te.compute(shape, lambda h, b, jb, i: te.max(masked(h, b, jb, j1, i), axis=j1), name="most")
        weight = te.compute((h, blocks, key_blocks, keys, size), lambda h, b, jb, j, i: te.exp(
            masked(h, b, jb, j, i) - most[h, b, jb, i]), name="weight")
        total = te.compute(shape, lambda h, b, jb, i: te.sum(weight[h, b, jb, j2, i], axis=j2), name="total")
        sums = te.compute(shape + (n,), lambda h, b, jb, i, c: te.sum(
            weight[h, b, jb, j3, i] * v[h, jb, j3, c], axis=j3), name="sums")

        # All outputs of a reduction have one shape, so maximum and sum of a row are kept, and
        # rescaled, once for each column of the result.
        def combine(x, y):
            m = tir.max(x[0], y[0])
            p, r = te.exp(x[0] - m), te.exp(y[0] - m)
            return m, x[1] * p + y[1] * r, x[2] * p + y[2] * r
        rescaled = te.comm_reducer(combine, lambda *t: (te.const(LOWEST, t[0]), te.const(0, t[1]),
                                                        te.const(0, t[2])), name="rescaled")
        def state_of(h, b, i, c):
            # The extent depends on b: allowed as long as b's own loop is not split, fused or moved.
            jb = te.reduce_axis((0, ((b + 1) * size + keys - 1) // keys), name="jb")
            return rescaled((most[h, b, jb, i], total[h, b, jb, i], sums[h, b, jb, i, c]), axis=jb)
        state = te.compute((h, blocks, size, n), state_of, name="state")
        out = te.compute((h, blocks, size, n), lambda h, b, i, c: state[2][h, b, i, c] / state[1][h, b, i, c],
                         name="out")

        s = te.create_schedule(out.op)
        split_vectors(s, out, out.op.axis[-1])
        head, b, i, c = state[0].op.axis
        jb, = state[0].op.reduce_axis
        _, vector, lane = split_vectors(s, state[0], c)
        s[state[0]].reorder(head, b, jb, i, vector, lane)
        at = (s[state[0]], jb)
        schedule_scores(s, scores, at, self.keys, 1)
        for stage in (most, total):
            schedule_column_reduction(s, stage, at)
        s[weight].compute_at(*at)
        split_vectors(s, weight, weight.op.axis[-1])
        s[sums].compute_at(*at)
        i, c, row, vector, lane = schedule_result(s, sums, self.rows, 2)
        s[sums].reorder(i, c, j3, row, vector, lane)
        s[turned].compute_at(s[state[0]], b)
        return s, [q, k, v, out]

    def scan(self):
        h, size, n = self.heads, self.block, self.depth
        blocks = self.count
        steps = blocks + 1  # step t is key block t - 1
        q, k, v = (self.blocked(x, blocks, size) for x in "QKV")
        turned = te.compute((h, blocks, n, size), lambda h, b, d, i: q[h, b, i, d] * self.scale, name="turned")
        row, rows = (steps, h, blocks, size), (steps, h, blocks, size, n)
        most, total, sums = (te.placeholder(shape, name=x) for x, shape in
                             (("most", row), ("total", row), ("sums", rows)))
        first = [te.compute((1,) + row[1:], lambda t, h, b, i: te.const(LOWEST, "float32"), name="most0"),
                 te.compute((1,) + row[1:], lambda t, h, b, i: te.const(0, "float32"), name="total0"),
                 te.compute((1,) + rows[1:], lambda t, h, b, i, c: te.const(0, "float32"), name="sums0")]
        d = te.reduce_axis((0, n), name="d")
        j1, j2, j3 = (te.reduce_axis((0, size), name="j") for _ in range(3))
        scores = te.compute((steps, h, blocks, size, size), lambda t, h, b, j, i: te.sum(
            k[h, t - 1, j, d] * turned[h, b, d, i], axis=d), name="scores")
        def masked(t, h, b, j, i):
            return tir.Select((t - 1) * size + j <= b * size + i, scores[t, h, b, j, i], te.const(LOWEST, "float32"))
        block_most = te.compute(row, lambda t, h, b, i: te.max(masked(t, h, b, j1, i), axis=j1), name="block_most")
        new_most = te.compute(row, lambda t, h, b, i: tir.max(most[t - 1, h, b, i], block_most[t, h, b, i]),
                              name="new_most")
        weight = te.compute((steps, h, blocks, size, size), lambda t, h, b, j, i: te.exp(
            masked(t, h, b, j, i) - new_most[t, h, b, i]), name="weight")
        factor = te.compute(row, lambda t, h, b, i: te.exp(most[t - 1, h, b, i] - new_most[t, h, b, i]), name="factor")
        block_total = te.compute(row, lambda t, h, b, i: te.sum(weight[t, h, b, j2, i], axis=j2), name="block_total")
        block_sums = te.compute(rows, lambda t, h, b, i, c: te.sum(
            weight[t, h, b, j3, i] * v[h, t - 1, j3, c], axis=j3), name="block_sums")
        updates = [te.compute(row, lambda t, h, b, i: new_most[t, h, b, i], name="most1"),
                   te.compute(row, lambda t, h, b, i: total[t - 1, h, b, i] * factor[t, h, b, i]
                              + block_total[t, h, b, i], name="total1"),
                   te.compute(rows, lambda t, h, b, i, c: sums[t - 1, h, b, i, c] * factor[t, h, b, i]
                              + block_sums[t, h, b, i, c], name="sums1")]
        states = te.scan(first, updates, [most, total, sums], inputs=[turned, k, v], name="scan")
        out = te.compute((h, blocks, size, n), lambda h, b, i, c: states[2][steps - 1, h, b, i, c]
                         / states[1][steps - 1, h, b, i], name="out")

        s = te.create_schedule(out.op)
        split_vectors(s, out, out.op.axis[-1])
        for stage in (states[0], turned):
            s[stage].compute_at(s[out], out.op.axis[1])
        at = (s[states[0]], states[0].op.scan_axis)
        for stage in (weight, factor, new_most):
            s[stage].compute_at(*at)
        for stage in (weight, factor, new_most, *first, *updates):
            split_vectors(s, stage, stage.op.axis[-1])
        for stage in (block_most, block_total):
            schedule_column_reduction(s, stage, at)
        s[block_sums].compute_at(*at)
        i, c, row, vector, lane = schedule_result(s, block_sums, self.rows, 2)
        s[block_sums].reorder(i, c, j3, row, vector, lane)
        schedule_scores(s, scores, at, self.keys, 1)
        return s, [q, k, v, out]

    def builder(self):
        h, t, n, size, keys, rows = self.heads, self.length, self.depth, self.block, self.keys, self.rows
        inputs = [te.placeholder((h, t, n), name=x) for x in "QKV"]
        lowest = te.min_value("float32")

        def body(ins, outs):
            ib = tir.ir_builder.create()
            q, k, v = (ib.buffer_ptr(x) for x in ins)
            out = ib.buffer_ptr(outs[0])
            def unrolled(extent, name):
                return ib.for_range(0, extent, name=name, kind="unrolled")
            def vector(name):
                return ib.for_range(0, LANES, name=name, kind="vectorized")
            with ib.for_range(0, h, name="h") as head, ib.for_range(0, t // size, name="b") as b:
                turned = ib.allocate("float32", (n, size), name="turned")
                scores = ib.allocate("float32", (t, size), name="scores")
                most = ib.allocate("float32", (size,), name="most")
                total = ib.allocate("float32", (size,), name="total")
                with ib.for_range(0, n, name="d") as d, ib.for_range(0, size, name="i") as i:
                    turned[d, i] = q[head, b * size + i, d] * self.scale
                with ib.for_range(0, size, name="i") as i:
                    most[i] = lowest
                    total[i] = 0.0
                # First pass: scores up to the diagonal and their maxima.
                with ib.for_range(0, (b + 1) * (size // keys), name="j") as j, \
                        ib.for_range(0, size // LANES, name="i") as i:
                    sums = ib.allocate("float32", (keys, LANES), name="sums", scope="local")
                    with unrolled(keys, "key") as key, vector("lane") as lane:
                        sums[key, lane] = 0.0
                    with ib.for_range(0, n, name="d") as d, unrolled(keys, "key") as key, vector("lane") as lane:
                        sums[key, lane] = sums[key, lane] + k[head, j * keys + key, d] * turned[d, i * LANES + lane]
                    with unrolled(keys, "key") as key:
                        at = j * keys + key
                        with vector("lane") as lane:
                            query = i * LANES + lane
                            scores[at, query] = tir.Select(at <= b * size + query, sums[key, lane], lowest)
                        with vector("lane") as lane:
                            query = i * LANES + lane
                            most[query] = tir.max(most[query], scores[at, query])
                # Second pass: weights, their sums, and the result.
                with ib.for_range(0, (b + 1) * size, name="j") as j, unrolled(size // LANES, "i") as i:
                    with vector("lane") as lane:
                        query = i * LANES + lane
                        scores[j, query] = tir.exp(scores[j, query] - most[query])
                    with vector("lane") as lane:
                        query = i * LANES + lane
                        total[query] = total[query] + scores[j, query]
                with ib.for_range(0, size // rows, name="i") as i, ib.for_range(0, n // (2 * LANES), name="c") as c:
                    sums = ib.allocate("float32", (rows, 2, LANES), name="sums", scope="local")
                    with unrolled(rows, "row") as row, unrolled(2, "half") as half, vector("lane") as lane:
                        sums[row, half, lane] = 0.0
                    with ib.for_range(0, (b + 1) * size, name="j") as j, unrolled(rows, "row") as row, \
                            unrolled(2, "half") as half, vector("lane") as lane:
                        sums[row, half, lane] = sums[row, half, lane] + \
                            scores[j, i * rows + row] * v[head, j, (c * 2 + half) * LANES + lane]
                    with unrolled(rows, "row") as row, unrolled(2, "half") as half, vector("lane") as lane:
                        query = i * rows + row
                        out[head, b * size + query, (c * 2 + half) * LANES + lane] = \
                            sums[row, half, lane] / total[query]
            return ib.get()

        out = te.extern((h, t, n), inputs, body, name="out", dtype="float32")
        return te.create_schedule(out.op), inputs + [out]

    def hybrid(self):
        h, t, n, size, keys, rows = self.heads, self.length, self.depth, self.block, self.keys, self.rows
        scale, lanes, lowest = self.scale, LANES, LOWEST
        inputs = [te.placeholder((h, t, n), name=x) for x in "QKV"]

        @te.hybrid.script
        def attention(q, k, v):
            out = output_tensor((h, t, n), "float32")  # noqa: F821
            for head in range(h):
                for b in range(t // size):
                    turned = allocate((n, size), "float32", "global")  # noqa: F821
                    scores = allocate((t, size), "float32", "global")  # noqa: F821
                    most = allocate((size,), "float32")  # noqa: F821
                    total = allocate((size,), "float32")  # noqa: F821
                    for d in range(n):
                        for i in range(size):
                            turned[d, i] = q[head, b * size + i, d] * scale
                    for i in range(size):
                        most[i] = lowest
                        total[i] = 0.0
                    for j in range((b + 1) * (size // keys)):
                        for i in range(size // lanes):
                            sums = allocate((keys, lanes), "float32")  # noqa: F821
                            for key in unroll(keys):  # noqa: F821
                                for lane in vectorize(lanes):  # noqa: F821
                                    sums[key, lane] = 0.0
                            for d in range(n):
                                for key in unroll(keys):  # noqa: F821
                                    for lane in vectorize(lanes):  # noqa: F821
                                        sums[key, lane] += k[head, j * keys + key, d] * turned[d, i * lanes + lane]
                            for key in unroll(keys):  # noqa: F821
                                for lane in vectorize(lanes):  # noqa: F821
                                    scores[j * keys + key, i * lanes + lane] = (
                                        sums[key, lane] if j * keys + key <= b * size + i * lanes + lane else lowest)
                                for lane in vectorize(lanes):  # noqa: F821
                                    most[i * lanes + lane] = max(most[i * lanes + lane],
                                                                 scores[j * keys + key, i * lanes + lane])
                    for j in range((b + 1) * size):
                        for i in unroll(size // lanes):  # noqa: F821
                            for lane in vectorize(lanes):  # noqa: F821
                                scores[j, i * lanes + lane] = exp(  # noqa: F821
                                    scores[j, i * lanes + lane] - most[i * lanes + lane])
                            for lane in vectorize(lanes):  # noqa: F821
                                total[i * lanes + lane] += scores[j, i * lanes + lane]
                    for i in range(size // rows):
                        for c in range(n // (2 * lanes)):
                            tile = allocate((rows, 2, lanes), "float32")  # noqa: F821
                            for row in unroll(rows):  # noqa: F821
                                for half in unroll(2):  # noqa: F821
                                    for lane in vectorize(lanes):  # noqa: F821
                                        tile[row, half, lane] = 0.0
                            for j in range((b + 1) * size):
                                for row in unroll(rows):  # noqa: F821
                                    for half in unroll(2):  # noqa: F821
                                        for lane in vectorize(lanes):  # noqa: F821
                                            tile[row, half, lane] += scores[j, i * rows + row] * v[
                                                head, j, (c * 2 + half) * lanes + lane]
                            for row in unroll(rows):  # noqa: F821
                                for half in unroll(2):  # noqa: F821
                                    for lane in vectorize(lanes):  # noqa: F821
                                        out[head, b * size + i * rows + row, (c * 2 + half) * lanes + lane] = (
                                            tile[row, half, lane] / total[i * rows + row])
            return out

        out = attention(*inputs)
        return te.create_schedule(out.op), inputs + [out]


class Case:
    """The numbers, their reference, and the clock."""

    def __init__(self, heads, length, depth, repeat):
        self.heads, self.length, self.depth, self.repeat = heads, length, depth, repeat
        rng = np.random.default_rng(0)
        self.q, self.k, self.v = (rng.standard_normal((heads, length, depth)).astype("float32") for _ in range(3))
        self.below = np.tril(np.ones((length, length), bool))
        self.reference = self.numpy(*(x.astype("float64") for x in (self.q, self.k, self.v)))
        # Multiply-adds on and below the diagonal only, for all programs.
        self.operations = 2.0 * heads * depth * length * (length + 1)
        self.peak = 0.0

    def numpy(self, q, k, v):
        scores = (q * self.depth ** -0.5) @ k.transpose(0, 2, 1)
        scores = np.where(self.below, scores, q.dtype.type(-np.inf))
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        return scores @ v

    def least(self, call):
        call()
        samples = []
        for _ in range(self.repeat):
            begin = time.perf_counter()
            call()
            samples.append(time.perf_counter() - begin)
        return min(samples)

    def line(self, what, seconds, error=None, operations=None):
        if error is not None and not error < 1e-4:
            print(f"{what:44} WRONG, error {error:.1e}", flush=True)
            return
        rate = (operations or self.operations) / seconds / 1e9
        share = f"{rate / self.peak * 100:4.0f} % of peak" if self.peak else ""
        note = "" if error is None else f"  error {error:.1e}"
        print(f"{what:44} {seconds * 1e3:8.3f} ms {rate:7.1f} GFLOP/s {share}{note}", flush=True)

    def run(self, name, program, options=""):
        s, args = getattr(program, name)()
        function = lathe.build(s, args, "llvm")
        size = program.block
        if name == "calls":
            # Rows of queries and results block by block, so that each call has its own arrays.
            rows = self.q.reshape(self.heads, -1, 1, size, self.depth).swapaxes(0, 1)
            queries = [lathe.nd.array(np.ascontiguousarray(x)) for x in rows]
            results = [lathe.nd.array(np.zeros_like(x)) for x in rows]
            shape = (self.heads, -1, size, self.depth)
            k, v = lathe.nd.array(self.k.reshape(shape)), lathe.nd.array(self.v.reshape(shape))
            def call():
                for b, (query, result) in enumerate(zip(queries, results)):
                    function(b + 1, query, k, v, result)
            seconds = self.least(call)
            got = np.stack([x.numpy() for x in results], 1)
        else:
            arrays = [lathe.nd.array(x.reshape([int(n) for n in a.shape]))
                      for a, x in zip(args, (self.q, self.k, self.v, np.zeros_like(self.q)))]
            seconds = self.least(lambda: function(*arrays))
            got = arrays[-1].numpy()
        error = np.abs(got.reshape(self.reference.shape) - self.reference).max()
        self.line(f"{name} {options}", seconds, error)


def measure_peak(case):
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
    function = lathe.build(s, [a, b, c], "llvm")
    arrays = [lathe.nd.array(np.ones([int(n) for n in x.shape], "float32")) for x in (a, b, c)]
    seconds = case.least(lambda: function(*arrays))
    case.line("peak: multiply-adds in registers", seconds, operations=2.0 * times * rows * depth * LANES)
    case.peak = 2.0 * times * rows * depth * LANES / seconds / 1e9


ALL = ("dense", "rectangle", "where", "triangle", "calls", "online", "scan", "builder", "hybrid",
       "numpy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="which programs; all by default")
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--length", type=int, default=1024, help="queries and keys, a multiple of 128")
    parser.add_argument("--depth", type=int, default=64, help="a multiple of 32")
    parser.add_argument("--repeat", type=int, default=15, help="samples; the least is printed")
    parser.add_argument("--loops", action="store_true", help="print the programs' loops and stop")
    options = parser.parse_args()
    shape = (options.heads, options.length, options.depth)
    names = options.programs or ALL
    for name in names:
        if name not in ALL:
            parser.error(f"there is no program {name}: {', '.join(ALL)}")
    if options.loops:
        for name in names:
            if name != "numpy":
                s, args = getattr(Attention(*shape, 32, 16, 8), name)()
                print(lathe.lower(s, args, simple_mode=True))
        return None
    case = Case(*shape, options.repeat)
    measure_peak(case)
    print("\nGFLOP/s count multiply-adds on and below the diagonal.")
    for name in names:
        if name == "numpy":
            case.line(name, case.least(lambda: case.numpy(case.q, case.k, case.v)))
        elif name == "dense":
            case.run(name, Attention(*shape, 32, 16, 8))
        elif name in ("online", "scan"):
            for block, key_block in ((32, 128), (64, 64), (64, 128)) if name == "online" else ((32, 32), (64, 64)):
                program = Attention(*shape, block, 16, 8)
                program.key_block = key_block
                case.run(name, program, f"{block} queries x {key_block} keys")
        else:
            for block in (16, 32, 64):
                case.run(name, Attention(*shape, block, 16, 8), f"{block} queries")
    return None


if __name__ == "__main__":
    main()
