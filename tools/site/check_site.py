"""Follows every link of a folder of HTML pages that leads into the folder."""

import html
import pathlib
import re
import sys
import urllib.parse

# Text has no quotation marks in HTML, so these are attributes.
ATTRIBUTE = re.compile(r'\b(id|href|src)="([^"]*)"')


def broken_links(site):
    """Returns what is wrong, as `page:line: the link TARGET leads nowhere`."""
    pages = {path: path.read_text() for path in sorted(site.rglob("*.html"))}
    anchors = {path: {value for name, value in ATTRIBUTE.findall(text) if name == "id"} for path, text in pages.items()}
    problems = []
    for path, text in pages.items():
        for match in ATTRIBUTE.finditer(text):
            link = html.unescape(match[2])
            where = urllib.parse.urlsplit(link)
            if match[1] == "id" or where.scheme or where.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(where.path)).resolve() if where.path else path
            anchor = urllib.parse.unquote(where.fragment)
            if not target.is_file() or anchor and target in anchors and anchor not in anchors[target]:
                line = text[:match.start()].count("\n") + 1
                problems.append(f"{path.relative_to(site)}:{line}: the link {link} leads nowhere")
    return problems


def main(arguments):
    problems = broken_links(pathlib.Path(arguments[0]).resolve())
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
