"""Integer analysis from Python."""

import lathe
from lathe import arith, ir, te, tir


def test_analyzer():
    i, j, n = te.var("i"), te.var("j"), te.size_var("n")
    a = arith.Analyzer()
    a.bind(i, ir.Range(0, 8))
    assert a.simplify(i // 8).value == 0 and a.simplify(i % 8).same_as(i)
    assert a.can_prove(i < 8) and not a.can_prove(i < 7) and a.can_prove(n >= 0)
    assert a.can_prove_equal((i + j) - j, i)
    bound = a.const_int_bound(i * 4 + 3)
    assert (bound.min_value, bound.max_value) == (3, 31)
    assert a.const_int_bound(n).min_value == 0
    modular = a.modular_set(i * 4 + 3)
    assert (modular.coeff, modular.base) == (4, 3)
    with a.constraint_scope(j < 4):
        assert a.can_prove(j < 5)
    assert not a.can_prove(j < 5)


def test_regions_and_equations():
    i, j, n = te.var("i"), te.var("j"), te.var("n")
    found = arith.eval_range(i * 2 + 1, {i: ir.Range(0, 5)})
    assert (found.min_value.value, found.max_value.value) == (1, 9)
    coefficient, base = arith.detect_linear_equation(i * 4 + n, [i])
    assert coefficient.value == 4 and base.same_as(n)
    assert arith.detect_linear_equation(i * i, [i]) == []
    least, most = arith.detect_clip_bound(tir.all(i >= 2, i < 9), [i])
    assert int(least) == 2 and int(most) == 8
    assert int(arith.deduce_bound(i, i * 4 < 33).max_value) == 8
    assert arith.IntervalSet().is_everything and lathe.arith.eval_range(
        n, {}).min_value.same_as(n)
