"""Text of the IR as HTML, for notebooks."""

import html
import re

_ANSI = re.compile(r"\x1b\[([0-9;]*)m")
_STYLES = {
    "1": "font-weight:bold", "2": "opacity:0.6", "3": "font-style:italic",
    "31": "color:#c0392b", "32": "color:#1e8449", "33": "color:#b9770e", "34": "color:#2471a3",
    "35": "color:#7d3c98", "36": "color:#117a65", "90": "color:#7f8c8d",
}


def page_of(ansi):
    """Coloured terminal text as a <pre> element."""
    out, open_spans, at = [], 0, 0
    for match in _ANSI.finditer(ansi):
        out.append(html.escape(ansi[at:match.start()]))
        at = match.end()
        codes = [c for c in match.group(1).split(";") if c not in ("", "0")]
        if not codes:
            out.append("</span>" * open_spans)
            open_spans = 0
        else:
            style = ";".join(_STYLES.get(c, "") for c in codes)
            out.append(f'<span style="{style}">')
            open_spans += 1
    out.append(html.escape(ansi[at:]) + "</span>" * open_spans)
    return '<pre style="line-height:1.3">' + "".join(out) + "</pre>"
