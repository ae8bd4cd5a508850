"""Nodes: properties, equality, text, pickling, walking, rewriting."""

import fractions
import pickle

import numpy as np
import pytest

import lathe
from lathe import ir, te, tir


def vector_add():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
    return A, B, te.create_schedule(B.op)


def test_every_kind_has_a_class_with_its_fields():
    for number, name, base, fields in lathe._ffi.get("ir.kinds")():
        cls = lathe._nodes.CLASSES[name]
        assert cls.__name__ == name and cls.__doc__
        for field, _, _, _ in fields:
            assert getattr(cls, field) is not None
        assert issubclass(cls, {"Expr": ir.Expr, "Stmt": ir.Stmt, "Op": ir.Op,
                                "Node": ir.Node}[base]) or name in ("IterVar", "Tensor")


def test_properties():
    x = te.var("x")
    e = x * 2 + 1
    assert isinstance(e, tir.Add) and e.a.a.same_as(x) and e.b.value == 1 and e.dtype == "int32"
    A, B, s = vector_add()
    func = lathe.lower(s, [A, B])["main"]
    loop = func.body
    while not isinstance(loop, tir.For):
        loop = loop.body
    assert loop.for_kind == "serial" and loop.extent.value == 8 and loop.annotations == {}
    assert func.attrs["is_entry"].value == 1
    assert B.op.axis[0].iter_kind == "data" and B.op.axis[0].domain.extent.value == 8


def test_identity_is_the_objects():
    A, B, s = vector_add()
    i = B.op.axis[0]
    assert {i: 1}[B.op.axis[0]] == 1 and hash(i) == hash(B.op.axis[0])
    assert B.op.output(0) == B and {B: 1}[B.op.output(0)] == 1 and A != B
    bounds = te.schedule.infer_bound(s)
    assert bounds[i].extent.value == 8
    assert s[B] == s[B.op] and {s[B]: 1}[s[B]] == 1
    x, y = te.var("x"), te.var("x")
    assert bool(x == x) and not bool(x == y) and bool(x != y)
    assert x in [y, x] and [y, x].index(x) == 1
    assert tir.const(3, "int32") == 3 and not tir.const(3, "int32") == 4


def test_operators():
    x, f = te.var("x"), te.var("f", "float32")
    for made, kind in ((x + 1, "Add"), (1 - x, "Sub"), (x * 3, "Mul"), (x // 2, "FloorDiv"),
                       (x % 2, "FloorMod"), (f / 2, "Div"), (x < 1, "LT"), (1 <= x, "GE"),
                       ((x == 1).asobject(), "EQ"), ((x < 1) & (x > 0), "And"),
                       ((x < 1) | (x > 0), "Or"), (~(x < 1), "Not")):
        assert type(made).__name__ == kind
    assert (x << 2).op == "shift_left" and (-x).dtype == "int32" and (x & 3).op == "bitwise_and"
    u = te.var("u", "uint8")
    for made in (u >> 4, u << 7, u & 15, u | 3, 1 ^ u, 1 << u, u >> np.int32(1), u >> tir.const(1, "int64")):
        assert made.dtype == "uint8"
    assert (u & 300).dtype == "int32"
    for wrong in (lambda: u >> 8, lambda: u << 300, lambda: x << 32, lambda: x >> -1):
        with pytest.raises(ValueError, match="shift-distance"):
            wrong()
    assert (f + 1).dtype == "float32" and (x + 1.5).dtype == "float32"
    assert x.astype("int64").dtype == "int64"
    assert int(tir.const(7, "int32")) == 7 and float(tir.const(1.5)) == 1.5


def test_numbers_of_numpy_are_numbers():
    for value, dtype, wanted in ((np.bool_(True), "bool", True), (np.int64(3), "int32", 3), (np.int64(1 << 40), "int64", 1 << 40),
                                 (np.float32(1.5), "float32", 1.5), (np.float16(2.5), "float32", 2.5), (np.uint8(7), "int32", 7)):
        for made in (tir.convert(value), tir.convert([value])[0], tir.convert({"a": value})["a"], tir.const(value)):
            assert (made.dtype, made.value) == (dtype, wanted), value
    for value in (np.float32(1.5), np.float16(1.5), np.float64(1.5), np.array(1.5), tir.const(1.5), fractions.Fraction(3, 2)):
        for dtype in ("float32", "float64", "float16"):
            made = tir.const(value, dtype)
            assert (made.dtype, made.value) == (dtype, 1.5)
        with pytest.raises(lathe.LatheError, match="constant-out-of-range"):
            tir.const(value, "int32")
    assert te.const(np.bool_(True), "bool").value == 1
    assert tir.const(tir.const(3, "int64"), "int8").value == 3 and tir.const(np.float64(3), "int32").value == 3
    for wrong in (te.var("x"), None, "three", np.array([1.5, 2.5]), [1]):
        with pytest.raises(lathe.LatheError, match="constant-type(.*\n)*.*expected: an int, float or bool"):
            tir.const(wrong, "float32")


def test_structural_equality_and_hash():
    def program():
        A, B, s = vector_add()
        return lathe.lower(s, [A, B])

    a, b = program(), program()
    assert ir.structural_equal(a, b) and ir.structural_hash(a) == ir.structural_hash(b)
    ir.assert_structural_equal(a, b)
    x, y = te.var("x"), te.var("y")
    assert not ir.structural_equal(x + 1, y + 1) and ir.structural_equal(x + 1, y + 1, True)
    with pytest.raises(AssertionError):
        ir.assert_structural_equal(x + 1, x + 2)


def test_text_json_and_pickle():
    A, B, s = vector_add()
    module = lathe.lower(s, [A, B])
    assert ir.structural_equal(ir.parse_module(str(module)), module)
    assert ir.structural_equal(ir.load_json(ir.save_json(module)), module)
    assert ir.structural_equal(pickle.loads(pickle.dumps(module)), module)
    with pytest.raises(ValueError):
        ir.load_json("{}")
    assert module._repr_html_().startswith("<pre") and "color" in module._repr_html_()
    with pytest.raises(lathe.LatheError, match="text-"):
        ir.parse("1 +")


def test_schedules_pickle():
    A, B, s = vector_add()
    outer, inner = s[B].split(B.op.axis[0], factor=4)
    s[B].vectorize(inner)
    again = pickle.loads(pickle.dumps(s))
    assert [str(step) for step in again.trace] == [str(step) for step in s.trace]
    B2 = again.outputs[0].output(0)
    A2 = B2.op.input_tensors[0]
    out = np.zeros(8, "float32")
    lathe.build(again, [A2, B2], "llvm")(np.ones(8, "float32"), out)
    assert (out == 2).all()


def test_walking_and_rewriting():
    A, B, s = vector_add()
    func = lathe.lower(s, [A, B])["main"]
    names = []
    tir.post_order_visit(func.body, lambda node: names.append(type(node).__name__))
    assert names[-1] == type(func.body).__name__ and {"Load", "Store", "For"} <= set(names)

    def double(node):
        return tir.Store(node.buffer, node.value * 2.0, node.indices)

    changed = func.with_body(tir.ir_transform(func.body, None, double, ["tir.Store"]))
    out = np.zeros(8, "float32")
    lathe.build(ir.Module([changed]), target="llvm")(np.ones(8, "float32"), out)
    assert (out == 4).all()
    assert tir.ir_transform(func.body, lambda n: None, lambda n: None).same_as(func.body)

    x, y = te.var("x"), te.var("y")
    assert ir.structural_equal(tir.substitute(x + y, {x: y}), y + y)
    assert [v.name for v in tir.free_vars(x + y)] == ["x", "y"]

    def fails(node):
        raise KeyError("in a visitor")

    with pytest.raises(KeyError):
        tir.post_order_visit(func.body, fails)


def test_making_statements():
    A = tir.decl_buffer((8,), "float32", "A")
    i = te.var("i")
    body = tir.For(i, 0, 8, "serial", tir.Store(A, tir.Load(A, [i]) + 1.0, [i]))
    func = tir.Func("bump", [A], body)
    a = np.zeros(8, "float32")
    lathe.build(ir.Module([func.with_attr("is_entry", True)]), target="llvm")["bump"](a)
    assert (a == 1).all()
    assert tir.If(i < 3, body).else_case is None
    assert len(tir.Seq([body, body]).stmts) == 2
    assert A[i].source.same_as(A) and A.shape[0].value == 8


def test_intrinsics_are_listed():
    assert "exp" in tir.intrinsics() and "exp" in tir.intrinsic_doc("exp")
    with pytest.raises(lathe.LatheError):
        tir.intrinsic_doc("no_such")


def test_scalars_become_vectors_and_intrinsics_of_llvm_are_called():
    x = te.var("x", "int8")
    assert str(x.astype("int32x16")) == "broadcast(int32(x), 16)"
    assert te.var("y", "int8x4").astype("int32x4").dtype == "int32x4"
    A = te.placeholder((8,), name="A")

    def magnitude(i):
        return tir.call_intrin("float32", "tir.call_llvm_pure_intrin", "llvm.fabs", tir.const(1, "uint32"), A[i])

    B = te.compute((8,), magnitude, name="B")
    y = np.zeros(8, "float32")
    lathe.build([A, B], target="llvm")(np.arange(-4, 4, dtype="float32"), y)
    assert y.tolist() == [4, 3, 2, 1, 0, 1, 2, 3]
    zeros = tir.const(0).astype("int32x16")
    call = tir.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", tir.const(0, "uint32"), zeros, zeros, zeros)
    assert call.op == "llvm_intrinsic" and len(call.args) == 4 and call.dtype == "int32x16"
    assert tir.call_llvm_intrin("int64", "llvm.readcyclecounter", 0).op == "llvm_intrinsic_with_effects"
