#!/usr/bin/env python3
"""Checks that the pages on adding something are complete: what is there stands in every place they name.

usage: tests/laws/check_places.py [--planted]

A place is a file, and what it must contain for one thing (NAME is the thing's name, Name its name in
C++). Every place is named on the page. With --planted: each place is checked with a thing that
stands nowhere, which must be found out. One line for each page; exits with 1 if any fails.
"""

import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Place:
    file: str  # or a folder, one of whose files must contain it
    contains: str  # a regular expression
    # Things that need not stand there, and why.
    but: dict = dataclasses.field(default_factory=dict)


def primitives():
    folder = ROOT / "schedule" / "primitives"
    return sorted(f.stem for f in folder.glob("*.h") if f.stem not in ("checks", "primitives"))


def boards():
    return re.findall(r"^board\(\n    name = \"(\w+)\"", (ROOT / "boards" / "BUILD.bazel").read_text(), re.M)


OTHERS = "is others in a row"
NAMED = "has a name of its own for each annotation"
FUNCTION = "is a function of the module, for it changes many stages"
NOT_RUN = "has no test of kernels under its emulator yet"
HOST = "is the machine that builds"
PAGES = {
    "docs/adding_a_primitive.md": (primitives, [
        Place("schedule/primitives/primitives.h", r"schedule/primitives/NAME\.h"),
        Place("schedule/replay.cc", r'"NAME"', {"annotate": NAMED, "auto_inline": OTHERS, "tile": OTHERS}),
        Place("python/ffi/schedule.cc", r'"schedule\.\w*NAME|schedule::Name\(', {"annotate": NAMED}),
        Place("python/lathe/te/schedule.py", r"def NAME\(", {"annotate": NAMED, "auto_inline": FUNCTION}),
        Place("tests/prove/", r'"NAME"|schedule::Name\(', {"annotate": NAMED}),
        Place("examples/primitives/NAME.lathe", r""),
    ]),
    "docs/adding_a_board.md": (boards, [
        Place("boards/BUILD.bazel", r'"NAME\.target"'),
        Place(".bazelrc", r"build:NAME --platforms=//boards:NAME ", {"x86_64": HOST}),
        Place(".bazelrc", r"test:NAME --run_under=//boards:NAME_emulator", {"x86_64": HOST}),
        Place("tests/boards/BUILD.bazel", r'"NAME"', {"x86_64": HOST, "armhf": NOT_RUN}),
    ]),
}


def missing(place, thing):
    """What is wrong with a thing's place, or None."""
    cpp = "RFactor" if thing == "rfactor" else "".join(word.capitalize() for word in thing.split("_"))
    path = ROOT / place.file.replace("NAME", thing)
    pattern = place.contains.replace("NAME", re.escape(thing)).replace("Name", cpp)
    files = sorted(path.glob("*.cc")) if place.file.endswith("/") else [path]
    if not all(file.is_file() for file in files):
        return f"`{thing}`: there is no {path.relative_to(ROOT)}"
    if not any(re.search(pattern, file.read_text()) for file in files):
        return f"`{thing}` does not stand in {place.file} (expected /{pattern}/)"
    return None


def check(page):
    things, places = PAGES[page]
    text = (ROOT / page).read_text()
    names = things()
    problems = [] if names else [f"nothing was found that {page} could be about"]
    for place in places:
        shown = place.file.replace("NAME", "reverse")
        if f"`{shown}`" not in text:
            problems.append(f"{page} does not name `{shown}`")
        problems += [problem for thing in names if thing not in place.but and (problem := missing(place, thing))]
        problems += [f"{page}: `{thing}` stands in {place.file} now: take it out of PAGES"
                     for thing in place.but if not missing(place, thing)]
    return problems


def main():
    args = sys.argv[1:]
    if args not in ([], ["--planted"]):
        print(__doc__.strip())
        return 0 if args in (["--help"], ["-h"]) else 2
    failed = 0
    for page, (_, places) in PAGES.items():
        if args:
            problems = [f"a thing that is nowhere is not missed in {place.file}"
                        for place in places if not missing(place, "stands_nowhere")]
        else:
            problems = check(page)
        print("\n".join([f"{'FAILED' if problems else 'PASSED'} {page}", *problems]), flush=True)
        failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
