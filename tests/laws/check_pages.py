#!/usr/bin/env python3
"""Checks that the pages under docs/, and README.md, name what there is.

usage: tests/laws/check_pages.py [--planted]

Links lead to pages and headings that exist. `docs/NAME.md` and other paths of the tree in backticks
exist if they are pages. In code blocks, labels of Bazel are in packages, `lathe NAME` is a subcommand
with the options that stand after it, and `tools/NAME` is a program. With --planted, checks a page with
one mistake of each kind, all of which must be found. Prints `page:line: what is wrong`; exits with 1
if anything is.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A fence, or a block that is indented after an empty line.
FENCE = re.compile(r"^( *)```.*?^ *```$", re.M | re.S)
LINK = re.compile(r"\]\(([^)\s]+)\)")
# `lathe` at the beginning of a command, or after `bazel run //tools/lathe --`.
COMMAND = re.compile(r"(?:^|[$|;&] ?|bin/)lathe +([a-z_]+)([^|;&#\n]*)|//tools/lathe -- +([a-z_]+)([^|;&#\n]*)")
PLANTED = """# A page

See [a page](layout.md#no-such-heading), [another](no_such_page.md), `docs/no_such_page.md`.

    lathe no_such_command x.lathe
    lathe lower --no-such-option x.lathe
    bazel run //no/such/package:target
    tools/no_such_program
"""


def headings(text):
    """Returns the anchors of a page's headings, as hosts of Markdown name them."""
    anchors = set()
    for line in FENCE.sub("", text).splitlines():
        if match := re.match(r"#+ +(.*)", line):
            shown = LINK.sub("]", match[1]).replace("[", "").replace("]", "")
            slug = re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")
            anchors.add(slug if slug not in anchors else f"{slug}-1")
    return anchors


def subcommands():
    """Returns the names of the subcommands, and all their options."""
    sources = [file.read_text() for file in (ROOT / "tools" / "lathe").glob("*.cc")]
    names = {name for text in sources for name in re.findall(r'^    \.name = "(\w+)"', text, re.M)}
    # `lathe remote` passes options on to the programs of tools/rpc.
    programs = [*sources, *(file.read_text() for file in (ROOT / "tools" / "rpc").glob("*.[ch]*"))]
    options = {name for text in programs for name in re.findall(r'"(--[a-z][\w-]*)"', text)}
    return names | {"help"}, options


def blank(match):
    return "\n" * match[0].count("\n")


def problems_of_prose(page, text):
    for number, line in enumerate(FENCE.sub(blank, text).splitlines(), 1):
        if line.startswith("    "):
            continue
        for code in re.findall(r"`([\w./-]+\.md)`", line):
            if code.startswith("docs/") and not (ROOT / code).is_file():
                yield number, f"there is no page `{code}`"
        for link in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            path, _, anchor = link.partition("#")
            if ":" in path:
                continue
            target = (page.parent / path) if path else page
            if not target.is_file():
                yield number, f"the link {link} leads nowhere"
            elif target.suffix not in (".md", ".svg"):
                yield number, f"the link {link} leads to no page or picture, and the site has nothing else: write the path as code"
            elif anchor and anchor not in headings(target.read_text() if path else text):
                yield number, f"the link {link}: {target.name} has no such heading"


def problems_of_code(text, commands, options):
    """Problems of the lines in code blocks."""
    fenced = {number for match in FENCE.finditer(text)
              for number in range(text[:match.start()].count("\n") + 1, text[:match.end()].count("\n") + 2)}
    for number, line in enumerate(text.splitlines(), 1):
        if number not in fenced and not line.startswith("    "):
            continue
        for label in re.findall(r"\bbazel (?:build|run|test) [^#]*?//([\w/-]*)", line):
            folder = ROOT / label.rstrip("/")
            if not folder.is_dir():
                yield number, f"there is no package //{label}"
        for found in COMMAND.findall(line.strip()):
            name, rest = (found[0], found[1]) if found[0] else (found[2], found[3])
            if name not in commands:
                yield number, f"`lathe {name}` is no subcommand"
                continue
            for option in re.findall(r"(?<=\s)(--[a-z][\w-]*)", rest):
                if option not in options:
                    yield number, f"`lathe {name}` has no option {option}"
        for program in re.findall(r"(?:^|\s)(tools/[\w.]+)(?=\s|$)", line.strip()):
            if not (ROOT / program).exists():
                yield number, f"there is no {program}"


def check(page, text, commands, options):
    found = sorted([*problems_of_prose(page, text), *problems_of_code(text, commands, options)])
    return [f"{page.relative_to(ROOT)}:{number}: {problem}" for number, problem in found]


def main():
    args = sys.argv[1:]
    if args not in ([], ["--planted"]):
        print(__doc__.strip())
        return 0 if args in (["--help"], ["-h"]) else 2
    commands, options = subcommands()
    if args:
        found = check(ROOT / "docs" / "planted.md", PLANTED, commands, options)
        print("\n".join(found))
        # Two of one line; all others have a line each.
        return 0 if len(found) == 7 else 1
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    problems = [problem for page in pages for problem in check(page, page.read_text(), commands, options)]
    print("\n".join([f"{'FAILED' if problems else 'PASSED'} links and commands of {len(pages)} pages", *problems]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
