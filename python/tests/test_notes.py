"""Hints of a schedule that have no effect are warnings."""

import warnings

import pytest

import lathe
from lathe import te


def doubled(extent):
    A = te.placeholder((extent,), name="A")
    B = te.compute((extent,), lambda i: A[i] * 2.0, name="B")
    return te.create_schedule(B.op), A, B


def test_a_hint_without_effect_is_a_warning():
    s, A, B = doubled(64)
    s[B].pragma(B.op.axis[0], "loop_partition_hint", 1)
    for call in (lambda: lathe.lower(s, [A, B]), lambda: lathe.build(s, [A, B], "llvm")):
        with pytest.warns(UserWarning, match="hint-without-effect") as caught:
            call()
        assert len(caught) == 1 and "`i` of stage `B`" in str(caught[0].message)
        assert caught[0].filename == __file__


def test_other_programs_have_none():
    s, A, B = doubled(100)
    outer, inner = s[B].split(B.op.axis[0], factor=16)
    s[B].pragma(outer, "loop_partition_hint", 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lathe.lower(s, [A, B])
        lathe.build([A, B])
