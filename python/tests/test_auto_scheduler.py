"""Searches without a template: tasks, records, and going on from them."""

import json
import logging

import numpy as np
import pytest

import lathe
from lathe import auto_scheduler, te
from expect import named


@auto_scheduler.register_workload
def product_and_bias(n, m, k, dtype):
    A = te.placeholder((n, k), name="A", dtype=dtype)
    B = te.placeholder((k, m), name="B", dtype=dtype)
    C = te.placeholder((n, m), name="C", dtype=dtype)
    r = te.reduce_axis((0, k), name="r")
    D = te.compute((n, m), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="D",
                   attrs={"layout_free_placeholders": [B]})
    return [A, B, C, te.compute((n, m), lambda i, j: D[i, j] + C[i, j], name="out")]


def task(n=32):
    return auto_scheduler.SearchTask(func=product_and_bias, args=(n, 48, 40, "float32"), target="llvm")


def options(trials, *callbacks):
    # In the sanitizers' process the code generator runs here (test_autotvm.py).
    return auto_scheduler.TuningOptions(
        num_measure_trials=trials, verbose=0, measure_callbacks=list(callbacks),
        builder=auto_scheduler.LocalBuilder(isolate=False),
        runner=auto_scheduler.LocalRunner(number=1, repeat=2, min_repeat_ms=0))


class Listening(auto_scheduler.PythonBasedMeasureCallback):
    def __init__(self):
        self.told = []

    def callback(self, policy, inputs, results):
        assert isinstance(policy, auto_scheduler.SketchPolicy)
        self.told += zip(inputs, results)


def right(schedule, args, n=32):
    function = lathe.build(schedule, args, "llvm")
    random = np.random.default_rng(1)
    a, b, c = (random.uniform(-1, 1, shape).astype("float32") for shape in ((n, 40), (40, 48), (n, 48)))
    out = lathe.nd.empty((n, 48))
    function(*(lathe.nd.array(one) for one in (a, b, c)), out)
    np.testing.assert_allclose(out.numpy(), a @ b + c, rtol=1e-4, atol=1e-4)


def test_tasks():
    made = task()
    assert json.loads(made.workload_key) == ["product_and_bias", 32, 48, 40, "float32"]
    assert made.compute_dag.flop_ct == 2 * 32 * 48 * 40 + 32 * 48
    assert "placeholder B: float32[40, 48]" in str(made.compute_dag)
    again = auto_scheduler.SearchTask(workload_key=made.workload_key, target="llvm")
    assert again.compute_dag.workload_key() == made.compute_dag.workload_key()
    by_name = auto_scheduler.make_workload_key("product_and_bias", (32, 48, 40, "float32"))
    assert by_name == made.workload_key
    dag = auto_scheduler.ComputeDAG(product_and_bias(8, 8, 8, "float32"))
    assert auto_scheduler.SearchTask(compute_dag=dag, target="llvm").compute_dag is dag
    wrong = "auto-scheduler-workload"
    named(wrong, auto_scheduler.make_workload_key, "nobody", ())
    named(wrong, auto_scheduler.SearchTask, target="llvm")
    named(wrong, auto_scheduler.register_workload, "product_and_bias", lambda: [])
    auto_scheduler.register_workload("test_numbers", lambda: [1], override=True)
    named(wrong, auto_scheduler.SearchTask, "test_numbers", (), target="llvm")


@pytest.mark.parametrize("model", [None, auto_scheduler.RandomModel()])
def test_a_search_and_its_records(tmp_path, caplog, model):
    log = str(tmp_path / "log.jsonl")
    made, listening = task(), Listening()
    policy = None if model is None else auto_scheduler.SketchPolicy(made, model)
    with caplog.at_level(logging.WARNING, "auto_scheduler"):
        made.tune(options(6, auto_scheduler.RecordToFile(log), listening), search_policy=policy)
    assert len(listening.told) == 6
    assert all(result.error_no == 0 for _, result in listening.told), listening.told
    state = listening.told[1][0].state
    right(*made.compute_dag.apply_steps_from_state(state))
    assert "split" in made.compute_dag.print_python_code_from_state(state)

    schedule, args = made.apply_best(log)
    right(schedule, args)
    best = min(np.median(result.costs) for _, result in listening.told)
    named("auto-scheduler-print-mode", made.print_best, log, "cuda")
    assert made.print_best(log) == "\n".join(str(step) for step in schedule.trace)
    assert len(open(log, encoding="utf-8").readlines()) == 6
    _, result = auto_scheduler.load_best_record(log, made.workload_key)
    assert np.median(result.costs) == best
    # Of another computation, and of no file.
    named("tune-no-record", task(64).apply_best, log)
    named("tune-journal-unreadable", made.apply_best, str(tmp_path / "none.jsonl"))

    # It goes on from there.
    resumed = auto_scheduler.SketchPolicy(
        made, auto_scheduler.RandomModel(),
        init_search_callbacks=[auto_scheduler.PreloadMeasuredStates(log)])
    assert len(resumed._records(log)) == 5
    made.tune(options(2, auto_scheduler.RecordToFile(log)), search_policy=resumed)
    lines = [json.loads(line)["record"] for line in open(log, encoding="utf-8")]
    assert len(lines) == 8
    assert len({json.dumps(line["knobs"], sort_keys=True) for line in lines}) == 8  # none twice
    assert all(line["machine"] for line in lines)


def test_most_points_of_a_space_differ():
    policy = auto_scheduler.SketchPolicy(task())
    space = policy._points.config_space
    seen = set()
    for number in range(0, len(space), max(len(space) // 60, 1)):
        if space.is_index_valid(number):
            seen.add(str(policy._points.instantiate(space.get(number))[0].trace))
    assert len(seen) > 5


def test_what_a_policy_refuses():
    named("auto-scheduler-model", auto_scheduler.SketchPolicy, task(), "model")


def test_layouts_of_inputs(tmp_path):
    option = auto_scheduler.LayoutRewriteOption.REWRITE_FOR_PRE_TRANSFORMED
    given = auto_scheduler.SearchTask(func=product_and_bias, args=(32, 48, 40, "float32"), target="llvm",
                                      layout_rewrite_option=option)
    log = str(tmp_path / "layouts.jsonl")
    heard = Listening()
    given.tune(options(9, auto_scheduler.RecordToFile(log), heard),
               auto_scheduler.SketchPolicy(given, auto_scheduler.RandomModel(), seed=1))
    # Candidates are compared with the program, in their layouts.
    assert [result.error_no for _, result in heard.told] == [0] * 9
    # Some trial that packs: the default schedule may be the fastest.
    state = next(one.state for one, _ in heard.told
                 if any("B.global" in str(step) for step in one.state.schedule.trace))
    schedule, args = given.compute_dag.apply_steps_from_state(state, option)
    A, B, C, out = args
    random = np.random.default_rng(1)
    a, b, c = (random.uniform(-1, 1, shape).astype("float32") for shape in ((32, 40), (40, 48), (32, 48)))
    packed = schedule.in_layout(B, b)
    assert len(packed.shape) == 3
    result = lathe.nd.empty((32, 48))
    lathe.build(schedule, args, "llvm")(lathe.nd.array(a), packed, lathe.nd.array(c), result)
    np.testing.assert_allclose(result.numpy(), a @ b + c, rtol=1e-4, atol=1e-4)
    # Without the option inputs stay, also of this record.
    right(*given.apply_best(log, layout_rewrite_option=auto_scheduler.LayoutRewriteOption.NO_REWRITE))
    named("relayout-values", schedule.in_layout, B, b.T)


def test_layout_free_inputs_are_read():
    A = te.placeholder((4,), name="A")
    B = te.placeholder((4,), name="B")
    named("layout-free-input", te.compute, (4,), lambda i: A[i] + 1.0,
          attrs={"layout_free_placeholders": [B]})
