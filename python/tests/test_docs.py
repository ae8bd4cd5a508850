"""The examples in docstrings must run as they are written."""

import doctest
import functools
import importlib
import inspect
import os
import pkgutil

import pytest

import lathe
import lathe.autotvm

MODULES = sorted(m.name for m in pkgutil.walk_packages(lathe.__path__, "lathe.")
                 if not m.name.endswith("_core")) + ["lathe"]


# Public functions without an example, each with the reason.
WITHOUT_EXAMPLE = {
    "lathe.compat.moved": "serves the package itself",
    "lathe.compat.install": "serves the package itself",
    "lathe.error.make_error": "the core calls it",
    "lathe.error.users_place": "serves the package itself",
    "lathe.te.schedule.output_ops": "serves the package itself",
    "lathe.ir.Expr": "a base class", "lathe.ir.Stmt": "a base class", "lathe.ir.Op": "a base class",
    "lathe.ir.Node": "a base class",
}


class Finder(doctest.DocTestFinder):
    """Finds functions inside their decorators, in the module that defines them."""

    def _from_module(self, module, item):
        item = inspect.unwrap(item) if callable(item) else item
        if inspect.isfunction(item):
            return item.__module__ == module.__name__
        return super()._from_module(module, item)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, monkeypatch):
    # The runtime of a sanitizer that is preloaded for Python must not be loaded into the code
    # generator's process, which has its own.
    if "LD_PRELOAD" in os.environ:
        builder = lathe.autotvm.LocalBuilder
        monkeypatch.setattr(builder, "__init__",
                            functools.partialmethod(builder.__init__, isolate=False))
    module = importlib.import_module(name)
    tests = Finder(exclude_empty=True).find(module, name)
    # Classes that are generated or re-exported are found in the module that defines them.
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in tests:
        if test.examples:
            runner.run(test)
    assert runner.failures == 0


def public_items():
    """Returns {full name: function or class} for all that public modules define."""
    found = {}
    for name in MODULES:
        if any(part.startswith("_") for part in name.split(".")):
            continue
        module = importlib.import_module(name)
        for key, item in vars(module).items():
            if key.startswith("_") or not (inspect.isfunction(item) or inspect.isclass(item)):
                continue
            if (item.__module__ or "") == name and item.__name__ == key and not hasattr(item, "_kind_name"):
                found[f"{name}.{key}"] = item
    return found


def test_every_public_function_and_class_has_an_example():
    items = public_items()
    assert len(items) > 250
    missing = [name for name, item in items.items() if ">>>" not in (inspect.getdoc(item) or "")]
    assert sorted(missing) == sorted(n for n in WITHOUT_EXAMPLE if n in items), missing


def test_every_public_name_has_a_docstring():
    """Modules, functions, classes, and the methods and properties of classes: the reference shows all of them."""
    without = [name for name in MODULES if not any(part.startswith("_") for part in name.split("."))
               and not importlib.import_module(name).__doc__]
    seen = 0
    for name, item in public_items().items():
        own = vars(item) if inspect.isclass(item) else {}
        for key in ["", *(key for key, value in own.items() if not key.startswith("_") and
                          (inspect.isroutine(value) or isinstance(value, (property, classmethod, staticmethod))))]:
            seen += 1
            if not inspect.getdoc(getattr(item, key) if key else item):
                without.append(f"{name}.{key}".rstrip("."))
    assert seen > 1500
    assert not without


def test_the_examples_are_run():
    found = {t.name for name in MODULES for t in Finder().find(importlib.import_module(name), name) if t.examples}
    unfound = [name for name, item in public_items().items()
               if ">>>" in (inspect.getdoc(item) or "") and name not in found]
    assert not unfound
