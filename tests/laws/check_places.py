#!/usr/bin/env python3
"""Checks the pages on adding something: each thing must stand in every place that they name.

usage: tests/laws/check_places.py [--planted]

A place is a file, and what it must contain for one thing. NAME is the thing's name, Name its name
in C++. If the thing is `driver.lower`, MODULE is `driver` and FUNCTION is `lower`. The page must
name every place. With --planted, checks each place for a thing that stands nowhere, which must be
found missing. Prints one line for each page and kind of thing; exits with 1 if any fails.
"""

import ast
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Place:
    # If this is a folder or has a `*`, one of its files (tests excepted) must contain it.
    file: str
    contains: str  # a regular expression
    # Things that need not stand there, and the reason.
    but: dict = dataclasses.field(default_factory=dict)


def primitives():
    folder = ROOT / "schedule" / "primitives"
    return sorted(f.stem for f in folder.glob("*.h") if f.stem not in ("checks", "primitives"))


def boards():
    return re.findall(r"^board\(\n    name = \"(\w+)\"", (ROOT / "boards" / "BUILD.bazel").read_text(), re.M)


def intrinsics(*tables):
    """Returns the names of entries in ir/intrinsic_TABLE.cc, written out or as constants (kExp)."""
    made = r'(?:LATHE_FLOAT|FloatTest|Integer\w+|Entry|Make|Elementwise)\(\s*(?:"(\w+)"|\w+::k(\w+))'
    text = "".join((ROOT / "ir" / f"intrinsic_{table}.cc").read_text() for table in tables)
    return sorted(name or re.sub(r"(?<!^)([A-Z])", r"_\1", constant).lower()
                  for name, constant in re.findall(made, text))


def subcommands():
    folder = ROOT / "tools" / "lathe"
    return sorted(name for file in folder.glob("*.cc")
                  for name in re.findall(r'^    \.name = "(\w+)"', file.read_text(), re.M))


def registered():
    """Returns what the Python extension puts into the registry, such as `driver.lower`."""
    return sorted(name for file in (ROOT / "python" / "ffi").glob("*.cc")
                  for name in re.findall(r'\bDef(?:Binary)?\(\s*"([\w.]+)"', file.read_text()))


def themes():
    """Returns each extension file's last Register function: `Driver` for RegisterDriver."""
    found = [re.findall(r"^void Register(\w+)\(\) {", file.read_text(), re.M)
             for file in (ROOT / "python" / "ffi").glob("*.cc")]
    return sorted(names[-1] for names in found if names and names != ["All"])


def python_functions():
    """Returns the public functions of the package's public modules, such as `driver.lower`."""
    package = ROOT / "python" / "lathe"
    return sorted(f"{'.'.join(file.relative_to(package).with_suffix('').parts)}.{item.name}"
                  for file in package.rglob("*.py")
                  if not any(re.match(r"_(?!_init__)", part) for part in file.relative_to(package).parts)
                  for item in ast.parse(file.read_text()).body
                  if isinstance(item, ast.FunctionDef) and not item.name.startswith("_"))


OTHERS = "is others in a row"
NAMED = "has a name of its own for each annotation"
FUNCTION = "is a function of the module, for it changes many stages"
NOT_RUN = "has no test of kernels under its emulator yet"
HOST = "is the machine that builds"
ONLY_TESTS = "is called by tests and benchmarks alone"
UNCALLED = "is called by no Python function"
BY_LOWERING = "is made by lowering alone"
EVALUATED = "is evaluated by its entry alone"
IN_PLUGINS = "is in plugins.cc"
IN_REMOTE = "is in remote_test.sh"
# (page, the things that it is about, their places). A page has one entry for each kind of thing.
PAGES = [
    ("docs/adding_an_intrinsic.md", lambda: intrinsics("math", "core", "threads"), [
        Place("ir/intrinsic_names.h", r'"NAME"'),
        Place("ir/intrinsic_test.cc", r'"NAME"|\bkName\b'),
    ]),
    ("docs/adding_an_intrinsic.md", lambda: intrinsics("math"), [
        Place("ir/intrinsic.h", r'"NAME"|\bkName\b|Expr Name\(', {"scalb": BY_LOWERING}),
        Place("python/lathe/tir/expr.py", r'"(?:tir\.)?NAME"', {"scalb": BY_LOWERING}),
        Place("backends/llvm/emit_*.cc", r'"NAME"|\bkName\b'),
        Place("plugins/sdk/c_*.cc", r'"NAME"|\bkName\b', {"scalb": BY_LOWERING}),
    ]),
    ("docs/adding_an_intrinsic.md", lambda: intrinsics("core", "threads"), [
        Place("ir/interpreter/*.cc", r'"NAME"|\bkName\b', {
            **dict.fromkeys("likely undef vector_concat vector_high vector_low".split(), EVALUATED),
            "warp_shuffle_down": "is what remains of the four shuffles"}),
    ]),
    ("docs/adding_an_intrinsic.md", lambda: intrinsics("core"), [
        Place("backends/llvm/emit_*.cc", r'"NAME"|\bkName\b'),
    ]),
    ("docs/adding_a_subcommand.md", subcommands, [
        Place("tools/lathe/NAME.cc", r"const Command kName = ", {"targets": IN_PLUGINS}),
        Place("tools/lathe/command.h", r"extern const Command [^;]*\bkName\b"),
        Place("tools/lathe/main.cc", r"&kName\b"),
        Place("tools/lathe/BUILD.bazel", r'"NAME\.cc"', {"targets": IN_PLUGINS}),
        Place("tools/lathe/lathe_test.sh", r"for command in .*\bNAME\b"),
        Place("tools/lathe/lathe_test.sh", r'"\$lathe" NAME\b', {"board": IN_REMOTE, "remote": IN_REMOTE}),
    ]),
    ("docs/adding_a_python_function.md", registered, [
        Place("python/lathe/", r"""["']NAME["']|_binary\("FUNCTION\"""", {
            **dict.fromkeys("testing.echo testing.loopback_session testing.nop".split(), ONLY_TESTS),
            **dict.fromkeys(
                "device.kind_names ir.colorize ir.text_whole module.deserialize "
                "session.load_bytes session.name tir.call_intrinsic tir.const_int tir.refresh".split(), UNCALLED)}),
    ]),
    ("docs/adding_a_python_function.md", python_functions, [
        Place("python/lathe/MODULE.pyi", r"def FUNCTION\("),
        Place("python/lathe/MODULE.py", r">>> "),
    ]),
    ("docs/adding_a_python_function.md", themes, [
        Place("python/ffi/ffi.h", r"void RegisterNAME\(\);"),
        Place("python/ffi/register.cc", r"RegisterNAME\(\);"),
    ]),
    ("docs/adding_a_primitive.md", primitives, [
        Place("schedule/primitives/primitives.h", r"schedule/primitives/NAME\.h"),
        Place("schedule/trace_names.h", r'"NAME"', {"annotate": NAMED, "auto_inline": OTHERS, "tile": OTHERS}),
        Place("schedule/replay.cc", r"primitive::kName\b",
              {"annotate": NAMED, "auto_inline": OTHERS, "tile": OTHERS}),
        Place("python/ffi/schedule.cc", r'"schedule\.\w*NAME|schedule::Name\(', {"annotate": NAMED}),
        Place("python/lathe/te/", r"def NAME\(", {"annotate": NAMED, "auto_inline": FUNCTION}),
        Place("tests/prove/", r'"NAME"|schedule::Name\(', {"annotate": NAMED}),
        Place("examples/primitives/NAME.lathe", r""),
    ]),
    ("docs/adding_a_board.md", boards, [
        Place("boards/BUILD.bazel", r'^    "NAME",$'),
        Place("boards/BUILD.bazel", r'^    "NAME": "', {"x86_64": HOST}),
        Place(".bazelrc", r"build:NAME --platforms=//boards:NAME ", {"x86_64": HOST}),
        Place(".bazelrc", r"test:NAME --run_under=//boards:NAME_emulator", {"x86_64": HOST}),
        Place("tests/boards/BUILD.bazel", r'"NAME"', {"x86_64": HOST}),
    ]),
]
# The thing that a page adds as its example; `reverse` for pages that are not listed.
EXAMPLES = {
    "docs/adding_a_subcommand.md": "stages",
    "docs/adding_a_python_function.md": "driver.workload_key",
}


def named(text, thing):
    """Returns `text` with the names of this thing filled in."""
    module, _, function = thing.rpartition(".")
    return text.replace("MODULE", module.replace(".", "/")).replace("FUNCTION", function).replace("NAME", thing)


def files_of(file):
    """Returns the files that a place's file, folder or pattern stands for."""
    if file.endswith("/"):
        suffix = ".py" if file.startswith("python/lathe") else ".cc"
        return sorted((ROOT / file).rglob(f"*{suffix}"))
    if "*" in file:
        return sorted(f for f in ROOT.glob(file) if not f.stem.endswith("_test"))
    return [ROOT / file]


def missing(place, thing):
    """Returns what is wrong with a thing's place, or None."""
    cpp = "RFactor" if thing == "rfactor" else "".join(word.capitalize() for word in thing.split("_"))
    file = named(place.file, thing)
    pattern = named(place.contains, re.escape(thing)).replace("Name", cpp)
    files = files_of(file)
    if not files or not all(found.is_file() for found in files):
        return f"`{thing}`: there is no {file}"
    if not any(re.search(pattern, found.read_text(), re.M) for found in files):
        return f"`{thing}` does not stand in {file} (expected /{pattern}/)"
    return None


def check(page, things, places):
    text = (ROOT / page).read_text()
    names = things()
    problems = [] if names else [f"nothing was found that {page} could be about"]
    for place in places:
        shown = named(place.file, EXAMPLES.get(page, "reverse"))
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
    for page, things, places in PAGES:
        if args:
            problems = [f"a thing that is nowhere is not missed in {place.file}"
                        for place in places if not missing(place, "stands_nowhere")]
        else:
            problems = check(page, things, places)
        print("\n".join([f"{'FAILED' if problems else 'PASSED'} {page}", *problems]), flush=True)
        failed += bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
