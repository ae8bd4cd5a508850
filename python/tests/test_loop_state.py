"""States: each is made by the methods of TVM's name, built, and compared with NumPy."""

import copy

import numpy as np
import pytest

import lathe
from lathe import auto_scheduler, te, tir
from lathe.auto_scheduler import loop_state
import expect

N, M, K = 32, 48, 64


def named(name, call, *args, **options):
    text = expect.named(name, call, *args, **options)
    assert "expected: " in text and "found: " in text, text
    return text


def product(scale=1.0):
    A, B = te.placeholder((N, K), name="A"), te.placeholder((K, M), name="B")
    k = te.reduce_axis((0, K), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j] * scale, axis=k), name="C")
    return A, B, C, te.compute((N, M), lambda i, j: C[i, j] + 1.0, name="D")


def dag_of(count=4):
    """A product, and with 4 tensors one that adds to it: the last is the result."""
    A, B, C, D = product()
    return (A, B, C, D), auto_scheduler.ComputeDAG([A, B, D] if count == 4 else [A, B, C])


def right(dag, state, plus=1.0):
    """Builds what a state says, and compares."""
    schedule, tensors = dag.apply_steps_from_state(state)
    function = lathe.build(schedule, tensors, "llvm")
    random = np.random.default_rng(1)
    a, b = (random.uniform(-1, 1, shape).astype("float32") for shape in ((N, K), (K, M)))
    out = lathe.nd.array(np.full((N, M), np.nan, "float32"))
    function(lathe.nd.array(a), lathe.nd.array(b), out)
    np.testing.assert_allclose(out.numpy(), a @ b + plus, rtol=1e-4, atol=1e-4)
    if not state.is_sketch():  # its steps, done again, give the same
        assert auto_scheduler.sketch.Sketch("s", state).fill({}) == state


def extents(stage):
    return [None if one.range is None else int(one.range.extent) for one in stage.iters]


def test_the_first_state():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    assert isinstance(state, auto_scheduler.State) and state.knobs == {}
    assert [stage.name for stage in state.stages] == ["A", "B", "C", "D"]
    assert [op.name for op in state.stage_ops] == ["A", "B", "C", "D"]
    assert state[C].op.name == state[2].op.name == state[C.op].op.name == "C"
    assert state[state[C]].name == "C"
    assert [one.name for one in state[C].iters] == ["i", "j", "k"]
    assert [one.iter_kind for one in state[C].iters] == [0, 0, 1]
    assert extents(state[C]) == [N, M, K] and state[A].iters == []
    assert state.transform_steps == [] and not state.is_sketch()
    assert str(state).splitlines() == [
        "Placeholder: A, B", "for i (0,32)", "  for j (0,48)", "    for k (0,64)", "      C = ...",
        "for i (0,32)", "  for j (0,48)", "    D = ..."]
    right(dag, state)
    wrapped = loop_state.State(state.state_object, dag)
    wrapped.parallel(D, wrapped[D].iters[0])
    assert wrapped != state and dag.get_init_state() == state  # a copy
    assert loop_state.StateObject is loop_state.State


def test_splits_orders_and_annotations():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    its = state.split(C, state[C].iters[0], [4, 2])
    assert [int(one.range.extent) for one in its] == [4, 4, 2]
    assert len(state.transform_steps) == 1 and "split(C.i, [4, 2]" in str(state.transform_steps[0])
    outer = state.split(C, state[C].iters[3], [6, 2], inner_to_outer=False)
    assert [int(one.range.extent) for one in outer] == [6, 2, 4]
    k = state[C].iters[6]
    state.reorder(C, [its[0], outer[0], its[1], outer[1], k, its[2], outer[2]])
    assert extents(state[C]) == [4, 6, 4, 2, K, 2, 4]
    fused = state.fuse(C, [its[0], outer[0]])
    assert int(fused.range.extent) == 24 and fused == state[C].iters[0]
    table = auto_scheduler.State.ANNOTATION_TRANS_TABLE
    before = state.copy()
    for made, word in ((state.parallel(C, fused), "parallel"), (state.unroll(C, its[2]), "unroll"),
                       (state.vectorize(C, outer[2]), "vectorize")):
        assert made.annotation == table[word] and made in state[C].iters
    state.pragma(C, fused, "auto_unroll_max_step$16")
    assert "auto_unroll_max_step" in dag.print_python_code_from_state(state)
    assert [one.annotation for one in before[C].iters] == [0] * 6
    assert "parallel i.outer.outer.j.outer.fused (0,24)" in str(state).splitlines()
    # Not what is too long.
    assert state.unroll(C, k, max_unroll=16).annotation == table["none"]
    assert state.unroll(C, its[1], max_unroll=16).annotation == table["unroll"]
    for one in (before, state):
        right(dag, one)


def test_following_other_splits():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    its0 = state.split(D, state[D].iters[0], [2, 2, 4])
    step0 = len(state.transform_steps) - 1
    for count in range(1, 5):
        one = state.copy()
        made = one.follow_split(C, one[C].iters[0], step0, count)
        assert len(made) == count + 1
        whole = [int(it.range.extent) for it in its0]
        wanted = whole[:count] + [int(np.prod(whole[count:]))]
        assert [int(it.range.extent) for it in made] == wanted
        right(dag, one)
    its1 = state.split(D, state[D].iters[4], [3, 2, 2])
    step1 = len(state.transform_steps) - 1
    state.reorder(D, [it for pair in zip(its0, its1) for it in pair])
    for i in range(4):
        state.fuse(D, state[D].iters[i:i + 2])
    whole = state.copy()
    whole.fuse(C, whole[C].iters[:2])
    for level in range(3):
        for inner in (False, True):
            one = whole.copy()
            made = one.follow_fused_split(C, one[C].iters[0], [step0, step1], level, inner)
            assert int(made[inner].range.extent) == extents(one[D])[level + 1]
            right(dag, one)
    named("auto-scheduler-step", state.follow_split, C, state[C].iters[0], 2, 1)
    named("auto-scheduler-step", state.follow_split, C, state[C].iters[0], 99, 1)
    named("auto-scheduler-step", state.follow_split, C, state[C].iters[0], step0, 5)
    named("auto-scheduler-step", state.follow_fused_split, C, state[C].iters[0], [], 0, True)
    named("auto-scheduler-step", state.follow_fused_split, C, state[C].iters[0], [step0], 3, True)


def test_places_of_stages():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    i, j = state[D].iters
    tiles = state.split(D, i, [8]) + state.split(D, j, [16])
    state.reorder(D, [tiles[0], tiles[2], tiles[1], tiles[3]])
    state.compute_at(C, D, tiles[2])
    assert dag.infer_bound_from_state(state) is state
    assert extents(state[C]) == [8, 16, K]
    lines = str(state).splitlines()
    assert lines[3].startswith("    for i") and "      C = ..." not in lines and lines[-1].endswith("D = ...")
    assert len(lines) == 1 + 4 + 3 + 2
    right(dag, state)
    # Loops that were fused or split have others in their place.
    other = state.copy()
    other.fuse(D, other[D].iters[:2])
    other.split(D, other[D].iters[0], [2])
    assert [line.split(" (")[0] for line in str(other).splitlines()] == [
        "Placeholder: A, B", "for i.outer.j.outer.fused.outer", "  for i.outer.j.outer.fused.inner",
        "    for i", "      for j", "        for k", "          C = ...",
        "    for i.inner", "      for j.inner", "        D = ..."]
    right(dag, other)
    state.compute_root(C)
    assert extents(state[C]) == [N, M, K]
    right(dag, state)

    X = te.placeholder((N, M), name="X")
    E = te.compute((N, M), lambda i, j: X[i, j] * 2.0, name="E")
    F = te.compute((N, M), lambda i, j: E[i, j] + 1.0, name="F")
    simple = auto_scheduler.ComputeDAG([X, F])
    state = simple.get_init_state()
    state.compute_inline(E)
    assert "E = " not in str(state)
    function = lathe.build(*simple.apply_steps_from_state(state), "llvm")
    x, out = np.ones((N, M), "float32"), lathe.nd.empty((N, M))
    function(lathe.nd.array(x), out)
    np.testing.assert_allclose(out.numpy(), 3.0)


def test_caches_and_partial_results():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    written = state.cache_write(C, "global")
    assert [stage.name for stage in state.stages] == ["A", "B", "C.global", "C", "D"]
    assert state[written].name == "C.global" and state[C].name == "C" and len(state[C].iters) == 2
    its = state.split(C, state[C].iters[0], [8])
    state.compute_at(written, C, its[0])
    read = state.cache_read(B, "global", [written])
    assert state[read].name == "B.global"
    assert [op.name for op in state.stage_ops].index("B.global") == 2
    state.compute_at(read, written, state[written].iters[1])
    state.storage_align(read, state[read].iters[0], 16, 4)
    right(dag, state)

    (A, B, C, _), dag = dag_of(3)
    state = dag.get_init_state()
    outer, inner = state.split(C, state[C].iters[2], [16])
    one = state.copy()
    parts = one.rfactor(C, outer, 2)
    assert extents(one[parts]) == [N, M, K // 16, 16] and extents(one[C]) == [N, M, K // 16]
    right(dag, one, 0.0)
    parts = state.rfactor(C, inner, 0)
    state.parallel(parts, state[parts].iters[0])
    assert extents(state[parts])[0] == 16
    right(dag, state, 0.0)


def add_one(amount=1.0):
    """An intrinsic that says that it adds one; nothing checks its body."""
    c = te.placeholder((16,), name="c")
    d = te.compute((16,), lambda i: c[i] + 1.0, name="d")

    def body(ins, outs):
        builder = tir.ir_builder.create()
        source, target = builder.buffer_ptr(ins[0]), builder.buffer_ptr(outs[0])
        with builder.for_range(0, 16) as i:
            target[i] = source[i] + amount
        return builder.get()

    return te.decl_tensor_intrin(d.op, body, name=f"add_{amount}")


@lathe.register_func("test.loop_state.add_one", override=True)
def _make_intrinsic():
    return add_one()


def test_intrinsics():
    (A, B, C, D), dag = dag_of()
    registered = te.register_tensor_intrin(add_one()).name
    for intrinsic in (add_one(), "test.loop_state.add_one", registered):
        state = dag.get_init_state()
        _, inner = state.split(D, state[D].iters[1], [16])
        loop = state.tensorize(D, inner, intrinsic)
        assert loop.annotation == auto_scheduler.State.ANNOTATION_TRANS_TABLE["tensorize"]
        right(dag, state)


def test_loops_of_threads():
    (A, B, C, _), dag = dag_of(3)
    state = dag.get_init_state()
    its = state.split(C, state[C].iters[0], [8])
    table = auto_scheduler.State.ANNOTATION_TRANS_TABLE
    for loop, thread in zip([*its, state[C].iters[2]], ["blockIdx.x", "vthread", "threadIdx.x"]):
        assert state.bind(C, loop, thread).annotation == table[thread]
    assert "blockIdx.x i.outer (0,4)" in str(state)
    schedule, tensors = dag.apply_steps_from_state(state)
    assert "blockIdx.x" in str(lathe.lower(schedule, tensors))


def test_copies_and_equality():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    state.split(C, state[C].iters[0], [4])
    other = copy.copy(state)
    assert other == state and hash(other) == hash(state) and other is not state
    other.parallel(D, other[D].iters[0])
    assert other != state and len(other.transform_steps) == 2 and len(state.transform_steps) == 1
    assert state != "a text" and "2 steps" in repr(other)
    # Of another computation, and with a loop of another length.
    (_, _, one, _), (_, _, two, _) = product(), product(2.0)
    assert (auto_scheduler.State({}, te.create_schedule(one.op)) !=
            auto_scheduler.State({}, te.create_schedule(two.op)))
    longer = dag.get_init_state()
    loop = longer.split(C, longer[C].iters[0], [8])[1]
    shorter = dag.get_init_state()
    shorter.split(C, shorter[C].iters[0], [2])
    assert shorter.unroll(C, loop, max_unroll=4).annotation > 0  # it counts how long it is there
    failed = auto_scheduler.State({"C.unroll": 1}, None)
    assert failed == auto_scheduler.State({"C.unroll": 1}, None) and "schedule" in str(failed)
    # One that has a schedule already can be changed, too: the schedule stays.
    schedule = te.create_schedule(D.op)
    schedule[C].split(C.op.axis[0], factor=4)
    given = auto_scheduler.State({"tile": 4}, schedule)
    assert given == state and len(given.transform_steps) == 1
    given.vectorize(D, given[D].iters[1])
    assert len(schedule.trace) == 1 and len(given.schedule.trace) == 2
    right(dag, given)
    named("auto-scheduler-step", given.follow_split, D, given[D].iters[0], 0, 1)  # no step of a state


def test_a_loop_that_is_fused_alone_stays():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    row = state[D].iters[0]
    alone = state.fuse(D, [row])
    assert alone == row and int(alone.range.extent) == N
    state.compute_at(C, D, alone)
    assert [line.split()[1] for line in str(state).splitlines()] == ["A,", "i", "i", "j", "k", "=", "j", "="]
    assert state == state.copy() and hash(state) == hash(state.copy())
    right(dag, state)


def test_a_schedule_that_is_changed_directly_is_one_state_s():
    (A, B, C, D), dag = dag_of()
    first = dag.get_init_state()
    before, second, third = str(first), first.copy(), first.copy()
    second.schedule[D].parallel(D.op.axis[0])
    assert str(first) == str(third) == before != str(second)
    first.schedule[D].unroll(D.op.axis[0])
    third.vectorize(D, third[D].iters[1])
    assert "unroll" not in str(third) + str(second) and "parallel" in str(second)


def test_a_step_that_fails_half_way_has_no_effect(monkeypatch):
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    before = str(state)

    def half(schedule, stage, steps, step):
        stage.split(stage.leaf_iter_vars[0], factor=4)
        raise lathe.LatheError("the second split failed", "test", "expected: a test\nfound: one")

    with monkeypatch.context() as patch:
        patch.setitem(loop_state._steps._PERFORM, "split", half)
        named("test", state.split, D, state[D].iters[0], [2, 4])
    assert str(state) == before and not state.transform_steps and not len(state.schedule.trace)
    state.split(D, state[D].iters[0], [4])
    right(dag, state)


def test_sketches():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    its = state.split(D, state[D].iters[0], [None, 4])
    assert state.is_sketch()
    assert [None if it.range is None else int(it.range.extent) for it in its] == [None, None, 4]
    other = state.follow_split(C, state[C].iters[0], len(state.transform_steps) - 1, 1)
    assert [it.range for it in other] == [None, None]
    joined = state.fuse(D, its[:2])
    assert joined.range is None
    state.compute_at(C, D, joined)
    assert extents(state[C]) == [None, None, None, None]
    assert str(state).count("(None)") == 5
    assert "[None, 4]" in dag.print_python_code_from_state(state)
    right(dag, state)  # with lengths of 1
    bare = dag.get_init_state()
    parts = bare.split(C, bare[C].iters[2], [None])
    made = bare.rfactor(C, parts[0], 2)
    assert extents(bare[made])[2:] == [None, None]
    right(dag, bare)


def test_what_methods_refuse():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    i, j, k = state[C].iters
    named("auto-scheduler-stage", state.compute_inline, 7)
    named("auto-scheduler-stage", state.compute_inline, "C")
    named("auto-scheduler-iterator", state.parallel, C, "i")
    named("auto-scheduler-iterator", state.parallel, D, i)
    named("auto-scheduler-iterator", state.fuse, C, [])
    for lengths in ([], [0], [-1], 4, ["4"], [True]):
        named("auto-scheduler-step", state.split, C, i, lengths)
    named("auto-scheduler-step", state.pragma, C, i, "auto_unroll_max_step$many")
    state.split(C, i, [4])
    text = named("auto-scheduler-iterator", state.split, C, i, [4])
    assert "help: " in text and "i.outer, i.inner, j, k" in text
    failed = auto_scheduler.State({}, None)
    named("auto-scheduler-state", lambda: failed.stages)
    named("auto-scheduler-state", dag.infer_bound_from_state, failed)
    before = str(state), len(state.transform_steps)
    with pytest.raises(lathe.LatheError):
        state.fuse(C, [state[C].iters[0], state[C].iters[3]])  # these are not neighbours
    assert (str(state), len(state.transform_steps)) == before
    right(dag, state)


def test_wrong_arguments_have_errors_of_their_own():
    (A, B, C, D), dag = dag_of()
    state, other = dag.get_init_state(), dag_of(3)[1].get_init_state()
    failed = auto_scheduler.State({}, None)
    i, j = state[D].iters
    named("auto-scheduler-state", lambda: failed[0])
    named("auto-scheduler-state", dag.print_python_code_from_state, failed)
    named("auto-scheduler-state", auto_scheduler.State, None, dag)
    named("auto-scheduler-state", auto_scheduler.State, {}, dag)
    named("auto-scheduler-stage", lambda: other[state[D]])
    for value in ("--5", "\u00b2", "-", "many", "9" * 30):
        named("auto-scheduler-step", state.pragma, D, i, f"auto_unroll_max_step${value}")
    for pragma in (5, None):
        named("auto-scheduler-step", state.pragma, D, i, pragma)
    for lengths in ([1 << 70], [1 << 63], [4, 1 << 70], [4.0], [False]):
        named("auto-scheduler-step", state.split, D, i, lengths)
    for most in ("4", 4.0, True):
        named("auto-scheduler-step", state.unroll, D, i, most)
    for thread in ("fooIdx", "threadIdx", "", None):
        assert "threadIdx.x" in named("auto-scheduler-step", state.bind, D, i, thread)
    for step in (0, None, [], [None], ["0"]):
        named("auto-scheduler-step", state.follow_fused_split, D, i, step, 0, True)
    assert "help: this loop is of stage `D`" in named("auto-scheduler-iterator", state.parallel, C, i)
    assert "help: this loop is of stage `D`" in named("auto-scheduler-iterator", state.parallel, A, i)
    assert not state.transform_steps


def test_numbers_may_be_of_numpy():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    stage, zero = np.int64(3), np.int32(0)
    assert state[stage].name == "D"
    state.split(stage, state[stage].iters[0], [np.int64(4), np.int64(2)])
    state.follow_split(C, state[C].iters[0], zero, np.int64(2))
    state.follow_fused_split(C, state[C].iters[-2], [zero], zero, True)
    state.unroll(C, state[C].iters[1], max_unroll=np.int64(16))
    assert extents(state[D])[:3] == [4, 4, 2]
    right(dag, state)


def test_loops_that_are_no_more_have_no_range():
    (A, B, C, D), dag = dag_of()
    state = dag.get_init_state()
    i, j = state[D].iters
    assert int(i.range.extent) == N
    parts = state.split(D, i, [4])
    assert i.range is None and int(j.range.extent) == M
    assert [int(it.range.extent) for it in parts] == [8, 4]
    state.fuse(D, parts)
    assert [it.range for it in parts] == [None, None] and "(None)" in repr(i)
