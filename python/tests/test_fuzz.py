"""Calls every public function with wrong arguments: it must raise, and never crash or hang."""

import importlib
import inspect
import pkgutil
import random
import types

import numpy as np
import pytest

import lathe
from lathe import te

# All modules, so that new ones are included at once. Names with an underscore are private.
MODULES = [lathe] + [importlib.import_module(m.name) for m in pkgutil.walk_packages(lathe.__path__, "lathe.")
                     if not any(part.startswith("_") for part in m.name.split("."))]
# These change the process for all later tests, or write to a path given as an argument.
SKIP = {"terminate_self", "identity_after", "filelock", "FileLock", "create_llvm", "compile_cuda", "memoize", "Cache",
        "PopenPoolExecutor", "PopenWorker", "set_num_threads", "remove_global_func", "register_func", "export_library", "save",
        "warn_about_old_names", "show_cpp_frames", "register_tensor_intrin", "install", "Function",
        "PackedFunc",
        "create_shared", "create_executable", "tar", "untar",
        "main"}  # ends the process


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Functions that take a path may make files of these names."""
    monkeypatch.chdir(tmp_path)


def values():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    x = te.var("x")
    return [None, True, 0, -1, 3, 2**31, 2**63, 1.5, float("nan"), "", "text", "float32", "llvm",
            b"x", [], [1], [[]], (), (0, 4), {}, {"a": 1}, {x: 1}, object(), lambda: 1,
            lambda *a: a, lambda *a: None, np.zeros(3), np.array(["a"]), lathe.nd.empty((2,)),
            lathe.cpu(), A, B, A.op, B.op, s, s[B], B.op.axis[0], x, x + 1, x < 1,
            tir_store(), lathe.ir.Range(0, 4), lathe.lower(s, [A, B]), lathe.lower(s, [A, B])["main"],
            lathe.Target("llvm"), lathe.arith.Analyzer(), types, int, lathe.tir.Var]


def tir_store():
    A = lathe.tir.decl_buffer((4,))
    return lathe.tir.Store(A, 1.0, [0])


def public_functions():
    found = {}
    for module in MODULES:
        for name in dir(module):
            item = getattr(module, name)
            if name.startswith("_") or name in SKIP or not callable(item):
                continue
            where = getattr(item, "__module__", "") or ""
            if where.startswith("lathe"):
                found[f"{module.__name__}.{name}"] = item
    return found


def methods():
    found = {}
    for thing in values():
        cls = type(thing)
        if not (cls.__module__ or "").startswith("lathe"):
            continue
        for name in dir(thing):
            if name in SKIP or (name.startswith("_") and name not in (
                    "__getitem__", "__call__", "__add__", "__rmul__", "__lt__", "__eq__")):
                continue
            try:
                item = getattr(thing, name)
            except Exception:
                continue
            if callable(item):
                found[f"{cls.__name__}.{name}"] = (thing, name)
    return found


ALLOWED = (lathe.LatheError, TypeError, ValueError, AttributeError, IndexError, KeyError,
           OverflowError, RecursionError, BufferError, OSError, NotImplementedError, AssertionError,
           ImportError, MemoryError, StopIteration, ZeroDivisionError)


def attempt(function, name, rng, pool, bugs):
    for count in range(0, 5):
        for _ in range(6 if count else 1):
            args = [rng.choice(pool) for _ in range(count)]
            try:
                function(*args)
            except ALLOWED as error:
                # An internal error is no valid answer to a wrong argument.
                if isinstance(error, lathe.error.InternalError):
                    bugs.append((name, [type(a).__name__ for a in args], str(error)[:200]))


def test_functions_survive_wrong_arguments():
    bugs = []
    rng = random.Random(7)
    pool = values()
    functions = public_functions()
    assert len(functions) > 400
    for name in ("lathe.tir.analysis.verify_gpu_code", "lathe.instrument.PassTimingInstrument", "lathe.driver.bisect",
                 "lathe.driver.default_schedule", "lathe.codegen.register", "lathe.te.hybrid.script",
                 "lathe.runtime.save_param_dict", "lathe.target.register_tag", "lathe.contrib.cc.cross_compiler"):
        assert name in functions, name
    print(len(functions), "public functions and classes")
    for name, function in sorted(functions.items()):
        attempt(function, name, rng, pool, bugs)
    assert not bugs, bugs


def test_methods_survive_wrong_arguments():
    bugs = []
    rng = random.Random(11)
    found = methods()
    assert len(found) > 100
    print(len(found), "methods")
    for name, (thing, method) in sorted(found.items()):
        pool = values()
        attempt(getattr(thing, method), name, rng, pool, bugs)
    assert not bugs, bugs


def test_registered_functions_survive_wrong_arguments():
    bugs = []
    rng = random.Random(13)
    skip = ("runtime.set_num_threads", "registry.", "driver.export", "plugins.add_folder",
            "te.register_tensor_intrin", "module.import", "codegen.llvm", "codegen.cuda", "codegen.opencl",
            "module.load.")
    names = [n for n in lathe.runtime.list_global_func_names()
             if n.split(".")[0] in ("ir", "tir", "te", "schedule", "stage", "group", "arith", "target",
                                    "driver", "device", "tensor", "module", "runtime", "codegen", "analysis",
                                    "testing", "graph")
             and not n.startswith(skip)]
    assert len(names) > 200
    print(len(names), "registered functions")
    pool = values()
    for name in names:
        attempt(lathe._core.get(name), name, rng, pool, bugs)
    assert not bugs, bugs


def test_public_functions_have_docstrings():
    missing = [name for name, f in public_functions().items() if not inspect.getdoc(f)]
    assert not missing, missing
