"""Sketches of a user's rules: searched beside the built-in space, recorded, and refused if wrong."""

import json

import numpy as np
import pytest

import lathe
from lathe import auto_scheduler, te, tir
from lathe.auto_scheduler import loop_state
from expect import named

Rule = auto_scheduler.PreloadCustomSketchRule
N, M, K = 32, 48, 64


@auto_scheduler.register_workload
def rules_product():
    A, B = te.placeholder((N, K), name="A"), te.placeholder((K, M), name="B")
    k = te.reduce_axis((0, K), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C", tag="product")
    return [A, B, te.compute((N, M), lambda i, j: C[i, j] + 1.0, name="D")]


def task():
    return auto_scheduler.SearchTask(func=rules_product, args=(), target="llvm")


class Listening(auto_scheduler.PythonBasedMeasureCallback):
    def __init__(self):
        self.told = []

    def callback(self, policy, inputs, results):
        self.told += zip(inputs, results)


def options(trials, *callbacks):
    # In the sanitizers' process the code generator runs here (test_autotvm.py).
    return auto_scheduler.TuningOptions(
        num_measure_trials=trials, verbose=0, measure_callbacks=list(callbacks),
        builder=auto_scheduler.LocalBuilder(isolate=False),
        runner=auto_scheduler.LocalRunner(number=1, repeat=2, min_repeat_ms=0))


def right(dag, state):
    function = lathe.build(*dag.apply_steps_from_state(state), "llvm")
    random = np.random.default_rng(1)
    a, b = (random.uniform(-1, 1, shape).astype("float32") for shape in ((N, K), (K, M)))
    out = lathe.nd.empty((N, M))
    function(lathe.nd.array(a), lathe.nd.array(b), out)
    np.testing.assert_allclose(out.numpy(), a @ b + 1.0, rtol=1e-4, atol=1e-4)


def at(name, answer):
    """A condition: the answer at one stage."""
    return lambda policy, state, stage: answer if state.stages[stage].name == name else Rule.PASS


def tiles(policy, state, stage):
    """Tiles of D, in which C is computed; written as programs for TVM are."""
    state = loop_state.State(state, policy.search_task.compute_dag)
    product = stage - 1
    assert state.stages[product].op.tag == "product"
    i, j = state[stage].iters
    i0, i1 = state.split(stage, i, [None])
    j0, j1 = state.split(stage, j, [None])
    state.reorder(stage, [i0, j0, i1, j1])
    state.vectorize(stage, j1)
    m, n, k = state[product].iters
    state.split(product, k, [None, 4])
    state.compute_at(product, stage, j0)
    state.parallel(stage, state.fuse(stage, [i0, j0]))
    return [[state.state_object, stage - 2]]


def policy(*rules, model=None, seed=1, made=None):
    return auto_scheduler.SketchPolicy(made or task(), model or auto_scheduler.RandomModel(), seed=seed,
                                       init_search_callbacks=list(rules))


def test_points_of_rules_and_of_the_built_in_space(tmp_path):
    log, made, listening = str(tmp_path / "log.jsonl"), task(), Listening()
    given = policy(Rule(at("D", Rule.APPLY), tiles, "tiles"), made=made)
    sketch, = given.generate_sketches(print_for_debug=True)
    assert sketch.is_sketch()
    right(made.compute_dag, sketch)
    made.tune(options(13, auto_scheduler.RecordToFile(log), listening), search_policy=given)
    assert all(result.error_no == 0 for _, result in listening.told), listening.told
    states = [trial.state for trial, _ in listening.told]
    assert states[0].knobs == {"schedule": "default"} and len(states) == 13
    ours = [state for state in states if "sketch" in state.knobs]
    assert 3 <= len(ours) <= 9
    for state in ours:
        assert state.knobs["sketch"].startswith("tiles:") and not state.is_sketch()
        lengths = state.knobs["D.i"], state.knobs["D.j"], state.knobs["C.k"]
        assert N % lengths[0][0] == M % lengths[1][0] == K // 4 % lengths[2][0] == 0
        assert lengths[2][1] == 4
    for state in states:
        right(made.compute_dag, state)

    # Records apply, and the search goes on from them.
    lines = [json.loads(line)["record"] for line in open(log, encoding="utf-8")]
    assert [line["knobs"] for line in lines] == [state.knobs for state in states]
    schedule, _ = made.apply_best(log)
    best = min(listening.told, key=lambda pair: np.median(pair[1].costs))[0].state
    assert [str(step) for step in schedule.trace] == [str(step) for step in best.schedule.trace]
    again = auto_scheduler.SketchPolicy(made, auto_scheduler.RandomModel(), init_search_callbacks=[
        Rule(at("D", Rule.APPLY), tiles, "tiles"), auto_scheduler.PreloadMeasuredStates(log)])
    assert len(again._records(log)) == 12
    made.tune(options(4, listening), search_policy=again)
    knobs = [json.dumps(trial.state.knobs, sort_keys=True) for trial, _ in listening.told]
    assert len(set(knobs)) == 17
    # A rule that has changed is another one: its records are not this one's.
    def others(policy, state, stage):
        state.parallel(stage, state[stage].iters[0])
        return [[state, -1]]

    changed = policy(Rule(at("D", Rule.APPLY), others, "tiles"), made=made)
    assert len(changed._records(log)) == 12 - len(ours)


def test_rules_alone():
    made, listening = task(), Listening()
    given = policy(Rule(at("D", Rule.APPLY_AND_SKIP_REST), tiles), made=made)
    made.tune(options(5, listening), search_policy=given)
    knobs = [trial.state.knobs for trial, _ in listening.told]
    assert len(knobs) == 5 and all(one["sketch"].startswith("CustomSketchRule:") for one in knobs[1:])

    def whole(policy, state, stage):
        state.parallel(stage, state[stage].iters[0])
        return [(state, -1)]

    # A sketch without free lengths is one point; the search ends when there are no more.
    listening.told.clear()
    given = policy(Rule(at("D", Rule.APPLY_AND_SKIP_REST), whole), made=made)
    made.tune(options(9, listening), search_policy=given)
    assert len(listening.told) == 2
    right(made.compute_dag, listening.told[1][0].state)


def test_several_rules_and_stages():
    def cached(policy, state, stage):
        """Adds a stage: the same rule is asked again for what is then at its number."""
        return [[state, stage]] if state.cache_write(stage, "global") else []

    def unrolled(policy, state, stage):
        loop = state[stage].iters[-1]
        state.split(stage, loop, [None], inner_to_outer=False)
        return [[state, stage - 1], (loop_state.State(policy.search_task.compute_dag.get_init_state()), -1)]

    given = policy(Rule(at("D", Rule.APPLY), tiles, "tiles"), Rule(at("C", Rule.APPLY), cached, "cached"),
                   Rule(at("C.global", Rule.APPLY_AND_SKIP_REST), unrolled, "unrolled"))
    names = [name.split(":")[0] for name in given._spaces if name is not None]
    # `tiles` goes on behind C; without it C is cached, whose copy is then unrolled.
    # The state that has no steps is no sketch beside the built-in space.
    assert sorted(names) == ["cached+unrolled", "tiles"]
    assert None in given._spaces
    for sketch in given._sketches:
        for choose in (min, max):
            state = sketch.fill({name: choose(values) for name, values in sketch.knobs.items()})
            right(given.search_task.compute_dag, state)


def test_steps_are_done_again_with_other_lengths():
    made = task()
    dag = made.compute_dag
    state = dag.get_init_state()
    C_global = state.cache_write(2, "global")
    C, D = 3, 4  # they are now behind it
    its = state.split(D, state[D].iters[0], [None, None]), state.split(D, state[D].iters[3], [None, 4])
    first = len(state.transform_steps) - 2
    state.reorder(D, [it for pair in zip(*its) for it in pair])
    state.follow_split(C, state[C].iters[0], first, 1)
    fused = state.fuse(C, state[C].iters[:2])
    state.follow_fused_split(C, fused, [first, first + 1], 1, True)
    state.compute_at(C_global, C, state[C].iters[0])
    state.parallel(D, state.fuse(D, state[D].iters[:2]))
    outer, _ = state.split(C_global, state[C_global].iters[2], [None])
    read = state.cache_read(0, "global", [C_global])
    state.compute_at(read, C_global, outer)
    sketch = auto_scheduler.sketch.Sketch("s", state)
    assert list(sketch.knobs) == ["D.i", "D.j", "C.global.k"]
    before, random = str(state), np.random.default_rng(1)
    for _ in range(5):
        knobs = {name: list(random.choice(values)) for name, values in sketch.knobs.items()}
        filled = sketch.fill({name: [int(one) for one in lengths] for name, lengths in knobs.items()})
        assert not filled.is_sketch() and "None" not in str(filled)
        extents = [int(it.range.extent) for it in filled[5].iters]
        assert extents[1:4] == [knobs["D.i"][0], knobs["D.j"][0], knobs["D.i"][1]]
        right(dag, filled)
    assert str(state) == before
    # A state of a record goes on where the schedule ended.
    again = auto_scheduler.State({"knob": 1}, filled.schedule)
    again.vectorize(5, again[5].iters[-1])
    assert len(again.schedule.trace) == len(filled.schedule.trace) + 1
    right(dag, again)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_seed_gives_the_same_candidates(seed):
    def proposed():
        given, found = policy(Rule(at("D", Rule.APPLY), tiles), seed=seed), []
        tuner = given._tuner
        for turn in range(6):
            configs = tuner.next_batch(8)
            found += [json.dumps(one.get_other_option()) for one in configs]
            inputs = [lathe.autotvm.MeasureInput("llvm", given._points, one) for one in configs]
            results = [lathe.autotvm.MeasureResult((1.0 + len(found[-1]) + turn,), 0, 0.0, 0.0)] * len(inputs)
            tuner.update(inputs, results)
        return found

    first = proposed()
    assert first == proposed() and len(set(first)) == len(first) == 48


def test_lengths_that_are_tried():
    X = te.placeholder((128,), name="X")
    Y = te.compute((128,), lambda i: X[i] + 1.0, name="Y")
    dag = auto_scheduler.ComputeDAG([X, Y])

    def lengths(*splits):
        state = dag.get_init_state()
        for wanted, direction in splits:
            state.split(Y, state[Y].iters[-1], wanted, direction)
        return list(auto_scheduler.sketch.Sketch("s", state).knobs.values())

    assert lengths(([None], True)) == [[[2 ** i] for i in range(7)]]  # 128 is too long for a tile
    assert lengths(([None], False)) == [[[2 ** i] for i in range(1, 8)]]
    assert lengths(([None, 32], True)) == [[[1, 32], [2, 32], [4, 32]]]
    two, = lengths(([None, None], True))
    assert all(128 % (a * b) == 0 and b <= 64 for a, b in two) and len(two) == 35
    # Of a loop whose length is a free choice.
    inner = lengths(([None], True), ([None], True))
    assert [one[0] for one in inner[1]] == [1, 2, 4, 8, 16, 32, 64]


def test_a_wrong_rule_is_caught_by_measuring():
    c = te.placeholder((16,), name="c")
    d = te.compute((16,), lambda i: c[i] + 1.0, name="d")

    def body(ins, outs):
        builder = tir.ir_builder.create()
        source, target = builder.buffer_ptr(ins[0]), builder.buffer_ptr(outs[0])
        with builder.for_range(0, 16) as i:
            target[i] = source[i] + 2.0  # it should be 1
        return builder.get()

    wrong = te.decl_tensor_intrin(d.op, body, name="wrong")

    def planted(policy, state, stage):
        state.split(stage, state[stage].iters[0], [None, None])
        _, inner = state.split(stage, state[stage].iters[3], [16])
        state.tensorize(stage, inner, wrong)
        return [[state, stage - 1]]

    def unfit(policy, state, stage):
        _, inner = state.split(stage, state[stage].iters[1], [None])
        state.tensorize(stage, inner, wrong)  # fits one of the lengths alone
        return [[state, stage - 1]]

    made, listening = task(), Listening()
    made.tune(options(5, listening), search_policy=policy(
        Rule(at("D", Rule.APPLY_AND_SKIP_REST), planted), made=made))
    assert [result.error_no for _, result in listening.told] == [0, 5, 5, 5, 5]
    listening.told.clear()
    made.tune(options(5, listening), search_policy=policy(
        Rule(at("D", Rule.APPLY_AND_SKIP_REST), unfit), made=made))
    assert listening.told[0][1].error_no == 0 and all(result.error_no for _, result in listening.told[1:])
    # The search ends when every trial fails.
    named("tune-same-failure", made.tune, options(16), search_policy=policy(
        Rule(at("D", Rule.APPLY_AND_SKIP_REST), planted), made=made))


def test_what_rules_must_return():
    wrong = "auto-scheduler-sketch-rule"

    def refused(condition, apply):
        text = named(wrong, policy, Rule(condition, apply, "mine"))
        assert "mine" in text and all(f"{word}: " in text for word in ("expected", "found", "help")), text
        return text

    def raises(policy, state, stage):
        raise KeyError("no such thing")

    answers = at("D", Rule.APPLY)
    assert "KeyError: 'no such thing'" in refused(raises, tiles)
    assert "at stage 3 (`D`)" in refused(answers, raises)
    for answer in (None, 3, "apply", -1):
        assert f"found: {answer!r}" in refused(lambda *_: answer, tiles)
    for given in (None, 5, [5], [[1, 2]], [[None, 1]], [["state", 1, 2]]):
        assert f"found: {given!r}" in refused(answers, lambda *_: given)
    refused(answers, lambda policy, state, stage: [state, stage - 1])  # one list too few
    refused(answers, lambda policy, state, stage: [[state, "2"]])
    refused(answers, lambda policy, state, stage: [[auto_scheduler.State({}, None), 2]])
    for number in (-2, 4):
        assert f"found: {number}" in refused(answers, lambda policy, state, stage: [[state, number]])
    # Without an end, and without a state.
    refused(answers, lambda policy, state, stage: [[state, stage]])
    text = named(wrong, policy, Rule(at("D", Rule.APPLY_AND_SKIP_REST), lambda *_: []))
    assert "expected: " in text
    assert "a function" in named(wrong, Rule, None, tiles)
    assert "a function" in named(wrong, Rule, answers, [])
    assert "found: 'file'" in named("auto-scheduler-callback", policy, "file")


def test_a_rule_changes_states_by_their_methods():
    def directly(first):
        def apply(policy, state, stage):
            loop = state[stage].iters[0]
            if not first:
                loop = state.split(stage, loop, [None])[0]
            made = state.schedule.stages[stage]
            made.parallel(made.leaf_iter_vars[0])
            return [[state, -1]]
        return apply

    for first in (True, False):
        text = named("auto-scheduler-sketch-rule", policy, Rule(at("D", Rule.APPLY), directly(first), "mine"))
        assert "`mine`" in text and "at stage 3" in text and "parallel" in text.split("found: ")[1], text
    # What one rule does to the schedule of its state no other rule sees.
    seen = []

    def condition(policy, state, stage):
        seen.append(str(state))
        made = state.schedule.stages[3]
        made.parallel(made.leaf_iter_vars[0])
        return Rule.PASS

    assert policy(Rule(condition, tiles), Rule(condition, tiles)).generate_sketches() == []
    assert set(seen) == {str(task().compute_dag.get_init_state())}


def test_a_state_of_another_computation_is_refused():
    other = task().compute_dag  # of the same text, with tensors of its own

    def foreign(policy, state, stage):
        made = other.get_init_state()
        made.parallel(stage, made[stage].iters[0])
        return [[made, -1]]

    text = named("auto-scheduler-sketch-rule", policy, Rule(at("D", Rule.APPLY), foreign, "mine"))
    assert "`mine`" in text and "another computation" in text and "help: " in text


def test_the_same_sketch_is_searched_once():
    def tiled(policy, state, stage):
        state.split(stage, state[stage].iters[0], [None])
        return [[state, -1], [state.copy(), -1]]

    def nothing(policy, state, stage):
        return [[state, stage - 1]]

    answer = at("D", Rule.APPLY)
    one = policy(Rule(answer, tiled, "one"), Rule(answer, tiled, "two"), Rule(answer, nothing, "three"))
    assert len(one.generate_sketches()) == 1 and len(one._spaces) == 2
    alone = policy(Rule(at("D", Rule.APPLY_AND_SKIP_REST), nothing, "alone"))
    assert len(alone.generate_sketches()) == 1 and None not in alone._spaces


def test_programs_that_have_no_built_in_space():
    def empty():
        X = te.placeholder((0, 4), name="X")
        return [X, te.compute((0, 4), lambda i, j: X[i, j] + 1.0, name="Y")]

    def sums():
        X = te.placeholder((7, 12), name="X")
        return [X, lathe.topi.cumsum(X, axis=1)]

    for made in (empty, sums):
        searched = auto_scheduler.SearchTask(compute_dag=auto_scheduler.ComputeDAG(made()), target="llvm")
        for model in (auto_scheduler.RandomModel(), None):
            given = (auto_scheduler.SketchPolicy(searched, model, verbose=0) if model else
                     auto_scheduler.search_policy.default_policy(searched, verbose=0))
            heard = Listening()
            searched.tune(options(4, heard), given)
            assert [trial.state.knobs for trial, _ in heard.told] == [{"schedule": "default"}]
            assert all(result.error_no == 0 for _, result in heard.told), heard.told
    # A rule's sketches are searched all the same.
    given = auto_scheduler.SketchPolicy(searched, verbose=0, init_search_callbacks=[Rule(
        lambda policy, state, stage: Rule.APPLY, lambda policy, state, stage: [[state, -1]], "mine")])
    heard = Listening()
    searched.tune(options(4, heard), given)
    assert [set(trial.state.knobs) for trial, _ in heard.told] == [{"schedule"}, {"sketch"}]


def test_lengths_that_no_search_can_choose():
    def refused(n, lengths):
        X = te.placeholder((n,), name="X")
        Y = te.compute((n,), lambda i: X[i] + 1.0, name="Y")

        def apply(policy, state, stage):
            state.split(stage, state[stage].iters[0], lengths)
            return [[state, -1]]

        made = auto_scheduler.SearchTask(compute_dag=auto_scheduler.ComputeDAG([X, Y]), target="llvm")
        text = named("auto-scheduler-sketch-rule", auto_scheduler.SketchPolicy, made,
                     init_search_callbacks=[Rule(at("Y", Rule.APPLY), apply, "mine")])
        assert "`mine`" in text and "`Y.i`" in text and "help: " in text, text
        return text

    assert "for 0 iterations" in refused(0, [None])
    refused(1 << 20, [None] * 8)


def test_rules_that_look_at_the_policy():
    seen = []

    def apply(policy, state, stage):
        seen.append(policy.generate_sketches())
        state.parallel(stage, state[stage].iters[0])
        return [[state, np.int64(-1)]]

    answer = at("D", np.int64(Rule.APPLY))
    made = policy(Rule(answer, apply))
    assert seen == [[]] and len(made.generate_sketches()) == 1
