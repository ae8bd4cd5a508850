"""Kernels of graphs without templates: extracted, searched by turns, recorded, and applied by builds."""

import json
import logging
import math
import statistics
import threading

import numpy as np
import pytest

import lathe
from lathe import auto_scheduler, relay
from lathe.auto_scheduler import measure_record
from lathe.contrib import graph_executor
from lathe.transform import PassContext
from expect import named

SHAPES = {"x": (16, 48), "w": (64, 48), "v": (8, 64)}


def network():
    x, w, v = (relay.var(name, shape=shape) for name, shape in SHAPES.items())
    return relay.Function([x, w, v], relay.nn.dense(relay.nn.relu(relay.nn.dense(x, w)), v))


def run(lib):
    module = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    random = np.random.default_rng(1)
    module.run(**{name: random.uniform(-1, 1, shape).astype("float32")
                  for name, shape in SHAPES.items()})
    return module.get_output(0).numpy()


def options(trials, *callbacks, verbose=0):
    # In the sanitizers' process the code generator runs here (test_autotvm.py).
    return auto_scheduler.TuningOptions(
        num_measure_trials=trials, num_measures_per_round=2, verbose=verbose,
        measure_callbacks=list(callbacks), builder=auto_scheduler.LocalBuilder(isolate=False),
        runner=auto_scheduler.LocalRunner(number=1, repeat=2, min_repeat_ms=0))


def extract(function=None, **arguments):
    return auto_scheduler.extract_tasks(function or network(), None, "llvm", **arguments)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Records of a few trials of each task."""
    path = str(tmp_path_factory.mktemp("tuned") / "kernels.jsonl")
    scheduler = auto_scheduler.TaskScheduler(*extract(), callbacks=[])
    scheduler.tune(options(6, auto_scheduler.RecordToFile(path)), search_policy="sketch.random")
    assert scheduler.ct == 6 and all(count >= 2 for count in scheduler.task_cts)
    assert all(math.isfinite(cost) for cost in scheduler.best_costs)
    return path


def test_tasks_are_the_kernels_that_reduce(tmp_path):
    tasks, weights = extract()
    assert [task.desc for task in tasks] == ["matmul_nn_relu", "matmul"]
    assert weights == [1, 1]
    assert tasks[0].compute_dag.flop_ct == 2 * 16 * 48 * 64
    again = auto_scheduler.SearchTask(workload_key=tasks[0].workload_key, target="llvm")
    assert again.compute_dag.tensors == tasks[0].compute_dag.tensors
    named("auto-scheduler-workload", auto_scheduler.SearchTask, workload_key="0" * 64, target="llvm")
    x = relay.var("x", shape=(16, 64))
    simple = relay.Function([x], relay.nn.relu(x))
    assert extract(simple) == ([], [])
    dump = tmp_path / "dag.json"
    tasks, _ = extract(simple, include_simple_tasks=True, dump_workload_to_dag_log=str(dump))
    assert json.loads(dump.read_text()) == {tasks[0].workload_key: str(tasks[0].compute_dag)}
    anyway = relay.var("x", shape=(relay.Any(), 48)), relay.var("w", shape=(64, 48))
    assert extract(relay.Function(list(anyway), relay.nn.dense(*anyway))) == ([], [])


def test_builds_use_the_best_records(log, tmp_path):
    plain = run(relay.build(network(), "llvm"))
    # Without those of the default schedules, which may be the best.
    sketches = [pair for pair in auto_scheduler.load_records(log) if "schedule" not in pair[0].state.knobs]
    with auto_scheduler.ApplyHistoryBest(sketches) as best:
        assert len(best) == 2
        with PassContext(opt_level=3, config={"relay.backend.use_auto_scheduler": True}):
            assert auto_scheduler.is_auto_scheduler_enabled()
            tuned = relay.build(network(), "llvm")
    np.testing.assert_allclose(run(tuned), plain, rtol=1e-4, atol=1e-4)
    # The records were looked up: their schedules make other code.
    with PassContext(opt_level=3):
        untuned = relay.build(network(), "llvm")
    tuned.export_library(str(tmp_path / "tuned.so"))
    untuned.export_library(str(tmp_path / "untuned.so"))
    assert (tmp_path / "tuned.so").read_bytes() != (tmp_path / "untuned.so").read_bytes()
    # From inner to outer contexts.
    task = extract()[0][0]
    with auto_scheduler.ApplyHistoryBest(log), auto_scheduler.ApplyHistoryBest([]) as inner:
        assert inner.query("llvm", task.workload_key, dag=task.compute_dag) is not None
        assert len(auto_scheduler.dispatcher.records()) == 2
    with inner, inner:  # entered twice
        assert len(auto_scheduler.dispatcher.records()) == 1
    assert auto_scheduler.dispatcher.records() == []
    assert len(auto_scheduler.ApplyHistoryBest(None)) == 0
    named("tune-journal-unreadable", auto_scheduler.ApplyHistoryBest, log + ".none")
    named("auto-scheduler-records", auto_scheduler.ApplyHistoryBest, [1])


def test_records_are_added_while_builds_look(log):
    """Builds and `load` run without the interpreter's lock; it crashed once."""
    with auto_scheduler.ApplyHistoryBest(log) as context:
        done = threading.Event()

        def load():
            while not done.is_set():
                context.load(log)

        threads = [threading.Thread(target=load) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(8):
                relay.build(network(), "llvm")
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert len(context) == 2


def test_records_are_read_and_written(log, tmp_path):
    pairs = auto_scheduler.load_records(log)
    assert len(pairs) == 6
    tasks, _ = extract()
    keys = {task.workload_key for task in tasks}
    assert {given.task.workload_key for given, _ in pairs} == keys
    for given, result in pairs:
        assert result.error_no == 0 and result.costs[0] > 0
        assert len(given.state.schedule.trace) > 0
    assert [given.state.knobs for given, _ in pairs].count({"schedule": "default"}) == 2
    given, result = auto_scheduler.load_best_record(log, tasks[1].workload_key, tasks[1].target)
    assert given.task.workload_key == tasks[1].workload_key
    assert result.costs == min((one.costs for other, one in pairs
                                if other.task.workload_key == given.task.workload_key),
                               key=statistics.median)
    assert auto_scheduler.load_best_record(log, target="opencl") == (None, None)

    copy = str(tmp_path / "copy.jsonl")
    auto_scheduler.save_records(copy, *zip(*pairs))

    def kept(path):
        records = [json.loads(line)["record"] for line in open(path, encoding="utf-8")]
        return [(one["workload"], one["program"], one["knobs"], one["seconds"]) for one in records]

    assert kept(copy) == kept(log)
    text = measure_record.dump_record_to_string(*pairs[0])
    assert measure_record.load_record_from_string(text)[1].costs == pairs[0][1].costs
    inputs, _ = auto_scheduler.RecordReader(copy).read_lines(max_lines=2, skip_lines=3)
    assert len(inputs) == 2
    best = str(tmp_path / "best.jsonl")
    for _ in range(2):  # the second time nothing is new
        assert measure_record.main(["--mode", "distill", "-i", copy, "-o", best]) == 0
    assert len(auto_scheduler.load_records(best)) == 2
    assert measure_record.main(["--mode", "distill", "-i", copy + ".none", "-o", best]) == 1
    state = auto_scheduler.State({}, None)
    named("auto-scheduler-records", measure_record.dump_record_to_string,
          auto_scheduler.MeasureInput(tasks[0], state), result)
    with auto_scheduler.ApplyHistoryBest(pairs) as context:
        assert len(context) == 2
    named("tune-journal-unreadable", auto_scheduler.load_records, copy + ".none")

    # One whose steps do not apply costs no other one.
    text = measure_record.dump_record_to_string(*pairs[-1])
    assert "split(" in text
    odd = str(tmp_path / "odd.jsonl")
    lathe._ffi.get("tune.append_records")(odd, [text.replace("split(", "splat("), text])
    assert len(auto_scheduler.load_records(odd)) == 1


def test_turns(log, tmp_path, capsys):
    tasks, weights = extract()
    named("auto-scheduler-tasks", auto_scheduler.TaskScheduler, tasks, [1])
    named("auto-scheduler-tasks", auto_scheduler.TaskScheduler, [])
    named("auto-scheduler-tasks", auto_scheduler.TaskScheduler, tasks, strategy="best")
    table, latency = auto_scheduler.task_scheduler.PrintTableInfo(), str(tmp_path / "total.tsv")
    scheduler = auto_scheduler.TaskScheduler(
        tasks, weights, objective_func=max, strategy="round-robin", load_log_file=log,
        callbacks=[table, auto_scheduler.task_scheduler.LogEstimatedLatency(latency)])
    known = list(scheduler.best_costs)
    assert all(math.isfinite(cost) for cost in known)
    scheduler.tune(options(8, verbose=1), search_policy="sketch.random")
    assert scheduler.task_cts == [4, 4]
    assert all(now <= before for now, before in zip(scheduler.best_costs, known))
    assert scheduler.cur_score == max(scheduler.best_costs)
    lines = [line.split("\t") for line in open(latency, encoding="utf-8").read().splitlines()]
    assert [line[2] for line in lines] == ["2", "4", "6", "8"]
    assert float(lines[0][1]) > 0
    shown = capsys.readouterr().err
    assert "matmul_nn_relu" in shown and "estimated: " in shown
    named("auto-scheduler-policy", scheduler.tune, options(1), search_policy="best")
    named("auto-scheduler-policy", scheduler.tune, options(1), search_policy=[])

    # An objective that is no sum: only the slower task counts.
    slower = auto_scheduler.TaskScheduler(tasks, objective_func=lambda costs: costs[1], callbacks=[])
    policies = [auto_scheduler.SketchPolicy(task, auto_scheduler.RandomModel(), seed=3) for task in tasks]
    slower.tune(options(12), search_policy=policies)
    assert slower.task_cts == [2, 10]
    assert "not known yet" in auto_scheduler.TaskScheduler(tasks).table()
    # Again, with a task that does not count, and until nothing gets better.
    few = auto_scheduler.TaskScheduler(tasks, [0, 1], callbacks=[])
    for _ in range(2):
        few.tune(options(6), search_policy="sketch.random")
        assert few.ct == 6 and min(few.task_cts) >= 2, few.task_cts
    stopping = options(200)
    stopping.early_stopping = 2
    ending = auto_scheduler.TaskScheduler(tasks, objective_func=lambda costs: 1.0, callbacks=[])
    ending.tune(stopping, search_policy="sketch.random")
    assert ending.ct < 10
    named("tune-journal-unreadable", auto_scheduler.TaskScheduler, tasks, load_log_file=log + ".none")


def test_a_task_whose_trials_all_fail_ends(caplog):
    tasks, weights = extract()

    class Failing(auto_scheduler.SketchPolicy):
        def _search(self, options, trials=None, heard=None):
            heard(auto_scheduler.MeasureResult((1.0,), 4, 0.0, 0.0))
            raise lathe.LatheError("the last 10 candidates failed in the same way", "tune-same-failure")

    policies = [Failing(tasks[0], auto_scheduler.RandomModel()),
                auto_scheduler.SketchPolicy(tasks[1], auto_scheduler.RandomModel())]
    scheduler = auto_scheduler.TaskScheduler(tasks, weights, callbacks=[])
    with caplog.at_level(logging.WARNING, "auto_scheduler"):
        scheduler.tune(options(4), search_policy=policies)
    assert scheduler.task_cts == [1, 3]
    assert "matmul_nn_relu" in caplog.text


def test_single_tasks(tmp_path):
    task = extract()[0][1]
    path = str(tmp_path / "one.jsonl")
    task.tune(options(5, auto_scheduler.RecordToFile(path)),
              search_policy=auto_scheduler.EmptyPolicy(task))
    (given, result), = auto_scheduler.load_records(path)
    assert result.error_no == 0 and given.state.knobs == {} and len(given.state.schedule.trace) == 0
    # That is not the default schedule, which is measured yet.
    policy = auto_scheduler.SketchPolicy(
        task, auto_scheduler.RandomModel(),
        init_search_callbacks=[auto_scheduler.PreloadMeasuredStates(path)])
    assert policy._default is not None
    assert len(task.compute_dag.get_init_state().schedule.trace) == 0
    assert task.compute_dag.infer_bound_from_state(given.state) is given.state
    schedule, tensors = auto_scheduler.auto_schedule(
        task, auto_scheduler.SketchPolicy(task, auto_scheduler.RandomModel()), options(2))
    lathe.build(schedule, tensors, "llvm")
    named("tune-no-record", auto_scheduler.auto_schedule, task,
          auto_scheduler.SketchPolicy(task, auto_scheduler.RandomModel()))
