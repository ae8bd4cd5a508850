#!/usr/bin/env python3
"""Lists the names of all diagnostics in the sources, and keeps the list in docs/errors.md.

usage: tools/list_diagnostics.py [--root FOLDER]            print name, file:line and message
       tools/list_diagnostics.py [--root FOLDER] --update   rewrite the list in docs/errors.md
       tools/list_diagnostics.py [--root FOLDER] --check    exit with 1 where the list or a test lacks a name

A name is a string literal of lower-case words with hyphens at the place of a name. In C++: `.name = "..."` of a
Diagnostic, or the first such argument of a function that makes a status or throws (MAKERS). In the package
python/lathe: an argument of a class of errors, `LatheValueError("message", "the-name")`. Lines of the list are
written from the messages; a line that is there already is kept, so its text may be made better by hand.
"""

import argparse
import ast
import pathlib
import re
import sys

NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+\Z")
# Functions whose first name argument is the name of a diagnostic.
MAKERS = re.compile(
    r"(?:\w*(?:Status|Fail|Failed|Failure|Throw|Error|Diagnostic|Raise|Assert|Corrupt|Refuse|Reject|Malformed|Mismatch|Invalid|Check|Match|"
    r"Unsupported|Problem)\w*)\Z")
NOT_MAKERS = {"StatusName", "StatusIs", "StatusFromName", "StatusCodeFromName", "InternalError", "static_assert"}
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/) |
    (?P<raw>R"(?P<tag>[^(]*)\((?P<body>.*?)\)(?P=tag)") |
    (?P<string>"(?:[^"\\\n]|\\.)*") |
    (?P<char>'(?:[^'\\\n]|\\.)+') |
    (?P<word>[A-Za-z_]\w*) |
    (?P<other>::|->|\S)""", re.X | re.S)
FOLDERS = ["base", "runtime", "target", "ir", "arith", "te", "schedule", "lower", "topi", "graph", "tune", "plugins",
           "backends", "driver", "tools", "python", "java"]
SKIPPED = ("plugins/evil", "plugins/example", "plugins/threads_example", "tools/ci")
BEGIN, END = "<!-- list of names: tools/list_diagnostics.py --update -->", "<!-- end of the list -->"


def is_test(path):
    """Files that provoke diagnostics: unit tests, scripts, test data, the bad plugins, the fuzzers' corpora."""
    text = path.as_posix()
    return ("_test." in path.name or "/testdata/" in text or path.name.startswith("test_") or "_fuzz" in path.name
            or text.startswith(("tests/", "plugins/evil/", "plugins/conformance/", "examples/")))


def tokens_of(text):
    out = []
    for match in TOKEN.finditer(text):
        if match["comment"]:
            continue
        kind = "string" if match["string"] or match["raw"] else "word" if match["word"] else "other"
        value = match["body"] if match["raw"] else match["string"][1:-1] if match["string"] else match.group()
        out.append((kind, value, match.start()))
    return out


def message_after(tokens, at):
    """The literals of the argument after the one at `at`, expressions between them as `...`."""
    depth, parts = 0, []
    while at < len(tokens) and tokens[at][1] != ",":
        if tokens[at][1] in ";)}" and tokens[at][0] == "other":
            return ""
        at += 1
    for kind, value, _ in tokens[at + 1:]:
        if kind == "string":
            parts.append(value)
        elif kind == "other" and value in "([{":
            depth += 1
        elif kind == "other" and value in ")]}":
            depth -= 1
            if depth < 0:
                break
        elif kind == "other" and value in ",;" and depth == 0:
            break
        elif kind == "other" and value == ":" and parts:  # the other arm of a conditional
            parts.append(" / ")
        elif kind == "word" and value not in ("std", "string", "to_string", "absl", "StrCat", "message", "string_view"):
            if not parts or parts[-1] != "...":
                parts.append("...")
    return tidy("".join(parts).split("\\n")[0].replace("\\", ""))


def tidy(message):
    """A message with spaces around each `...`, and without what those leave over."""
    text = re.sub(r"\s+", " ", message.replace("`...`", "...").replace("...", " ... "))
    return text.replace(" ... ,", " ...,").replace("... ...", "...").replace(" ... :", " ...:").strip(" :,;")


def maker_of(tokens, at):
    """The name of the function (or aggregate) that the token is a direct argument of."""
    depth = 0
    for back in range(at - 1, max(at - 400, 0), -1):
        kind, value, _ = tokens[back]
        if kind != "other":
            continue
        if value in ")]}":
            depth += 1
        elif value in "([{":
            if depth == 0:
                return tokens[back - 1][1] if tokens[back - 1][0] == "word" else ""
            depth -= 1
        elif value == ";" and depth == 0:
            return ""
    return ""


def is_name_field(tokens, at):
    """`name = "..."`, or `name = condition ? "..." : "..."`."""
    if tokens[at - 1][1] == "(":
        return False
    for back in range(at - 1, max(at - 30, 0), -1):
        if tokens[back][1] == "=" and tokens[back - 1][1] == "name":
            return True
        if tokens[back][0] == "other" and tokens[back][1] in ",;{}=":
            return False
    return False


def names_in(path, text):
    tokens = tokens_of(text)
    for at, (kind, value, start) in enumerate(tokens):
        if kind != "string" or not NAME.match(value):
            continue
        field = is_name_field(tokens, at)
        maker = "" if field else maker_of(tokens, at)
        if not field and not (MAKERS.match(maker) and maker not in NOT_MAKERS):
            continue
        message = message_after(tokens, at)
        yield value, f"{path.as_posix()}:{text.count(chr(10), 0, start) + 1}", message


def python_message(node):
    """The text of a message in Python; expressions in it are `...`, the arms of a condition are separated by `/`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(python_message(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return python_message(node.left) + python_message(node.right)
    if isinstance(node, ast.IfExp):
        return python_message(node.body) + " / " + python_message(node.orelse)
    return "..."


def calls_in(node, function):
    """The calls under a node of functions whose name ends with `function`, in the order of the text."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func).endswith(function)]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def python_names_in(path, text):
    """Names in calls of `...Error`, and of `super().__init__` in a class of errors."""
    tree = ast.parse(text, path.as_posix())
    calls = calls_in(tree, "Error")
    for one in ast.walk(tree):
        if isinstance(one, ast.ClassDef) and one.name.endswith("Error"):
            calls += calls_in(one, "super().__init__")
    for call in calls:
        for given in [*call.args, *(keyword.value for keyword in call.keywords)]:
            for value in [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]:
                if isinstance(value, ast.Constant) and isinstance(value.value, str) and NAME.match(value.value):
                    message = tidy(python_message(call.args[0]).split("\n")[0]) if call.args else ""
                    yield value.value, f"{path.as_posix()}:{value.lineno}", "" if message == "..." else message


def collect(root):
    """{name: (place, message)} of the product, and the text of all tests."""
    found, tests = {}, []
    for folder in FOLDERS + ["tests", "examples"]:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            if not path.is_file() or path.suffix not in (".cc", ".h", ".c", ".sh", ".py", ".txt", ".lathe", ".json", ".bzl", ".java"):
                continue
            text = path.read_text(errors="replace")
            if is_test(relative):
                tests.append(text)
                continue
            of_python = path.suffix == ".py" and relative.as_posix().startswith("python/lathe/")
            if of_python or path.suffix in (".cc", ".h") and not relative.as_posix().startswith(SKIPPED):
                for name, place, message in (python_names_in if of_python else names_in)(relative, text):
                    if name not in found or len(message) > len(found[name][1]) and not found[name][1]:
                        found[name] = (place, message)
    return found, "\n".join(tests)


def listed(page):
    block = page.split(BEGIN)[1].split(END)[0]
    return dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", block, re.M))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    found, tests = collect(arguments.root)
    file = arguments.root / "docs/errors.md"
    if not arguments.update and not arguments.check:
        for name, (place, message) in sorted(found.items()):
            print(f"{name}\t{place}\t{message}")
        return 0
    page = file.read_text()
    old = listed(page)
    if arguments.update:
        lines = [f"| `{name}` | {old.get(name) or message or name.replace('-', ' ')} |" for name, (_, message) in sorted(found.items())]
        head, rest = page.split(BEGIN)
        file.write_text(head + BEGIN + "\n| name | meaning |\n|---|---|\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1])
        return 0
    problems = [f"{found[name][0]}: `{name}` is not in docs/errors.md; run tools/list_diagnostics.py --update" for name in found if name not in old]
    problems += [f"docs/errors.md: nothing is called `{name}` any more; run tools/list_diagnostics.py --update" for name in old if name not in found]
    in_tests = set(re.findall(r"[\w-]+", tests))
    problems += [f"{found[name][0]}: no test provokes `{name}`" for name in found if name not in in_tests]
    for problem in sorted(problems):
        print(problem)
    print(f"{len(found)} diagnostics, {len(problems)} problems")
    return 1 if problems or len(found) < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
