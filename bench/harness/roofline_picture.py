"""Steps of networks under the roofline as an SVG, one panel for each network: each step that
multiplies is a dot at its FLOP for each byte and its GFLOP/s, as large as its share of the time;
the roof is what the machine could do at most."""

import math
from html import escape

import ceilings

_WIDTH, _HEIGHT, _LEFT, _TOP, _SIDE = 620, 380, 70, 70, 420
_COLOURS = (("winograd", "#7a3fa0", "Winograd's algorithm"), ("depthwise", "#d9822b", "depthwise"), ("conv", "#1f5fa8", "convolution"),
            ("", "#2a7f62", "product or recurrent layer"))
_NAMED = 8  # so many steps, those that lose most time, are named


def _text(x, y, text, anchor="start", colour="#333333", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{escape(text)}</text>'


def _colour(step):
    names = " ".join(step["operators"])
    return next(colour for word, colour, _ in _COLOURS if word in names)


class _Axes:
    """Logarithmic axes that hold all values, with some room around them."""

    def __init__(self, xs, ys):
        self.x0, self.x1 = math.log10(min(xs) / 1.6), math.log10(max(xs) * 1.6)
        self.y0, self.y1 = math.log10(min(ys) / 1.6), math.log10(max(ys) * 1.3)

    def x(self, value):
        return _LEFT + (math.log10(value) - self.x0) / (self.x1 - self.x0) * _WIDTH

    def y(self, value):
        return _TOP + _HEIGHT - (math.log10(value) - self.y0) / (self.y1 - self.y0) * _HEIGHT


def _marks(least, most):
    """1, 2 and 5 of each power of ten, between two logarithms."""
    values = [factor * 10.0**power for power in range(math.floor(least), math.ceil(most)) for factor in (1, 2, 5)]
    return [value for value in values if least <= math.log10(value) <= most]


def _grid(axes):
    out = []
    for value in _marks(axes.x0, axes.x1):
        at = axes.x(value)
        out.append(f'<line x1="{at:.1f}" y1="{_TOP}" x2="{at:.1f}" y2="{_TOP + _HEIGHT}" stroke="#e8e8e8"/>')
        out.append(_text(at, _TOP + _HEIGHT + 16, f"{value:g}", "middle", "#777777"))
    for value in _marks(axes.y0, axes.y1):
        at = axes.y(value)
        out.append(f'<line x1="{_LEFT}" y1="{at:.1f}" x2="{_LEFT + _WIDTH}" y2="{at:.1f}" stroke="#e8e8e8"/>')
        out.append(_text(_LEFT - 6, at + 4, f"{value:g}", "end", "#777777"))
    out.append(_text(_LEFT + _WIDTH / 2, _TOP + _HEIGHT + 34, "FLOP for each byte that is read or written", "middle", "#555555"))
    middle = _TOP + _HEIGHT / 2
    out.append(_text(18, middle, "GFLOP/s", "middle", "#555555", f' transform="rotate(-90 18 {middle})"'))
    return out


def _roof(axes, gbs, peak, label, dash):
    """The line that rises with a rate of bytes up to a ceiling of multiply-adds."""
    left, right = max(10**axes.x0, 10**axes.y0 / gbs), 10**axes.x1
    points = [(x, min(x * gbs, peak)) for x in sorted({left, min(max(peak / gbs, left), right), right})]
    path = " ".join(f"{axes.x(x):.1f},{axes.y(y):.1f}" for x, y in points)
    line = f'<polyline points="{path}" fill="none" stroke="#222222" stroke-width="1.5"{dash}/>'
    halo = ' paint-order="stroke" stroke="#ffffff" stroke-width="4"'
    return [line, _text(axes.x(left) + 10, min(axes.y(points[0][1]), _TOP + _HEIGHT - 6), label, colour="#222222", more=halo)]


def _panel(f):
    steps = [s for s in f["steps"] if s["total_flop"] and s["total_bytes"]]
    memory, cache = ceilings.memory_gbs(f["ceiling"]), f["ceiling"]["l2_copy"]
    peaks = {kind: ceilings.gflops(f["ceiling"], kind) for kind in {s["kind"] for s in steps} | {"float32"}}
    dots = [(s["total_flop"] / s["total_bytes"], s["gflops"], s) for s in steps]
    bend = peaks["float32"] / memory
    axes = _Axes([1, bend, *(d[0] for d in dots)], [memory, *peaks.values(), *(d[1] for d in dots)])
    out = _grid(axes)
    for number, (kind, peak) in enumerate(sorted(peaks.items(), key=lambda item: item[1])):
        labels = (f"memory, {memory:.0f} GB/s", f"second cache, {cache:.0f} GB/s") if not number else ("", "")
        out += _roof(axes, cache, peak, labels[1], ' stroke-dasharray="5 4"')
        out += _roof(axes, memory, peak, labels[0], "")
        out.append(_text(_LEFT + _WIDTH - 4, axes.y(peak) - 6, f"{kind}: {peak:.0f} GFLOP/s", "end", "#222222"))
    worst = sorted(steps, key=lambda s: -s["lost_ms"])[:_NAMED]
    for x, y, s in dots:
        what = f"step {s['step']}: {' + '.join(s['operators'])}; {s['ms']:.4f} ms, roofline {s['roofline_ms']:.4f} ms"
        radius = 3 + 12 * math.sqrt(s["ms"] / f["steps_ms"])
        out.append(
            f'<circle cx="{axes.x(x):.1f}" cy="{axes.y(y):.1f}" r="{radius:.1f}" fill="{_colour(s)}" fill-opacity="0.6" stroke="#ffffff">'
            f"<title>{escape(what)}</title></circle>"
        )
    for x, y, s in dots:
        if s in worst:
            out.append(_text(axes.x(x), axes.y(y) + 4, str(s["step"]), "middle", "#000000", ' font-size="10"'))
    return out + _side(f, worst)


def _side(f, worst):
    """Beside the axes: what colours mean, sums, and the steps that lose most."""
    x, y, out = _LEFT + _WIDTH + 24, _TOP + 8, []
    for _, colour, text in _COLOURS:
        out.append(f'<circle cx="{x + 5}" cy="{y - 4}" r="5" fill="{colour}" fill-opacity="0.6"/>' + _text(x + 16, y, text))
        y += 18
    other = sum(s["ms"] for s in f["steps"] if not s["total_flop"])
    share = f"; {100 * f['share_of_fma']:.0f} % of multiply-adds" if "share_of_fma" in f else ""
    lines = [f"a run: {f['run_ms']:.2f} ms, {f['gflops']:.0f} GFLOP/s{share}", f"all steps: {f['steps_ms']:.2f} ms, roofline {f['roofline_ms']:.2f} ms",
             f"steps that do not multiply (no dots): {other:.2f} ms"]
    for line in lines:
        y += 17
        out.append(_text(x, y + 4, line))
    out.append(_text(x, y + 34, "These steps lose most (step: ms, roofline ms)", more=' font-weight="bold"'))
    for number, s in enumerate(worst):
        text = " + ".join(s["operators"])
        out.append(_text(x, y + 52 + 16 * number, f"{s['step']}: {s['ms']:.3f}, {s['roofline_ms']:.3f}  {text if len(text) < 40 else text[:37] + '...'}"))
    return out


def rooflines(figures, machine):
    """One panel below the other; `machine` is named in the title of each."""
    each, width = _TOP + _HEIGHT + 60, _LEFT + _WIDTH + _SIDE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{each * len(figures)}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for number, f in enumerate(figures):
        title = f"{f['network']}, batch {f['batch']}, {f['threads']} thread{'s' if f['threads'] > 1 else ''}: steps under the roofline"
        out.append(f'<g transform="translate(0 {number * each})">' + _text(12, 26, title, more=' font-size="17" font-weight="bold"'))
        out.append(_text(12, 46, f"A dot is a step that multiplies; its area grows with its time. {machine}", colour="#666666"))
        out += _panel(f) + ["</g>"]
    return "\n".join(out + ["</svg>", ""])
