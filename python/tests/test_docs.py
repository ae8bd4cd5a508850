"""The examples in docstrings run as they stand."""

import doctest
import importlib
import pkgutil

import pytest

import lathe

MODULES = sorted(m.name for m in pkgutil.walk_packages(lathe.__path__, "lathe.")
                 if not m.name.endswith("_core")) + ["lathe"]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    tests = doctest.DocTestFinder(exclude_empty=True).find(module, name)
    # Classes that are generated or passed on are found where they are written.
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in tests:
        if test.examples:
            runner.run(test)
    assert runner.failures == 0


def test_there_are_examples():
    assert sum(len(t.examples) for name in MODULES
               for t in doctest.DocTestFinder().find(importlib.import_module(name), name)) > 50
