#!/usr/bin/env python3
"""Checks the dependency rules ("laws") of the build graph: which room may depend on which.

usage: tests/laws/check_laws.py [--planted]

Without arguments, checks the real tree. With --planted, checks the checker: every folder of
tests/laws/planted holds packages that break one law. This checker must find each violation. If
the folder's EXPECT file says so, Bazel's own analysis must find it too. Prints one line for each
check; exits with 1 if any fails. BAZEL names the Bazel to ask.
"""

import ast
import os
import pathlib
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROOMS = next(ast.literal_eval(node.value) for node in ast.parse((HERE / "rooms.bzl").read_text()).body
             if isinstance(node, ast.Assign))
# A board must work without the IR and every room after it.
FIRST_OF_COMPILER = ROOMS.index("ir")
FACES = ["tools", "python", "java", "rust"]
# A kind that users may write, but that our own code must not assume.
KIND = '"llvm"'
USERS = ["examples", "bench", "tests", "python"]
# The header that gives kernels without checks, and the code that may include it.
ENTRY_HEADER = "runtime/artifact/kernel_entry.h"
ENTRY_CALLERS = ["runtime/artifact", "runtime/graph", "tests/entries"]
# The one package, besides the backends, that may name backends.
PLUGIN_LIST = "plugins"
# Rooms that must use constants for names; below it, the examples for vendors in them, which need
# not.
NAMING = ["runtime", "target", "ir", "arith", "te", "schedule", "lower", "topi", "plugins", "backends", "driver"]
VENDORS = ["plugins/example", "plugins/evil", "plugins/first_sdk"]
INTRINSIC_NAMES = "ir/intrinsic_names.h"
# One argument of a call, with at most one pair of parentheses in it.
ARGUMENT = r'(?:[^"(),;]|\([^()"]*\))*,\s*'
# Ways to write a name as text, each with the text as its last group: in a comparison, in a look-up,
# as an argument of a function that makes a call or an attribute, as a key of a target or as an
# option of a compilation.
NAME_AS_TEXT = [re.compile(pattern) for pattern in (
    r'\b(?:op|key|convention|scope|thread_tag|what)(?:\(\))?\s*[!=]=\s*"([^"]*)"',
    r'->name\s*[!=]=\s*"([^"]*)"',
    r'"([^"]*)"\s*[!=]=\s*[\w.>()-]*\b(?:op|key|convention|scope|thread_tag)\b',
    r'\b(?:attrs|annotations|attributes|limits|operands)(?:\.|->)(?:find|at|count|contains|erase|extract)\(\s*"([^"]*)"',
    r'\b(?:attrs|annotations|attributes|limits|operands)\[\s*"([^"]*)"',
    r'\b(?:StringAttr|IntAttr|WithAttr|MakeAttr|MakeCall|PartAttrs|PartOf)\(' + ARGUMENT + r'"([^"]*)"',
    r'\bCallIntrinsic\((?:' + ARGUMENT + r')?\s*"([^"]*)"',
    r'\btarget\.(?:Get|GetInt|GetFlag|GetList|HasKey)\(\s*"([^"]*)"',
    r'\bOption\(\s*"([^"]*)"',
)]


def bazel(*args, **kwargs):
    command = [*shlex.split(os.environ.get("BAZEL", "bazel")), *args]
    return subprocess.run(command, cwd=ROOT, text=True, **kwargs)


class Graph:
    """Rules of the workspace, their direct dependencies (data included) and attributes."""

    def __init__(self, xml_text, roots):
        self.roots = roots
        self.deps, self.kind, self.is_test, self.visibility = {}, {}, {}, {}
        for rule in xml.etree.ElementTree.fromstring(xml_text).iter("rule"):
            name = rule.get("name")
            self.kind[name] = rule.get("class")
            self.deps[name] = [i.get("name") for i in rule.findall("rule-input")]
            self.visibility[name] = [
                label.get("value") for attr in rule.findall("list")
                if attr.get("name") == "visibility" for label in attr.findall("label")]
            testonly = [b.get("value") for b in rule.findall("boolean") if b.get("name") == "testonly"]
            self.is_test[name] = rule.get("class").endswith("_test") or testonly == ["true"]

    def products(self):
        """Returns the rules that are part of the product, not of its tests."""
        return [name for name in sorted(self.kind) if not self.is_test[name]]

    def text(self, label):
        """Returns a source file of the workspace without its comments; None if it is no C++."""
        if package_of(label) is None or not label.endswith((".cc", ".h")):
            return None
        path = label[2:].replace(":", "/")
        found = [root / path for root in self.roots if (root / path).is_file()]
        return re.sub(r"(?m)^\s*//.*$|\s//\s.*$", "", found[0].read_text()) if found else None

    def closure(self, name):
        """Returns all that `name` depends on: {label: label that asked for it}."""
        seen, todo = {name: None}, [name]
        while todo:
            current = todo.pop()
            for dep in self.deps.get(current, []):
                if dep not in seen:
                    seen[dep] = current
                    todo.append(dep)
        return seen


def read_graph(package_path):
    # With default values, because a package's default visibility is one of them.
    done = bazel("query", "--output=xml", "--xml:default_values", "--noimplicit_deps",
                 "--nohost_deps", "--noshow_progress", f"--package_path={package_path}", "kind(rule, //...)",
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"bazel query failed:\n{done.stderr}")
    return Graph(done.stdout, [ROOT if part == "%workspace%" else pathlib.Path(part) for part in package_path.split(":")])


def package_of(label):
    """Returns the folder of a label of the workspace; None for an external one."""
    return label[2:].split(":")[0] if label.startswith("//") else None


def is_in(label, folder):
    package = package_of(label)
    return package is not None and (package + "/").startswith(folder + "/")


def room_of(label):
    """Returns the innermost room's index in ROOMS; None outside of rooms (third_party, boards)."""
    inside = [r for r in ROOMS if is_in(label, r)]
    return ROOMS.index(max(inside, key=len)) if inside else None


# --- The laws: each yields one line for a violation -----------------------------------------------


def law_order(graph):
    """Each room depends only on itself and on rooms that stand before it in ROOMS."""
    for name in graph.products():
        here = room_of(name)
        for dep in graph.deps[name]:
            there = room_of(dep)
            # //plugins itself is the list of default plugins.
            is_list = package_of(name) == PLUGIN_LIST and is_in(dep, "backends")
            if here is not None and there is not None and there > here and not is_list:
                yield f"{name} ({ROOMS[here]}) depends on {dep} ({ROOMS[there]}), which stands below it"


def law_runtime(graph):
    """Law 1: the runtime needs neither the IR, nor any room after it, nor LLVM."""
    for name in graph.products():
        if not is_in(name, "runtime"):
            continue
        reached = graph.closure(name)
        for dep in sorted(reached):
            if (room_of(dep) or 0) >= FIRST_OF_COMPILER or dep.startswith("@llvm//"):
                yield f"{name} reaches {dep} (by {reached[dep]})"


def law_backends(graph):
    """Law 2: only the list of default plugins names backends; a backend depends on abi and the SDK.

    base and ir are part of the SDK: it hands their classes to vendors. tests/<name> holds the tests
    of backends/<name> that need the compiler, and belongs to it."""
    for name in graph.kind:
        for dep in graph.deps[name]:
            own = "backends" + package_of(name).removeprefix("tests")
            if graph.is_test[name] and is_in(dep, own):
                continue
            if is_in(dep, "backends") and not is_in(name, "backends") and package_of(name) != PLUGIN_LIST:
                yield f"{name} depends on {dep}: only //{PLUGIN_LIST} may name a backend"
    for name in graph.products():
        if not is_in(name, "backends"):
            continue
        own = "/".join(package_of(name).split("/")[:2])
        for dep in graph.deps[name]:
            allowed = [own, "abi", "plugins/sdk", "base", "ir", "third_party"]
            if package_of(dep) is None or any(is_in(dep, folder) for folder in allowed):
                continue
            if dep.startswith("//:"):  # Files of the root, macros among them.
                continue
            yield (f"{name} depends on {dep}: "
                   "a backend stands on abi, plugins/sdk (with base and ir) and its own")


def law_border(graph):
    """Law 3: the C ABI consists of headers alone, and depends on nothing else."""
    for name in graph.products():
        if not is_in(name, "abi"):
            continue
        for dep in graph.deps[name]:
            if not is_in(dep, "abi"):
                yield f"{name} depends on {dep}: abi stands on nothing"
            elif dep not in graph.kind and not dep.endswith(".h"):
                yield f"{name} holds {dep}: abi is C headers, nothing else"


def law_faces(graph):
    """Law 4: language bindings and tools depend only on targets that every user may use."""
    for name in graph.products():
        face = next((f for f in FACES if is_in(name, f)), None)
        for dep in graph.deps[name] if face else []:
            if dep not in graph.kind or is_in(dep, face):
                continue
            if not any(v == "//visibility:public" or v.startswith("//:below_") for v in graph.visibility[dep]):
                yield f"{name} depends on {dep}, which is not public"


def law_names(graph):
    """Only backends name a kind of target; manifests say what a kind can do (`"host": true`)."""
    for name in graph.products():
        if room_of(name) is None or any(is_in(name, f) for f in ("backends", *USERS)):
            continue
        for source in graph.deps[name]:
            if KIND in (graph.text(source) or ""):
                yield f"{name} holds {source}, which names the target kind {KIND}"


def law_entries(graph):
    """Only the executor of plans calls kernels without checks: it has checked everything itself."""
    for name in sorted(graph.kind):
        if any(is_in(name, f) for f in ENTRY_CALLERS):
            continue
        for source in graph.deps[name]:
            if ENTRY_HEADER in (graph.text(source) or ""):
                yield f"{name} holds {source}, which includes {ENTRY_HEADER}"


def law_constants(graph):
    """Names in the IR, of targets and of plugins are constants, so that a typo does not compile."""
    values = re.findall(r'char k\w+\[\] = "(\w+)"', (ROOT / INTRINSIC_NAMES).read_text())
    intrinsic = re.compile(r'[!=]=\s*"(' + "|".join(values) + ')"')
    for name in graph.products():
        for source in graph.deps[name]:
            if not any(is_in(source, f) for f in NAMING) or any(is_in(source, f) for f in VENDORS):
                continue
            text = graph.text(source) or ""
            found = {m.group(1) for form in [*NAME_AS_TEXT, intrinsic] for m in form.finditer(text)}
            for literal in sorted(found):
                yield (f'{name} holds {source}, which says the name "{literal}" as text: use the constant '
                       "(ir/intrinsic_names.h, ir/names.h, lathe/abi/names.h, or one of its room)")


LAWS = [law_names, law_constants, law_order, law_runtime, law_backends, law_border, law_faces, law_entries]


# --- Planted violations ---------------------------------------------------------------------------


def check_planted():
    """Yields (name, problem or None) for each planted violation."""
    for folder in sorted(p for p in (HERE / "planted").iterdir() if p.is_dir()):
        expect = dict(line.split(": ", 1) for line in (folder / "EXPECT").read_text().splitlines())
        path = f"%workspace%:{folder}"
        law = globals()[expect["law"]]
        graph = read_graph(path)
        planted = [v for v in law(graph) if expect["target"] in v]
        problem = None if planted else f"{expect['law']} does not find {expect['target']}"
        if not problem and expect["analysis"] == "fails":
            done = bazel("build", "--nobuild", f"--package_path={path}", "--noshow_progress",
                         expect["target"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode == 0 or "is not visible from target" not in done.stdout:
                problem = f"analysis accepts {expect['target']}:\n{done.stdout}"
        yield folder.name, problem


def main():
    args = sys.argv[1:]
    if args not in ([], ["--planted"]):
        print(__doc__.strip())
        return 0 if args in (["--help"], ["-h"]) else 2
    failed = 0
    if args:
        results = check_planted()
    else:
        graph = read_graph("%workspace%")
        if not graph.kind:
            sys.exit("check_laws: the query found no rule at all")
        results = ((law.__name__, "\n".join(law(graph)) or None) for law in LAWS)
    for name, problem in results:
        print(f"{'FAILED' if problem else 'PASSED'} {name}" + (f"\n{problem}" if problem else ""), flush=True)
        failed += problem is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
