"""Draws loops as boxes within boxes, as SVG: what a schedule made of a program, at a glance."""

import dataclasses
import html

LETTER, LINE, PAD, GAP = 7.3, 18, 8, 5  # pixels of a monospaced letter, a line, a box's border, between boxes
# A box's colours by the first word of its header that is here: (inside, border).
COLOURS = {
    "parallel": ("#dcefe0", "#3f8f57"), "vectorized": ("#fbe6cf", "#b97a2b"), "unrolled": ("#efe3f7", "#8454a8"),
    "thread": ("#dceef2", "#2f8296"), "if": ("#fbdedd", "#b4443f"), "for": ("#e4ecfa", "#4a6fb5"),
}
OTHER = ("#f3f4f6", "#8a929c")


@dataclasses.dataclass
class Box:
    header: str = ""
    parts: list = dataclasses.field(default_factory=list)  # boxes and lines of text

    def size(self):
        """(width, height) in pixels."""
        sizes = [part.size() if isinstance(part, Box) else (len(part) * LETTER, LINE) for part in self.parts]
        inner = max([width for width, _ in sizes] + [len(self.header) * LETTER])
        return inner + 2 * PAD, sum(height + GAP for _, height in sizes) + LINE + 2 * PAD - GAP


def read(text):
    """The functions of a program's text as boxes in one box."""
    top = Box()
    open_boxes = [top]
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("}"):
            open_boxes.pop()
            line = line[1:].strip()
        if line.endswith("{"):
            box = Box(line[:-1].strip())
            open_boxes[-1].parts.append(box)
            open_boxes.append(box)
        elif line:
            open_boxes[-1].parts.append(line)
    return top


def text_at(x, y, text, weight=""):
    return f'<text x="{x:g}" y="{y:g}"{weight}>{html.escape(text)}</text>'


def draw(box, x, y, width):
    """The lines of SVG of a box whose left upper corner is (x, y)."""
    _, height = box.size()
    inside, border = next((COLOURS[word] for word in box.header.split() if word in COLOURS), OTHER)
    out = [f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" fill="{inside}" stroke="{border}"/>',
           text_at(x + PAD, y + PAD + 12, box.header, ' font-weight="bold"')]
    below = y + PAD + LINE
    for part in box.parts:
        if isinstance(part, Box):
            out += draw(part, x + PAD, below, width - 2 * PAD)
            below += part.size()[1] + GAP
        else:
            out.append(text_at(x + PAD, below + 13, part))
            below += LINE + GAP
    return out


def picture(panels):
    """An SVG of [(title, loops as text)], side by side if that is not too wide, else one below the other."""
    boxes = [(title, box) for title, text in panels for box in read(text).parts if isinstance(box, Box)]
    sizes = [box.size() for _, box in boxes]
    beside = sum(width + 20 for width, _ in sizes) <= 1000
    x, y, body, right, bottom = 10, 10, [], 0, 0
    for (title, box), (width, height) in zip(boxes, sizes):
        body += [text_at(x, y + 13, title), *draw(box, x, y + 22, width)]
        right, bottom = max(right, x + width + 10), max(bottom, y + 22 + height + 10)
        if beside:
            x += width + 20
        else:
            y += height + 42
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right:g} {bottom:g}" width="{right:g}" height="{bottom:g}" '
        'font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="12" fill="#1c2430">',
        '<rect width="100%" height="100%" fill="#ffffff"/>', *body, "</svg>", ""])
