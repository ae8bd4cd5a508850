"""The comparison of whole networks as an SVG: a group of bars for each network, one bar for each
number of threads, on a logarithmic scale with a line at 1, where the best peer and we are equally
fast; beside it times, memory and sizes."""

import math
from html import escape

_NAMES = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "pytorch": "PyTorch", "compile": "PyTorch compiled"}
_SHORT = {"onnxruntime": "ONNX R.", "compile": "compiled"}  # beside numbers
_DOTS = {"onnxruntime": "#1f5fa8", "openvino": "#7a3fa0", "pytorch": "#d9822b", "compile": "#8c6d46"}
_FASTER, _SLOWER = ("#2a7f62", "#8cc5ae"), ("#b8442c", "#e5a596")  # with one thread, with several
_ROW, _GAP, _TOP, _LEFT, _WIDTH = 18, 10, 108, 220, 500
# Of the columns beside the bars: where they end, from the right end of the bars on, and their
# titles.
_COLUMNS = ((42, "ratio"), (110, "ours, ms"), (240, "best peer, ms"), (340, "first answer", "from a file, ms"),
            (430, "peak memory", "ours, MB"), (520, "peak memory", "ONNX R., MB"), (600, "file, MB"))


def _text(x, y, text, anchor="start", colour="#333333", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{escape(text)}</text>'


class _Scale:
    """Ratios from `least` to `most`, powers of two, as places."""

    def __init__(self, ratios):
        self.least = min(-1, math.floor(math.log2(max(min(ratios), 0.125))))
        self.most = max(2, math.ceil(math.log2(min(max(ratios), 16))))

    def x(self, ratio):
        place = min(max(math.log2(ratio), self.least), self.most)
        return _LEFT + (place - self.least) / (self.most - self.least) * _WIDTH

    def marks(self):
        return [2.0**power for power in range(self.least, self.most + 1)]


def _peers(f):
    """Ratio of each peer: its median over ours."""
    ours = f["peers"]["lathe"]["median_ms"]
    return {name: said["median_ms"] / ours for name, said in f["peers"].items() if name != "lathe"}


def _bar(f, y, scale):
    ratio, several = f["ratio"], f["threads"] > 1
    left, right = sorted((scale.x(1), scale.x(ratio)))
    colour = (_FASTER if ratio >= 1 else _SLOWER)[several]
    out = [f'<rect x="{left:.1f}" y="{y + 2}" width="{max(right - left, 1):.1f}" height="{_ROW - 4}" fill="{colour}"/>']
    for name, value in _peers(f).items():
        what = f"{_NAMES[name]}: {f['peers'][name]['median_ms']:.3f} ms, ours {f['peers']['lathe']['median_ms']:.3f} ms"
        out.append(f'<circle cx="{scale.x(value):.1f}" cy="{y + _ROW / 2}" r="4" fill="{_DOTS[name]}" stroke="#ffffff"><title>{escape(what)}</title></circle>')
    out.append(_text(_LEFT - 8, y + 13, f"{f['threads']} thread{'s' if several else ''}", "end", "#777777"))
    return out


def _numbers(f, y):
    """The columns beside the bars."""
    ours, runtime = f["peers"]["lathe"], f["peers"].get("onnxruntime")
    memory = f["artefact_peak_mb"]
    cells = [
        f"{f['ratio']:.2f}",
        f"{ours['median_ms']:.2f}",
        f"{_SHORT.get(f['best'], _NAMES[f['best']])} {f['peers'][f['best']]['median_ms']:.2f}",
        f"{f['artefact_load_ms'] + f['artefact_first_ms']:.1f}",
        f"{memory:.0f}",
        f"{runtime['peak_mb']:.0f}" if runtime else "-",
        f"{f['artefact_mb']:.1f}",
    ]
    right = _LEFT + _WIDTH
    bold = ' font-weight="bold"'
    return [_text(right + column[0], y + 13, cell, "end", more="" if number else bold) for number, (column, cell) in enumerate(zip(_COLUMNS, cells))]


def ratios(figures, machine):
    """The picture of the figures that have a ratio; `machine` is named below the title."""
    good = [f for f in figures if "ratio" in f]
    groups = {}
    for f in good:
        groups.setdefault((f["network"], f["batch"]), []).append(f)
    scale = _Scale([1.0] + [value for f in good for value in _peers(f).values()])
    height = _TOP + sum(_GAP + _ROW * len(group) for group in groups.values()) + 40
    width = _LEFT + _WIDTH + _COLUMNS[-1][0] + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(12, 24, "Whole networks: a peer's time over Lathe's", more=' font-size="17" font-weight="bold"'),
        _text(12, 42, f"Right of the line at 1 Lathe is faster. Medians of interleaved runs; a bar is the best peer, dots are all. {machine}", colour="#666666"),
    ]
    x = 12
    for name in [n for n in _NAMES if any(n in f["peers"] for f in good)]:
        out.append(f'<circle cx="{x + 5}" cy="60" r="4" fill="{_DOTS[name]}"/>' + _text(x + 14, 64, _NAMES[name]))
        x += 30 + 7 * len(_NAMES[name])
    for colours, text in zip(zip(_FASTER, _SLOWER), ("one thread", "several threads")):
        for colour in colours:
            out.append(f'<rect x="{x}" y="54" width="14" height="12" fill="{colour}"/>')
            x += 16
        out.append(_text(x + 2, 64, text))
        x += 110
    for mark in scale.marks():
        at, strong = scale.x(mark), mark == 1
        out.append(f'<line x1="{at:.1f}" y1="{_TOP - 6}" x2="{at:.1f}" y2="{height - 30}" stroke="{"#222222" if strong else "#e2e2e2"}" stroke-width="{2 if strong else 1}"/>')
        out.append(_text(at, height - 14, f"{mark:g}", "middle", "#222222" if strong else "#777777"))
        out.append(_text(at, _TOP - 10, f"{mark:g}", "middle", "#222222" if strong else "#777777"))
    for end, *title in _COLUMNS:
        for line, part in enumerate(title):
            out.append(_text(_LEFT + _WIDTH + end, _TOP - 10 - 14 * (len(title) - 1 - line), part, "end", "#777777"))
    y = _TOP
    for (network, batch), group in groups.items():
        out.append(f'<line x1="8" y1="{y}" x2="{width - 8}" y2="{y}" stroke="#eeeeee"/>')
        y += _GAP // 2
        one_line = batch > 1 and len(group) == 1
        out.append(_text(12, y + 13, f"{network}, {batch}" if one_line else network, more=' font-weight="bold"'))
        if batch > 1 and not one_line:
            out.append(_text(12, y + 13 + _ROW, f"batch {batch}", colour="#777777"))
        for f in group:
            out += _bar(f, y, scale) + _numbers(f, y)
            y += _ROW
        y += _GAP - _GAP // 2
    return "\n".join(out + ["</svg>", ""])
