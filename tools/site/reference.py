"""The reference of the Python package: a page for each public module, from signatures and docstrings.

The stubs say what is public. A name that several modules have is described in one of them; the others
refer to it.
"""

import ast
import dataclasses
import importlib
import inspect
import pathlib


@dataclasses.dataclass
class Name:
    path: str  # such as lathe.te.compute
    kind: str  # class, function, module or data
    item: object
    home: str = ""  # where it is described


def public_modules(package):
    """Returns {name: stub} of the package's modules whose names have no part that begins with `_`."""
    root = pathlib.Path(package.__path__[0])
    found = {}
    for stub in sorted(root.rglob("*.pyi")):
        parts = [root.name, *stub.relative_to(root).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
        if not any(part.startswith("_") for part in parts):
            found[".".join(parts)] = stub
    return found


def names_of(stub):
    """Returns the public names that a stub defines or exports."""
    names = set()
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets)
        elif isinstance(node, ast.ImportFrom):
            # `import x as x` exports it.
            names.update(alias.asname for alias in node.names if alias.asname)
    return sorted(name for name in names if not name.startswith("_"))


def _rank(module, name, item):
    """What comes first is where an item is described: under its own name, in its own module or a package of that."""
    own = f"{getattr(item, '__module__', '')}."
    return (getattr(item, "__name__", name) != name, not own.startswith(f"{module}."), module.count("."), len(module),
            module, name)


def read(package):
    """Returns {module: [Name]} of all public modules."""
    found, homes = {}, {}
    for module, stub in sorted(public_modules(package).items()):
        loaded = importlib.import_module(module)
        found[module] = []
        for name in names_of(stub):
            # A stub also imports what only its signatures name.
            if not hasattr(loaded, name):
                continue
            item = getattr(loaded, name)
            kind = ("class" if inspect.isclass(item) else "module" if inspect.ismodule(item)
                    else "function" if inspect.isroutine(item) or callable(item) and hasattr(item, "__wrapped__")
                    else "data")
            found[module].append(Name(f"{module}.{name}", kind, item))
            homes.setdefault(id(item), []).append((_rank(module, name, item), f"{module}.{name}"))
    for name in (name for names in found.values() for name in names):
        name.home = min(homes[id(name.item)])[1] if name.kind in ("class", "function") else name.path
    return found


def title(text, line):
    return [text, line * len(text), ""]


def page(module, names, described):
    """The page of a module, as reStructuredText."""
    out = [*title(module, "="), f".. automodule:: {module}", "   :no-members:"]
    # lathe.te.hybrid.script is both a module and a function of the module above it.
    out += ["   :no-index:", ""] if module in described else [""]
    for kind, heading in (("class", "Classes"), ("function", "Functions")):
        here = [name for name in names if name.kind == kind and name.home == name.path]
        if here:
            out += title(heading, "-")
        for name in here:
            out += [f".. auto{kind}:: {name.path}"]
            out += ["   :members:", "   :undoc-members:"] if kind == "class" else []
            out += [""]
    data = [name for name in names if name.kind == "data"]
    if data:
        out += [*title("Values", "-"), ", ".join(f"``{name.path.rpartition('.')[2]}``" for name in data), ""]
    others = [name for name in names if name.kind in ("class", "function") and name.home != name.path]
    if others:
        out += [*title("Names that are described elsewhere", "-"),
                ".. list-table::", "   :widths: auto", ""]
        for name in others:
            out += [f"   * - ``{name.path.rpartition('.')[2]}``", f"     - :py:obj:`{name.home}`"]
        out += [""]
    return "\n".join(out)


def write(folder, package):
    """Writes the pages into a folder. Returns how many names they describe."""
    modules = read(package)
    described = {name.home for names in modules.values() for name in names}
    folder.mkdir()
    for module, names in modules.items():
        (folder / f"{module}.rst").write_text(page(module, names, described))
    index = [*title("Reference of the Python package", "="),
             "Every public name of the package ``lathe``, from its signature and docstring. The examples are run as tests "
             "(``python/tests/test_docs.py``).", "", ".. toctree::", "   :titlesonly:", ""]
    index += [f"   {module}" for module in sorted(modules)]
    (folder / "index.rst").write_text("\n".join(index) + "\n")
    return sum(name.home == name.path for names in modules.values() for name in names)
