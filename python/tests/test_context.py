"""Targets, pass contexts, user-defined passes."""

import numpy as np
import pytest

import lathe
from expect import named
from lathe import ir, relay, te, tir, transform


def vector_add():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    return A, B, te.create_schedule(B.op)


def test_targets():
    t = lathe.Target("llvm -mcpu=x86-64-v3")
    assert str(t.kind) == "llvm" and t.kind.name == "llvm" and "cpu" in t.keys
    assert t.attrs["mcpu"] == "x86-64-v3" and lathe.Target(str(t)) == t and hash(t) == hash(
        lathe.Target(str(t)))
    assert lathe.Target({"kind": "llvm", "mcpu": "x86-64-v3"}) == t
    assert lathe.Target.current() is None
    with t:
        assert lathe.Target.current() == t
        with lathe.Target("llvm"):
            assert lathe.Target.current() != t
        assert lathe.Target.current() == t
    with pytest.raises(lathe.LatheError):
        lathe.Target.current(allow_none=False)
    assert "llvm" in lathe.target.list_kinds() and not t.has_threads


def test_generic_functions_dispatch_on_the_target():
    @lathe.target.generic_func
    def which():
        return "default"

    @which.register("cpu")
    def _():
        return "cpu"

    assert which() == "default"
    with lathe.Target("llvm"):
        assert which() == "cpu"
    with pytest.raises(ValueError):
        which.register("cpu", lambda: 1)
    which.register(lambda: "by TVM's order", ["cpu"], allow_override=True)
    with lathe.Target("llvm"):
        assert which() == "by TVM's order"
    with pytest.raises(ValueError, match="allow_override=True"):
        which.set_default(lambda: "other")
    which.set_default(lambda: "other", allow_override=True)
    assert which() == "other"
    # Each error has a name.
    for name, wrong in (("target-generic-version", lambda: which.register("cpu", lambda: 1)),
                        ("target-generic-version", lambda: which.set_default(lambda: "third")),
                        ("target-generic-keys", lambda: which.register(lambda: "no keys")),
                        ("target-generic-keys", lambda: which.register(3)),
                        ("target-generic-keys", lambda: which.register(None, lambda: 1)),
                        ("target-generic-keys", lambda: which.register(["cpu", 3], lambda: 1)),
                        ("target-generic-function", lambda: which.register("gpu", 3)),
                        ("target-generic-function", lambda: which.set_default(3, allow_override=True))):
        assert "expected: " in named(name, wrong)
    assert which() == "other" and sorted(which.by_key) == ["cpu"]


def test_options_and_disabled_passes():
    A, B, s = vector_add()
    names = []

    class Listing:
        def run_after_pass(self, module, info):
            names.append(info.name)
            assert isinstance(module, ir.Module)

    with lathe.PassContext(instruments=[Listing()], verify=True):
        lathe.build(s, [A, B], "llvm")
    assert "vectorize" in names and len(names) > 10
    every = set(names)
    names.clear()
    with lathe.PassContext(instruments=[Listing()], disabled_pass=["cse"]):
        lathe.build(s, [A, B], "llvm")
    assert "cse" in every and "cse" not in names
    assert {"unroll.auto_max_step"} <= {name for name, _, _ in transform.options()}
    assert "vectorize" in [name for name, _, _ in transform.passes()]


def test_passes_of_ones_own():
    A, B, s = vector_add()

    @transform.prim_func_pass(opt_level=0)
    def plus_to_times(func, module, context):
        def change(node):
            if isinstance(node.b, tir.FloatImm):
                return tir.Add(node.a, node.b + 9.0)
            return None

        return func.with_body(tir.ir_transform(func.body, None, change, ["Add"]))

    with lathe.PassContext(config={"tir.add_lower_pass": [(1, plus_to_times)]}):
        f = lathe.build(s, [A, B], "llvm")
    out = np.zeros(8, "float32")
    f(np.zeros(8, "float32"), out)
    assert (out == 10).all()

    module = lathe.lower(s, [A, B])
    both = transform.Sequential([plus_to_times, transform.module_pass(lambda m, c: m)])
    assert not ir.structural_equal(both(module), module)

    wrong = transform.module_pass(lambda m, c: 5, name="wrong")
    with pytest.raises(TypeError, match="pass-result-type"):
        wrong(module)


def test_simple_mode_knows_tensors_that_a_cache_replaced():
    A, B, s = vector_add()
    s.cache_write(B, "local")  # another operation computes B now
    assert "B.local" in str(lathe.lower(s, [A, B], simple_mode=True))


def test_lowering_shows_and_explains():
    A, B, s = vector_add()
    s[B].split(B.op.axis[0], factor=4)
    module = lathe.lower(s, [A, B], name="bump")
    assert "func bump" in str(module) and "i.outer" in str(module)
    assert "for" in str(lathe.lower(s, [A, B], simple_mode=True))
    page = lathe.explain(s)
    assert "B" in str(page) and page.html.startswith("<!") and "iframe" in page._repr_html_()
    assembly = lathe.driver.compile_to(s, "assembly", [A, B])
    assert b"bump" not in assembly and b"main" in assembly


def test_modules(tmp_path):
    A, B, s = vector_add()
    f = lathe.build(s, [A, B], "llvm", name="bump")
    assert f.entry_name == "bump" and f.function_names == ["bump"] and f.imported_modules == []
    assert f.metadata["entry"] == "bump"
    for suffix in ("o", "tar", "so"):
        path = str(tmp_path / f"lib.{suffix}")
        f.export_library(path)
        out = np.zeros(8, "float32")
        lathe.load_module(path)["bump"](np.ones(8, "float32"), out)
        assert (out == 2).all()
    with pytest.raises(lathe.LatheError, match="module-no-function"):
        f["dump"]
    with pytest.raises(lathe.LatheError, match="export-suffix"):
        f.export_library(str(tmp_path / "lib.xyz"))
    timed = f.time_evaluator("bump", lathe.cpu(), number=5, repeat=3)(
        np.ones(8, "float32"), np.zeros(8, "float32"))
    assert len(timed.results) == 3 and timed.min <= timed.median <= timed.max and timed.number == 5
    holder = lathe.build(s, [A, B], "llvm", name="other")
    holder.import_module(f)
    assert holder.imported_modules[0].same_as(f) and holder["bump"] is not None
    with pytest.raises(AttributeError):
        holder.get_function("bump")


def test_old_spellings_work_and_can_say_so():
    import warnings

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert lathe.placeholder((4,)).ndim == 1
        assert not said
        lathe.compat.warn_about_old_names(True)
        try:
            lathe.placeholder((4,))
            lathe.nd.empty((2,), ctx=lathe.cpu()).asnumpy()
            from lathe.tir.transform import RemoveNoOp  # noqa: F401
        finally:
            lathe.compat.warn_about_old_names(False)
        assert "te.placeholder" in str(said[0].message) and len(said) >= 4
        # The user's line, or Python's own filters would hide the warning.
        assert {one.filename for one in said} == {__file__}
    with pytest.raises(AttributeError):
        lathe.no_such_name
    A, B, s = vector_add()
    assert te.schedule.InferBound(s)[B.op.axis[0]].extent.value == 8
    assert "for" in str(te.schedule.ScheduleOps(s, None))
    assert lathe.context("llvm", 0) == lathe.cpu(0)


def test_intrinsics_lowered_by_rules_of_ones_own():
    seen = []

    @lathe.register_intrin_lowering("erf", target="cpu", level=99)
    def rule(call):
        seen.append(call.op)
        if call.dtype != "float32":
            return None
        return call.args[0] * 100.0

    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: te.erf(A[i]), name="B")
    out = np.zeros(4, "float32")
    lathe.build(te.create_schedule(B.op), [A, B], "llvm")(np.ones(4, "float32"), out)
    assert (out == 100).all() and seen and set(seen) == {"erf"}
    with pytest.raises(lathe.LatheError, match="intrinsic-rule-exists"):
        lathe.register_intrin_lowering("erf", "cpu", lambda c: None, 99)


def test_passes_by_their_usual_names():
    A, B, s = vector_add()
    s[B].unroll(B.op.axis[0])
    module = lathe.lower(s, [A, B])
    assert "unrolled" in str(module) or "unroll" in str(module)
    out = tir.transform.UnrollLoop()(tir.transform.Simplify()(module))
    assert str(out).count("B[") == 8
    with pytest.raises(TypeError):
        tir.transform.Simplify(5)


def test_tag_scopes():
    A = te.placeholder((4,), name="A")
    with te.tag_scope("elemwise"):
        B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        with pytest.raises(lathe.LatheError, match="tag-scope-nested"):
            with te.tag_scope("broadcast"):
                pass
    C = te.compute((4,), lambda i: B[i] * 2.0, name="C")
    assert B.op.tag == "elemwise" and C.op.tag == ""
    s = te.create_schedule(C.op)
    assert [stage.name for stage in te.schedule.auto_inline_elemwise(s)] == ["B"]


def test_classes_become_classes_of_passes():
    A, B, s = vector_add()
    module = lathe.lower(s, [A, B])

    @transform.module_pass(opt_level=1)
    class Whole:
        """Notes what it gets."""

        def __init__(self, noted):
            self.noted = noted

        def transform_module(self, module, context):
            self.noted.append(context.opt_level)
            return module

    @tir.transform.prim_func_pass(opt_level=2, name="each", required=["whole"])
    class Each:
        def __init__(self, value):
            self.value = value

        def transform_function(self, func, module, context):
            return func.with_attr("noted", self.value)

    noted = []
    whole, each = Whole(noted), Each(3)
    assert isinstance(whole, transform.Pass) and Whole.__doc__ == "Notes what it gets." and whole.info.name == "Whole"
    assert whole(module) is module and whole.noted == [2]
    assert each(module)["main"].attrs["noted"] == 3
    assert (each.info.name, each.info.opt_level, each.info.required, each.value) == ("each", 2, ["whole"], 3)
    with pytest.raises(TypeError, match="pass-class(.*\n)*.*expected: a method `transform_module`"):
        transform.module_pass(type("Empty", (), {}), opt_level=0)()


def test_sequential_runs_passes_by_level_and_by_name():
    ran = []

    @transform.module_pass(opt_level=3, name="Mine", required=["Other"])
    def mine(module, context):
        ran.append(context.opt_level)
        return module

    assert (mine.info.opt_level, mine.info.required) == (3, ["Other"])
    both, empty = transform.Sequential([mine], opt_level=1, required=["Mine"]), ir.Module([])
    assert (both.info.opt_level, both.info.required) == (1, ["Mine"])
    for level, others in ((2, {}), (3, {}), (2, {"required_pass": ["Mine"]}), (3, {"disabled_pass": ["Mine"]}),
                          (2, {"required_pass": ["Mine"], "disabled_pass": ["Mine"]})):
        with lathe.PassContext(opt_level=level, **others):
            both(empty)
    assert ran == [3, 2]
    x = relay.var("x", shape=(2,))
    twice = lathe.IRModule.from_expr(relay.Function([x], relay.tanh(x) + relay.tanh(x)))
    with lathe.PassContext(opt_level=1, required_pass=["EliminateCommonSubexpr"]):
        assert str(transform.Sequential([relay.transform.EliminateCommonSubexpr()])(twice)).count("tanh(") == 1
