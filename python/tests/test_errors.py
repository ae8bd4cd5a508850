"""Errors: classes, names, the line of the user's code."""

import pickle
import sys

import numpy as np
import pytest

import lathe
from lathe import relay, te, tir


def test_classes():
    for cls, builtin in ((lathe.error.LatheTypeError, TypeError),
                         (lathe.error.LatheValueError, ValueError),
                         (lathe.error.LatheIndexError, IndexError),
                         (lathe.error.LatheOSError, OSError)):
        assert issubclass(cls, lathe.LatheError) and issubclass(cls, builtin)
    assert issubclass(lathe.LatheError, RuntimeError)


def test_the_users_line_is_shown():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    outer, inner = s[B].split(B.op.axis[0], factor=4)
    with pytest.raises(lathe.LatheError) as caught:
        s[B].vectorize(B.op.axis[0])  # not a loop any more
    text = str(caught.value)
    assert "test_errors.py" in text and "s[B].vectorize(B.op.axis[0])" in text
    assert caught.value.name == "schedule-not-a-leaf" and "i.outer" in text


CONTROLS = "a\x1b[2Jb\x9b31mc\x07d\re\x7ff"
SHOWN = "a\\x1b[2Jb\\u009b31mc\\x07d\\x0de\\x7ff"


@pytest.mark.parametrize("fail", [
    lambda: lathe.load_module(f"/no/such/{CONTROLS}.so"),
    lambda: lathe.Target(CONTROLS),
    lambda: lathe.PassContext(config={CONTROLS: 1}),
])
def test_terminals_do_not_obey_what_is_in_errors(fail):
    with pytest.raises(lathe.LatheError) as caught:
        fail()
    text = str(caught.value)
    assert all(c.isprintable() or c in "\n\t" for c in text), ascii(text)
    assert "\\x1b[2Jb" in text


def test_control_characters_are_shown_in_every_part_of_an_error():
    for cls in (lathe.LatheError, lathe.error.LatheOSError, lathe.error.InternalError):
        error = cls(CONTROLS, CONTROLS, f"{CONTROLS}\n\t{CONTROLS}", origin=CONTROLS,
                    where=(CONTROLS, 1))
        assert str(error).count(SHOWN) == 6 and "\n  \t" + SHOWN in str(error)
        # The attributes that programs read are unchanged.
        assert error.message == error.name == CONTROLS


def test_errors_pickle():
    error = pytest.raises(lathe.LatheError, lathe.Target, "no-such-target").value
    again = pickle.loads(pickle.dumps(error))
    assert again.name == error.name and str(again) == str(error)


A = te.placeholder((8,), name="A")
B = te.compute((8,), lambda i: A[i] + 1.0, name="B")


def schedule():
    return te.create_schedule(B.op)


def builder_in_a_loop():
    builder = tir.ir_builder.create()
    builder.for_range(0, 8).__enter__()
    return builder


@pytest.mark.parametrize("make, name, builtin", [
    (lambda: tir.Var("x", "int32") + "text", "operand-type", TypeError),
    (lambda: tir.Var("x", "int32") + object(), None, TypeError),
    (lambda: tir.Var("x", "int32") / 2, "integer-division", None),
    (lambda: te.placeholder((8,), dtype="float33"), None, TypeError),
    (lambda: te.compute((8,), lambda i, j: i), "compute-rank", ValueError),
    (lambda: te.compute((8,), lambda i: None), "compute-body-type", TypeError),
    (lambda: te.compute((8,), lambda i: "text"), "compute-body-type", TypeError),
    (lambda: te.compute((8,), 5), "compute-body-type", TypeError),
    (lambda: te.create_schedule(5), None, TypeError),
    (lambda: te.create_schedule([]), "schedule-outputs", ValueError),
    (lambda: lathe.build(5), "lower-input-type", TypeError),
    (lambda: lathe.Target(5), "target-type", TypeError),
    (lambda: lathe.Target("llvm -no-such=1"), "target-unknown-attribute", None),
    (lambda: lathe.device("no-such-device"), "device-unknown-kind", ValueError),
    (lambda: lathe.load_module("/no/such/file.so"), "module-file-unreadable", OSError),
    (lambda: tir.const(1, "no-type"), None, TypeError),
    (lambda: tir.For(te.var("i"), 0, 8, "sideways", tir.Evaluate(tir.const(0, "int32"))), "for-kind",
     None),
    (lambda: lathe.PassContext(config={"no.option": 1}), "unknown-option", ValueError),
    (lambda: lathe.transform.builtin_pass("no_pass")(lathe.ir.Module([])), "unknown-pass", None),
    (lambda: lathe.driver.compile_to(lathe.ir.Module([]), "no-output"), "output-kind", None),
    (lambda: tir.call_intrin("float32", "no_such_intrinsic", 1), "unknown-intrinsic", None),
    (lambda: bool(te.var("x") < 3), "expression-type", TypeError),
    (lambda: tir.Load(te.var("x"), [0]), "load-source-type", TypeError),
    (lambda: te.placeholder((4,)).op.output(1), "operation-output-out-of-range", IndexError),
    (lambda: te.thread_axis(""), "thread-tag", ValueError),
    (lambda: lathe._ffi.get("te.reduce")("no", 1, [], None, None), "unknown-reduction", None),
    (lambda: lathe.arith.Analyzer().bind(te.var("x"), lathe.tir.Evaluate(0)), "arith-operand-type",
     TypeError),
    (lambda: te.reduce_axis((1, 2, 3)), "reduce-domain", ValueError),
    (lambda: te.reduce_axis(8), "reduce-domain", TypeError),
    (lambda: te.sum(te.placeholder((8,)), axis=te.reduce_axis((0, 8))), "reduce-operand-type", TypeError),
    (lambda: np.exp(te.var("x", "float32")), "numpy-function", TypeError),
    (lambda: te.var("x", "float32") + te.placeholder((8,)), "operand-type", TypeError),
    (lambda: lathe.lower(schedule()), "lower-arguments", ValueError),
    (lambda: lathe.lower(schedule(), A), "lower-arguments-type", TypeError),
    (lambda: lathe.explain(A), "explain-input-type", TypeError),
    (lambda: lathe.Target.current(allow_none=False), "no-target-kind", TypeError),
    (lambda: schedule()[B].split(B.op.axis[0]), "split-factor", ValueError),
    (lambda: schedule()[B].split(B.op.axis[0], factor=2, nparts=4), "split-factor", ValueError),
    (lambda: te.extern((8,), [A], lambda ins, outs: 0, in_buffers=[tir.decl_buffer((8,))]),
     "extern-buffers", ValueError),
    (lambda: tir.all(), "no-conditions", ValueError),
    (lambda: tir.any(), "no-conditions", ValueError),
    (lambda: tir.ir_builder.create().buffer_ptr(A), "builder-buffer-type", TypeError),
    (lambda: builder_in_a_loop().get(), "builder-open-block", ValueError),
    (lambda: lathe.nd.empty((2, 3)).copyto("cpu"), "copyto-type", TypeError),
    (lambda: lathe.nd.empty((2, 3))[2], "tensor-index-out-of-range", IndexError),
    (lambda: lathe.nd.empty((2, 3))[0, 0, 0], "tensor-index-out-of-range", IndexError),
    (lambda: lathe.nd.empty((2, 3))[::-1], "tensor-slice-step", ValueError),
])
def test_mistakes_have_names(make, name, builtin):
    with pytest.raises((lathe.LatheError, TypeError)) as caught:
        make()
    if name is not None:
        assert caught.value.name == name, str(caught.value)
    if builtin is not None:
        assert isinstance(caught.value, builtin), type(caught.value).__mro__


def test_fields_of_nodes_are_checked():
    make = lathe._nodes._make_node
    kinds = {name: number for number, name, _, _ in lathe._ffi.get("ir.kinds")()}
    with pytest.raises(lathe.LatheError, match="node-field-type"):
        make(kinds["For"], [[0, "not a minimum"], [2, 5]])
    with pytest.raises(lathe.LatheError, match="node-field-type"):
        make(kinds["For"], [])
    with pytest.raises(lathe.LatheError, match="node-field-number"):
        make(kinds["For"], [[99, 1]])
    with pytest.raises(lathe.LatheError, match="node-kind"):
        make(5, [])
    x = te.var("x")
    with pytest.raises(lathe.LatheError, match="node-ill-formed"):
        make(kinds["Add"], [[0, "float32"], [1, x], [2, x]])
    with pytest.raises(AttributeError):
        x.name = "y"


def test_schedules_changed_after_build_do_not_matter():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    f = lathe.build(s, [A, B], "llvm")
    s[B].split(B.op.axis[0], factor=4)
    out = np.zeros(8, "float32")
    f(np.zeros(8, "float32"), out)
    assert (out == 1).all()


def test_wrong_devices_are_said():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    s[B].bind(B.op.axis[0], te.thread_axis("threadIdx.x"))
    with pytest.raises(lathe.LatheError, match="target-without-threads"):
        lathe.build(s, [A, B], "llvm")
    assert not lathe.device("cuda", 99).exist


def test_a_view_of_another_size():
    with pytest.raises(lathe.LatheError, match="tensor-view-size"):
        lathe._ffi.get("tensor.view_as")(lathe.nd.empty((2,)), "float64")


# Mistakes that are found only when the program is lowered or built. The error shows the lines of
# the expression too, not only the line of the call.
def line_of(text):
    with open(__file__) as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


def test_lowering_shows_the_line_of_the_expression():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    unused = te.var("unused")
    bad = te.compute((n,), lambda i: A[i] + unused.astype("float32"), name="uses_what_nobody_gives")
    s = te.create_schedule(bad.op)
    with pytest.raises(lathe.LatheError, match="call-unbound-variable") as caught:
        lathe.build(s, [A, bad], "llvm")
    text = str(caught.value)
    assert f"test_errors.py:{line_of('uses_what_nobody_gives')}" in text
    assert "bad = te.compute(" in text
    # The same through a module.
    with pytest.raises(lathe.LatheError, match="uses_what_nobody_gives"):
        lathe.build(lathe.lower(s, [A, bad]), target="llvm")


def test_lowering_shows_the_line_of_the_operation_it_names():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    missing = te.compute((8,), lambda i: B[i] * 2.0, name="missing")
    s = te.create_schedule(missing.op)
    assert "missing" in str(lathe.lower(s, [A], simple_mode=True))  # for readers: it is added
    for call in (lambda: lathe.lower(s, [A]),
                 lambda: str(lathe.explain(s, [A])), lambda: te.schedule.schedule_ops(s, args=[A]),
                 lambda: lathe.driver.compile_to(s, "object", [A])):
        with pytest.raises(lathe.LatheError, match="schedule-arguments") as caught:
            call()
        text = str(caught.value)
        wanted = line_of("lambda i: B[i] * 2.0")
        assert f"`missing` made at {__file__}:{wanted}" in text, text
        assert 'missing = te.compute((8,), lambda i: B[i] * 2.0, name="missing")' in text


def test_every_kind_of_operation_knows_its_line():
    data = te.placeholder((4, 8), name="data")
    state = te.placeholder((4, 8), name="state")
    init = te.compute((1, 8), lambda t, j: data[0, j], name="init")
    update = te.compute((4, 8), lambda t, j: state[t - 1, j] + data[t, j], name="update")
    scanned = te.scan(init, update, state, inputs=[data], name="scanned")
    outside = te.extern((4, 8), [scanned], lambda ins, outs: tir.call_packed("f", ins[0], outs[0]), name="outside")
    two = te.compute((4, 8), lambda i, j: (outside[i, j], data[i, j]), name="two")
    s = te.create_schedule(two[0].op)
    places = {op.name: line for op, _, line in lathe._ffi.get("schedule.op_places")(s)}
    # The state belongs to the scan, so it has no stage of its own.
    for name in ("data", "init", "update", "scanned", "outside", "two"):
        assert places[name] == line_of(f"    {name} = te."), name
    # Numbers of files have no meaning in another process.
    again = pickle.loads(pickle.dumps(s))
    assert len(lathe._ffi.get("schedule.op_places")(again)) == 0


def test_what_to_do_with_a_tensor_as_operand():
    with pytest.raises(lathe.LatheError, match="found: Tensor(.|\\n)*B\\[i, j\\]"):
        te.var("x", "float32") + te.placeholder((8,))


def test_scalars_of_numpy_are_operands():
    x, i = te.var("x", "float32"), te.var("i")
    for made in (np.float32(2) * x, x * np.float32(2), np.float64(2) + x, np.int64(2) - i, i // np.int32(2)):
        assert isinstance(made, tir.PrimExpr)
    assert (np.float32(2) * x).dtype == "float32" and (np.float32(2) < x).dtype == "bool"
    assert (np.int64(2) == i).asobject().dtype == "bool"


def test_a_missing_compiler_comes_with_the_wheels_extra():
    with pytest.raises(OSError, match=r"whl\[cuda\]"):
        with lathe.driver._compilers_named():
            raise lathe.error.LatheOSError("NVRTC is not here", "cuda-no-compiler", "help: install the CUDA toolkit")


def test_errors_name_the_function_that_was_called():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    for call, words in (
            (lambda: lathe.nd.empty((2,), "float33"), "argument `dtype` of `empty` is of another kind"),
            (lambda: lathe.nd.array([1.0], device=5), "argument `device` of `array` is of another kind"),
            (lambda: te.var(5), "argument `name` of `var` is of another kind"),
            (lambda: s[B].split(3, 4), "argument `parent` of `Stage.split` is"
             if sys.version_info >= (3, 11) else "argument `parent` of `split` is"),
            (lambda: s.cache_read(A, "global", 5), "an argument of `"),
            (lambda: lathe.get_global_func("tensor.empty")([1], 3, lathe.cpu(), ""),
             "argument 1 of `tensor.empty` is of another kind")):
        with pytest.raises(lathe.LatheError) as raised:
            call()
        assert raised.value.name == "call-wrong-argument-kind" and words in raised.value.message


@pytest.mark.parametrize(("wrong", "name"), [
    (lambda: lathe.nd.array("abc"), "tensor-elements"), (lambda: relay.const("x"), "tensor-elements"),
    (lambda: lathe.nd.array([None, 1]), "tensor-elements"),
    (lambda: lathe.nd.empty((5 / 2,)), "shape-not-integer"),
    (lambda: lathe.nd.array([1], dtype="flaot32"), "tensor-elements"),
    (lambda: lathe.transform.PassContext(opt_level="3"), "pass-context-type"),
    (lambda: lathe.topi.nn.conv2d(te.placeholder((8, 8)), te.placeholder((3, 3)), 1, 1, 1), "topi-operand")])
def test_values_of_the_wrong_kind_are_refused_at_once(wrong, name):
    with pytest.raises(TypeError) as raised:
        wrong()
    assert raised.value.name == name and "found: " in str(raised.value)


def test_fractions_of_sizes_point_at_the_other_division():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    s, x = te.create_schedule(B.op), relay.var("x", shape=(8,))
    for wrong in (lambda: s[B].split(B.op.axis[0], 8 / 2), lambda: te.reduce_axis((0, 8 / 2)),
                  lambda: relay.var("x", shape=(8 / 2,)), lambda: lathe.nd.empty((8,)).reshape((8 / 2, 2)),
                  lambda: relay.reshape(x, (8 / 2, -1)).checked_type, lambda: te.placeholder((8 / 2,)),
                  lambda: te.var("n") / 2):
        with pytest.raises((TypeError, ValueError), match="//"):
            wrong()
