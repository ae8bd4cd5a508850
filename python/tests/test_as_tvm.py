"""`import tvm` gives lathe: in this process, for scripts and for modules."""

import ast
import builtins
import importlib
import inspect
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import lathe
import lathe.as_tvm
from lathe import _old_modules

SCRIPT = """
import sys
import numpy as np
import tvm
import tvm.testing
from tvm import te, relay, topi
from tvm.contrib import utils
import tvm.contrib.graph_executor as runtime
from tvm.te.tensor import Tensor, ComputeOp
from tvm.tir.expr import Var
A = te.placeholder((8,), name="A")
B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
assert isinstance(B, Tensor) and isinstance(B.op, ComputeOp) and isinstance(te.var("n"), Var)
f = tvm.build(te.create_schedule(B.op), [A, B], "llvm")
b = tvm.nd.array(np.zeros(8, "float32"))
f(tvm.nd.array(np.ones(8, "float32")), b)
tvm.testing.assert_allclose(b.numpy(), np.full(8, 2.0))
print("done", sys.argv[1:], __name__)
"""


def run(*arguments, code=0):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"})
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def test_a_script_runs_unchanged(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    out, _ = run("-m", "lathe.as_tvm", str(tmp_path / "script.py"), "one", "--two")
    assert out == "done ['one', '--two'] __main__\n"


def test_a_module_runs_unchanged(tmp_path):
    (tmp_path / "test_it.py").write_text("import tvm\ndef test_it():\n    assert tvm.__name__ == 'lathe'\n")
    out, _ = run("-m", "lathe.as_tvm", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_it.py"))
    assert "1 passed" in out


WORKERS = """
import tvm
from tvm.contrib.popen_pool import PopenPoolExecutor, PopenWorker
print("started as", __name__)
scale = 3
class Point:
    def __init__(self, x):
        self.x = x
def helper(x):
    return scale * x
def work(x):
    import tvm
    return helper(x) + len(tvm.te.__name__)
worker = PopenWorker()
worker.send(divmod, (7, 2))
print(worker.recv())
worker.send(work, (2,), timeout=100)
print(worker.recv())
worker.send(lambda x, y=4: x + y + scale, (2,))
print(worker.recv())
print(list(PopenPoolExecutor(max_workers=1).submit(work, i).result() for i in range(2)))
if __name__ == "__main__":
    worker.send(Point, (5,))
    try:
        worker.recv()
    except RuntimeError as error:
        print("bootstrapping phase" in str(error))
"""


def test_the_workers_of_a_script_do_not_run_it(tmp_path):
    """Nor does the script need to keep its work from them, as for multiprocessing."""
    (tmp_path / "script.py").write_text(WORKERS)
    out, _ = run("-m", "lathe.as_tvm", str(tmp_path / "script.py"))
    # A class makes the worker run the script, which may then start no workers.
    assert out.splitlines() == ["started as __main__", "(3, 1)", "14", "9", "[8, 11]", "started as __mp_main__", "True"]


def test_objects_of_a_scripts_classes_reach_its_workers(tmp_path):
    (tmp_path / "script.py").write_text("""
from lathe.contrib.popen_pool import PopenWorker
class Point:
    def __init__(self, x):
        self.x = x
    def moved(self):
        return Point(self.x + 1)
class Refused(Exception):
    pass
def refuse(point):
    raise Refused(point.x)
if __name__ == "__main__":
    worker = PopenWorker()
    worker.send(Point.moved, (Point(3),))
    found = worker.recv()
    print(type(found) is Point, found.x)
    worker.send(refuse, (found,))
    try:
        worker.recv()
    except Refused as error:
        print(error)
""")
    out, _ = run(str(tmp_path / "script.py"))
    assert out == "True 4\n4\n"


def test_memoized_results_are_saved_at_exit(tmp_path):
    (tmp_path / "script.py").write_text("""
import os, sys
os.chdir(os.path.dirname(__file__))
from tvm.contrib.pickle_memoize import Cache, memoize
Cache("other", False)  # before the first function
@memoize("mine", save_at_exit=True)
def twice(x):
    print("computed")
    return 2 * x
print(twice(4))
""")
    outs = [run("-m", "lathe.as_tvm", str(tmp_path / "script.py"))[0] for _ in range(2)]
    assert outs == ["computed\n8\n", "8\n"]
    assert os.listdir(tmp_path / ".pkl_memoize_py3") == ["mine"]


def test_what_it_takes_is_said():
    _, err = run("-m", "lathe.as_tvm", code=1)
    assert "usage: python -m lathe.as_tvm SCRIPT" in err


def test_there_is_one_module_object_for_both_names():
    import tvm
    import tvm.contrib.utils
    import tvm.relay.testing.mlp
    from tvm.te import schedule

    assert tvm is lathe and tvm.contrib.utils is lathe.contrib.utils and schedule is lathe.te.schedule
    assert tvm.relay.testing.mlp is sys.modules["lathe.relay.testing.mlp"]
    # Imports within the package go on under its own names.
    assert lathe.contrib.utils.__spec__.name == "lathe.contrib.utils" and "tvm.contrib" in sys.modules


def test_old_modules_have_the_names_of_ours():
    import tvm.ir.module
    import tvm.tir.stmt
    from tvm.driver.build_module import build
    from tvm.relay.op.nn.nn import conv2d

    assert tvm.tir.stmt.For is lathe.tir.For and tvm.ir.module.IRModule is lathe.IRModule
    assert build is lathe.build and conv2d is lathe.relay.nn.conv2d
    assert "For" in dir(tvm.tir.stmt) and lathe.tir.stmt is tvm.tir.stmt


def test_no_old_module_hides_a_name_of_ours():
    """Importing a module sets it as an attribute of its parent, unless the parent has something else of that name."""
    for path in [*_old_modules.MODULES, *_old_modules.SAME_MODULE]:
        parent, _, last = ("lathe." + path).rpartition(".")
        found = vars(importlib.import_module(parent)).get(last)
        module = importlib.import_module("lathe." + path)
        now = vars(importlib.import_module(parent)).get(last)
        assert isinstance(module, type(os)), path
        assert now is found if found is not None and not isinstance(found, type(os)) else isinstance(now, type(os)), path
        if hasattr(builtins, last):  # "ir.type": hides Python's own `type` in ir.py
            source = ast.walk(ast.parse(inspect.getsource(importlib.import_module(parent))))
            assert not [node.lineno for node in source if isinstance(node, ast.Name) and node.id == last], path


def test_names_that_never_exist_say_why():
    with pytest.raises(AttributeError, match="has no attribute 'GenericRepr': ") as raised:
        lathe.runtime.GenericRepr
    assert raised.value.name == "GenericRepr"
    with pytest.raises(AttributeError, match="^module 'lathe.te' has no attribute 'nonsense'$"):
        lathe.te.nonsense
    with pytest.raises(ModuleNotFoundError, match="No module named 'tvm.micro': .+"):
        import tvm.micro  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="^No module named 'tvm.nonsense'$") as raised:
        import tvm.nonsense  # noqa: F401
    assert raised.value.name == "tvm.nonsense"
    assert _old_modules.reason("te.nonsense") == ""


def test_another_tvm_is_refused():
    code = "import sys, types; sys.modules['tvm'] = types.ModuleType('tvm'); import lathe.as_tvm"
    _, err = run("-c", code, code=1)
    assert "tvm-imported" in err and "import lathe.as_tvm before" in err


def test_parameters_of_tests(tmp_path):
    (tmp_path / "test_it.py").write_text("""
import tvm, tvm.testing
size = tvm.testing.parameter(1, 2, 3)
named = tvm.testing.parameter(by_dict={"a": 1, "b": 2})
shape, axis = tvm.testing.parameters(((2, 3), 1), ((4,), 0))
@tvm.testing.fixture(cache_return_value=True)
def data(size):
    return [size]
def test_one(size, data):
    assert data == [size]
    data.append(0)
def test_named(named, data):
    assert len(data) == 1
def test_pairs(shape, axis):
    assert len(shape) == axis + 1
@tvm.testing.requires_vitis_ai
def test_never():
    assert False
@tvm.testing.uses_gpu
@tvm.testing.known_failing_targets("cuda")
@tvm.testing.parametrize_targets("llvm")
def test_targets(target, dev):
    assert dev.exist
@tvm.testing.skip_if_32bit("why")
@tvm.testing.requires_llvm
@tvm.testing.requires_package("no_such_package")
def test_package():
    assert False
@tvm.testing.requires_package("no_such_package.layers")
def test_package_within():
    assert False
@tvm.testing.requires_llvm(support_required="compile-only")
@tvm.testing.uses_gpu(support_required="optional")
@tvm.testing.uses_gpu()
def test_support():
    pass
@tvm.testing.requires_metal(support_required="compile-only")
def test_no_support():
    assert False
@tvm.testing.requires_metal(support_required="optional")
def test_optional_support():
    pass
@tvm.testing.exclude_targets("llvm")
@tvm.testing.parametrize_targets("llvm")
def test_excluded(target, dev):
    assert False
@tvm.testing.known_failing_targets("llvm")
@tvm.testing.parametrize_targets("llvm")
def test_fails(target, dev):
    assert False
class TestOfAClass:
    wide = tvm.testing.parameter(4, 5, ids=["four", "five"])
    x, y = tvm.testing.parameters((1, 2), (3, 4))
    @tvm.testing.fixture(cache_return_value=True)
    def kept(self, wide):
        return [wide]
    @tvm.testing.fixture
    def plain(self, wide):
        return wide
    def test_of_class(self, wide, kept, plain):
        assert kept == [wide] and plain == wide
        kept.append(0)
    def test_pairs_of_class(self, x, y):
        assert y == x + 1
""")
    out, _ = run("-m", "lathe.as_tvm", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_it.py"))
    # Of the four pairs two are of different sets, here and in the class.
    assert "18 passed, 9 skipped, 1 xfailed" in out, out
    for wrong in (lambda: lathe.testing.parameters((1, 2), (3,)), lambda: lathe.testing.parameter(1, by_dict={"a": 1})):
        with pytest.raises(ValueError, match="test-parameters"):
            wrong()


def test_reasons_to_skip(monkeypatch):
    from lathe import _pytest_helpers

    def skips(decorator, *args):
        return [mark.args[0] for mark in decorator.marks(*args)]

    compiles_only = _pytest_helpers._skip(lambda: True, "no device", lambda: False)
    assert skips(compiles_only) == [True] and skips(compiles_only, "compile-only") == [False]
    assert skips(compiles_only, "optional") == skips(lathe.testing.uses_gpu) == []
    with pytest.raises(ValueError, match="test-support"):
        compiles_only(support_required="run")
    for version, missing in (("7.0", False), ("6.1", True)):
        monkeypatch.setattr(lathe.Device, "exist", True)
        monkeypatch.setattr(lathe.Device, "compute_version", version)
        assert skips(lathe.testing.requires_tensorcore) == [missing]


def test_fixtures_that_cannot_be_cached_say_so():
    from lathe import _pytest_helpers

    once = _pytest_helpers._cached(lambda x: x)
    with pytest.raises(TypeError, match="test-fixture-type"):
        once(lambda: 1)


def test_helpers_of_tests():
    x = lathe.te.var("x")
    with pytest.raises(AssertionError, match="not proved"):
        lathe.testing.assert_prim_expr_equal(x, x + 1)
    values = np.array([1.0, 2.0], "float32")
    lathe.testing.check_numerical_grads(lambda a: a * a, {"a": values}, {"a": 2 * values})
    with pytest.raises(AssertionError, match="are .* from those measured"):
        lathe.testing.check_numerical_grads(lambda a: a * a, [values], [3 * values])


def test_modules_are_sent_by_name():
    old = __import__("tvm.relay.op.nn", fromlist=["dense"])
    for module in (lathe, lathe.te, old):
        assert pickle.loads(pickle.dumps(module)) is module
