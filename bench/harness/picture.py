"""The ratios as an SVG: one bar per figure on a logarithmic scale, the line at 1 where both are equally fast."""

import math
from html import escape

_ROW, _LEFT, _WIDTH, _TOP = 16, 260, 560, 40
_COLOURS = {True: "#2a7f62", False: "#b8442c"}


def _x(ratio):
    """A quarter to eight times as fast."""
    position = (math.log2(min(max(ratio, 0.25), 8)) + 2) / 5
    return _LEFT + position * _WIDTH


def ratios(figures):
    height = _TOP + _ROW * len(figures) + 30
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 70}" height="{height}" font-family="sans-serif" font-size="11">',
        f'<rect width="100%" height="100%" fill="#ffffff"/><text x="10" y="18" font-size="13">Best peer\'s time over ours: right of the line we are faster</text>',
    ]
    for mark in (0.25, 0.5, 1, 2, 4, 8):
        x = _x(mark)
        out.append(f'<line x1="{x}" y1="{_TOP - 6}" x2="{x}" y2="{height - 24}" stroke="{"#333333" if mark == 1 else "#dddddd"}"/>')
        out.append(f'<text x="{x}" y="{height - 10}" text-anchor="middle" fill="#555555">{mark:g}</text>')
    for number, f in enumerate(figures):
        y = _TOP + number * _ROW
        a, b = sorted((_x(1), _x(f["ratio"])))
        label = f"{f['case']}, {f['threads']} thread{'s' if f['threads'] > 1 else ''}{', cold' if f['caches'] == 'cold' else ''}"
        out.append(f'<text x="{_LEFT - 8}" y="{y + 10}" text-anchor="end">{escape(label)}</text>')
        out.append(f'<rect x="{a:.1f}" y="{y + 2}" width="{b - a:.1f}" height="{_ROW - 5}" fill="{_COLOURS[f["ratio"] >= 1]}"><title>{escape(label)}: {f["ours_ms"]:.4f} ms, {escape(str(f["peer"]))} {f["peer_ms"]:.4f} ms</title></rect>')
        out.append(f'<text x="{max(b, _x(1)) + 4:.1f}" y="{y + 10}" fill="#555555">{f["ratio"]:.2f}</text>')
    return "\n".join(out + ["</svg>", ""])
