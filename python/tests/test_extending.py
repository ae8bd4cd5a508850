"""Extensions in Python: code generators, passes at usual phases, notes on intrinsics; bisect."""

import inspect
import threading

import numpy as np
import pytest

import lathe
from lathe import te, tir, transform


def program(n=16):
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] * 2.0, name="B")
    return te.create_schedule(B.op), [A, B]


class Recorder(lathe.codegen.CodeGenerator):
    kind = "recorder"

    def compile(self, module, target, output, constants, options):
        self.seen = (module, target, output)
        return b"\xffbytes"

    def load(self, data):
        assert data == b"\xffbytes"
        return {"main": lambda *args: len(args), "other": lambda: "other"}


def test_a_code_generator_is_a_target_like_others():
    recorder = Recorder()
    lathe.codegen.register(recorder)
    assert "recorder" in lathe.target.list_kinds()
    assert lathe.Target("recorder").kind == "recorder" and lathe.device("cpu").exist
    s, args = program()
    with lathe.Target("recorder"):
        module = lathe.build(s, args)
    seen, target, output = recorder.seen
    assert isinstance(seen, lathe.ir.Module) and seen.functions[0].name == "main" and output == "module"
    assert isinstance(target, lathe.Target)
    assert module(np.zeros(16, "float32"), np.zeros(16, "float32")) == 2
    assert module["other"]() == "other" and module.kind == "recorder"
    assert [f["name"] for f in module.metadata["functions"]] == ["main"]
    with pytest.raises(lathe.LatheError, match="module-no-source"):
        module.get_source()
    assert lathe.driver.compile_to(s, "source", args, "recorder") == b"\xffbytes"
    with pytest.raises(lathe.LatheError, match="output-unsupported"):
        lathe.driver.compile_to(s, "assembly", args, "recorder")
    # Outputs that are read-only are refused here as well.
    out = np.zeros(16, "float32")
    out.flags.writeable = False
    with pytest.raises(lathe.LatheError, match="call-argument-read-only"):
        module(np.zeros(16, "float32"), out)


def test_whoever_names_no_target_gets_the_one_in_force():
    recorder = Recorder()
    lathe.codegen.register(recorder)
    s, args = program()
    values = [np.ones(16, "float32"), np.zeros(16, "float32")]
    with lathe.Target("recorder"):
        assert lathe.driver.compile_to(s, "source", args) == b"\xffbytes"
        assert lathe.driver.compile_to(args, "source") == b"\xffbytes"
        assert lathe.bisect(s, args, values).culprit == "code", "its code stores nothing"
        assert lathe.bisect(s, args, values, "llvm").culprit is None
    assert lathe.driver.compile_to(s, "object", args).startswith(b"\x7fELF")


def test_no_function_has_a_target_of_its_own():
    kinds = set(lathe.target.list_kinds())
    found = 0
    for module in [lathe, lathe.driver, lathe.target, lathe.te, lathe.testing, lathe.runtime, lathe.transform]:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            for parameter in inspect.signature(function).parameters.values():
                if "target" in parameter.name:
                    found += 1
                    assert parameter.default not in kinds, (module.__name__, name)
    assert found > 5


def test_registering_again_replaces_and_kinds_of_plugins_stay():
    class First(Recorder):
        kind = "twice"

        def load(self, data):
            return {"main": lambda *args: "first"}

    class Second(First):
        attributes = [{"key": "level", "type": "int", "default": 1, "doc": "how much"}]

        def load(self, data):
            return {"main": lambda *args: "second"}

    s, args = program()
    lathe.codegen.register(First)
    assert lathe.build(s, args, "twice")() == "first"
    assert lathe.codegen.register(Second) is Second
    assert lathe.build(s, args, "twice -level=3")() == "second"

    class Taken(Recorder):
        kind = "llvm"

    with pytest.raises(lathe.LatheError, match="plugin-duplicate-kind"):
        lathe.codegen.register(Taken)
    assert lathe.build(s, args, "llvm").kind == "elf"


def test_what_a_code_generator_does_wrong_is_said():
    class Bad(Recorder):
        kind = "bad"
        result, functions = 5, {}

        def compile(self, *args):
            if isinstance(self.result, Exception):
                raise self.result
            return self.result

        def load(self, data):
            return self.functions

    s, args = program()
    bad = Bad()
    lathe.codegen.register(bad)
    with pytest.raises(TypeError, match="codegen-result-type"):
        lathe.build(s, args, "bad")
    bad.result = PermissionError("not today")
    with pytest.raises(PermissionError, match="not today"):
        lathe.build(s, args, "bad")
    bad.result, bad.functions = "", 7
    with pytest.raises(TypeError, match="codegen-load-type"):
        lathe.build(s, args, "bad")
    bad.functions = {}
    with pytest.raises(lathe.LatheError, match="module-no-"):
        lathe.build(s, args, "bad")()
    with pytest.raises(TypeError, match="codegen-type"):
        lathe.codegen.register(5)
    for kind in ("", "Upper", "a b", 5):
        bad.kind = kind
        with pytest.raises(ValueError, match="codegen-kind"):
            lathe.codegen.register(bad)
    with pytest.raises(lathe.LatheError, match="python-module-corrupt"):
        lathe._core.find_global("module.load.bad")(b"no such bytes")
    bad.kind, bad.stage = "bad2", "no-stage"
    with pytest.raises(lathe.LatheError, match="manifest-malformed"):
        lathe.codegen.register(bad)


def test_constants_are_held_or_refused():
    class Holder(Recorder):
        kind = "holder"
        holds = ()

        def compile(self, module, target, output, constants, options):
            self.constants = constants
            return lathe.codegen.Compiled(b"\xffbytes", holds=self.holds)

    holder = Holder()
    lathe.codegen.register(holder)
    K = te.constant(np.arange(4, dtype="float32"), name="K")
    B = te.compute((4,), lambda i: K[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    with pytest.raises(lathe.LatheError, match="constant-not-held"):
        lathe.build(s, [B], "holder")
    assert holder.constants[0].numpy().tolist() == [0, 1, 2, 3]
    holder.holds = [0]
    lathe.build(s, [B], "holder")


def test_code_generators_run_on_several_threads():
    lathe.codegen.register(Recorder())
    failures = []

    def work():
        try:
            for _ in range(20):
                s, args = program()
                assert lathe.build(s, args, "recorder")(1, 2, 3) == 3
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_passes_run_at_their_phases():
    order = []

    def looker(key):
        @transform.module_pass(opt_level=0)
        def look(module, context):
            order.append((key, "allocate" in str(module), "ramp(" in str(module)))
            return module

        return look

    n = 64
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((n,), lambda i: B[i] * 2.0, name="C")
    s = te.create_schedule(C.op)
    s[C].vectorize(s[C].split(C.op.axis[0], factor=8)[1])
    phases = (3, "vectorize", 0, "flatten", 1, 2)
    with lathe.PassContext(config={"tir.add_lower_pass": [(k, looker(k)) for k in phases]}):
        lathe.build(s, [A, C], "llvm")
    assert [key for key, _, _ in order] == [0, 1, 2, 3, "flatten", "vectorize"]
    assert not order[-2][2] and order[-1][2]
    for wrong in ((9, looker(9)), ("no_such_pass", looker(0)), (1, "not a pass"), (1.5, looker(0))):
        with pytest.raises(ValueError, match="user-pass-phase"):
            lathe.PassContext(config={"tir.add_lower_pass": [wrong]})
    with lathe.PassContext(config={"tir.add_lower_pass": [(1, lambda module: 5)]}):
        with pytest.raises(TypeError, match="pass-result-type"):
            lathe.lower(s, [A, C])


def test_bisect_names_the_step():
    @transform.prim_func_pass(opt_level=0)
    def wrong(func, module, context):
        return func.with_body(tir.ir_transform(
            func.body, None, lambda node: tir.const(3.0, "float32") if node.value == 2.0 else None, ["FloatImm"]))

    s, args = program()
    values = [np.arange(16, dtype="float32"), np.zeros(16, "float32")]
    fine = lathe.bisect(s, args, values)
    assert fine.culprit is None and fine.steps[-1] == ("code", "same") and not values[1].any()
    with lathe.PassContext(config={"tir.add_lower_pass": [("unroll", wrong)]}):
        found = lathe.bisect(s, args, values)
    assert found.culprit == "unroll" and "expected" in found.what and "3.0" in found.after and "2.0" in found.before
    assert "unroll" in str(found)
    with pytest.raises(lathe.LatheError, match="bisect-argument-count"):
        lathe.bisect(s, args, values[:1])
    with pytest.raises(TypeError, match="bisect-input-type"):
        lathe.bisect(5, args, values)
    with pytest.raises(TypeError, match="bisect-values-type"):
        lathe.bisect(s, args, 5)


def test_notes_on_intrinsics():
    lathe.register_op_attr("tir.sqrt", "test.cost", 5, level=1)
    lathe.register_op_attr("sqrt", "test.cost", 9, level=2)
    lathe.register_op_attr("sqrt", "test.cost", 7, level=0)
    assert lathe.ir.op_attr("tir.sqrt", "test.cost") == 9 and lathe.ir.op_attr("sqrt", "test.other", 3) == 3
    with pytest.raises(ValueError, match="op-attr-exists"):
        lathe.register_op_attr("sqrt", "test.cost", 1, level=2)
    with pytest.raises(lathe.LatheError, match="unknown-intrinsic"):
        lathe.register_op_attr("no_such", "test.cost", 1)

    @lathe.register_op_attr("tir.acosh", "llvm.FLowerIntrinsic", level=99)
    def lower_acosh(call):
        return call.args[0] * 3.0

    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: te.acosh(A[i]), name="B")
    f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
    f(np.ones(4, "float32"), b := np.zeros(4, "float32"))
    assert b.tolist() == [3, 3, 3, 3]


def test_lowering_errors_show_the_steps_behind_them():
    A = te.placeholder((64,), name="A")
    C = te.compute((64,), lambda i: A[i] * 2.0, name="C")
    s = te.create_schedule(C.op)
    inner = s[C].split(C.op.axis[0], factor=4)[1]
    s[C].bind(inner, te.thread_axis("threadIdx.x"))  # the line that the error must show
    with pytest.raises(lathe.LatheError) as caught:
        lathe.build(s, [A, C], "llvm")
    assert "the line that the error must show" in str(caught.value) and "test_extending.py" in str(caught.value)
