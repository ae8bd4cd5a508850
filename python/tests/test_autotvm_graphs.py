"""Kernels of graphs as tasks: extracted, tuned, logged, and applied by builds."""

import logging

import numpy as np
import pytest

import lathe
from lathe import autotvm, relay
from lathe.autotvm.graph_tuner import DPTuner, PBQPTuner
from lathe.contrib import graph_executor

SHAPES = {"x": (16, 48), "w": (64, 48), "v": (8, 64)}


def network(rows=16):
    x, w, v = (relay.var(name, shape=(rows,) + shape[1:] if name == "x" else shape)
               for name, shape in SHAPES.items())
    return relay.Function([x, w, v], relay.nn.dense(relay.nn.relu(relay.nn.dense(x, w)), v))


def run(lib):
    module = graph_executor.GraphModule(lib["default"](lathe.cpu()))
    random = np.random.default_rng(1)
    module.run(**{name: random.uniform(-1, 1, shape).astype("float32")
                  for name, shape in SHAPES.items()})
    return module.get_output(0).numpy()


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log of a few trials of each task."""
    path = str(tmp_path_factory.mktemp("tuned") / "kernels.log")
    # In the sanitizers' process the code generator runs here (python/tests/test_autotvm.py).
    option = autotvm.measure_option(autotvm.LocalBuilder(isolate=False),
                                    autotvm.LocalRunner(number=1, repeat=2, cooldown_interval=0))
    for task in autotvm.task.extract_from_program(network(), target="llvm"):
        tuner = autotvm.tuner.GATuner(task, pop_size=4)
        tuner.tune(4, option, callbacks=[autotvm.callback.log_to_file(path)])
        assert tuner.best_flops > 0
    return path


def test_tasks_are_the_kernels_that_leave_a_choice():
    tasks = autotvm.task.extract_from_program(network(), target="llvm")
    assert len(tasks) == 2
    for task in tasks:
        assert "matmul" in task.name and task.weight == 1
        assert task.target.kind == "llvm"
        assert len(task.config_space) > 100
        schedule, arguments = task.instantiate(task.config_space.get(5))
        assert task.flop > 0 and len(arguments) == 3
        lathe.build(schedule, arguments, "llvm")
    dense = autotvm.task.extract_from_program(network(), target="llvm", ops=(relay.op.get("nn.dense"),))
    assert [task.workload for task in dense] == [task.workload for task in tasks]
    assert autotvm.task.extract_from_program(network(), target="llvm", ops=["nn.conv2d"]) == []
    both = autotvm.task.extract_from_multiple_program([network(), network(32)], [None, None],
                                                      target="llvm")
    assert [task.weight for task in both] == [1] * 4
    twice = autotvm.task.extract_from_multiple_program([network(), network()], [None, None],
                                                       target="llvm")
    assert [task.weight for task in twice] == [2, 2]
    with pytest.raises(ValueError) as caught:
        autotvm.task.extract_from_multiple_program([network()], [], target="llvm")
    assert caught.value.name == "tune-program"


def test_a_size_of_runs_is_no_task():
    x, w = relay.var("x", shape=(relay.Any(), 48)), relay.var("w", shape=(64, 48))
    assert autotvm.task.extract_from_program(relay.Function([x, w], relay.nn.dense(x, w)),
                                             target="llvm") == []


def test_builds_use_the_best_of_a_log(log):
    asked = []

    class Listening(autotvm.task.ApplyHistoryBest):
        def query(self, target, workload):
            found = super().query(target, workload)
            asked.append((workload[0], found.is_fallback))
            return found

    plain = run(relay.build(network(), "llvm"))
    assert asked == []
    with Listening(log):
        tuned = run(relay.build(network(), "llvm"))
        by_vm = relay.vm.compile(lathe.IRModule.from_expr(network()), "llvm")
    assert by_vm is not None
    assert len(asked) == 4 and not any(fallback for _, fallback in asked)
    np.testing.assert_allclose(tuned, plain, rtol=1e-4, atol=1e-5)


def test_errors_of_a_context_are_the_users():
    class Wrong(autotvm.task.DispatchContext):
        def _query_inside(self, target, workload):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), Wrong():
        relay.build(network(), "llvm")


def test_a_context_of_files(log, caplog):
    with caplog.at_level(logging.WARNING, "autotvm"):
        with autotvm.tophub.context("llvm", extra_files=[log]):
            relay.build(network(), "llvm")
    assert caplog.text == ""


def test_what_falls_back_is_said(log, caplog):
    with caplog.at_level(logging.WARNING, "autotvm"):
        with autotvm.apply_history_best(log):
            relay.build(network(rows=24), "llvm")  # other shapes
    text = caplog.text
    assert text.count("no record of") == 2 and "matmul" in text


def test_configurations_reach_the_kernel(tmp_path):
    """Builds of several configurations differ, and all are right."""
    task = autotvm.task.extract_from_program(network(), target="llvm")[0]
    plain = run(relay.build(network(), "llvm"))
    codes = set()
    for number in (0, len(task.config_space) // 2, len(task.config_space) - 1):
        with autotvm.task.ApplyFixedConfig([(task, task.config_space.get(number))]):
            lib = relay.build(network(), "llvm")
        np.testing.assert_allclose(run(lib), plain, rtol=1e-4, atol=1e-5)
        lib.export_library(str(tmp_path / "lib.so"))
        codes.add((tmp_path / "lib.so").read_bytes())
    assert len(codes) > 1


@pytest.mark.parametrize("tuner", ["RandomTuner", "GATuner", "GridSearchTuner"])
def test_the_first_trial_is_the_default(tuner):
    """So the best of a log is never slower than what a build has without one."""
    task = autotvm.task.extract_from_program(network(), target="llvm")[0]
    tried = []
    option = autotvm.measure_option(autotvm.LocalBuilder(isolate=False),
                                    autotvm.LocalRunner(number=1, cooldown_interval=0))
    search = getattr(autotvm.tuner, tuner)(task)
    search.tune(3, option, callbacks=[lambda _, inputs, results: tried.extend(zip(inputs, results))])
    indices = [given.config.index for given, _ in tried]
    assert indices[0] == task.first.index and len(set(indices)) == 3
    with autotvm.task.ApplyFixedConfig([(task, task.first)]):
        tuned = relay.build(network(), "llvm")
    assert np.array_equal(run(tuned), run(relay.build(network(), "llvm")))
    # What a log has is not tried again.
    tried.clear()
    search = getattr(autotvm.tuner, tuner)(task)
    search.load_history([(autotvm.measure.MeasureInput(task.target, task, task.first),
                          autotvm.measure.MeasureResult((1.0,), 0, 1.0, 0.0))])
    search.tune(2, option, callbacks=[lambda _, inputs, results: tried.extend(zip(inputs, results))])
    assert task.first.index not in [given.config.index for given, _ in tried]


def test_the_tasks_of_a_log_are_found_again(log):
    workloads = {task.workload for task in autotvm.task.extract_from_program(network(), target="llvm")}
    assert {given.task.workload for given, _ in autotvm.record.load_from_file(log)} == workloads


def test_a_graph_tuner_keeps_the_best(log, tmp_path, caplog):
    wanted = autotvm.task.extract_from_program(network(), target="llvm")
    tuner = DPTuner(network(), {"x": SHAPES["x"]}, log, [relay.op.get("nn.dense")], "llvm")
    tuner.benchmark_layout_transform(min_exec_num=10)
    tuner.run()
    costs = {}
    for given, result in autotvm.record.load_from_file(log):
        costs.setdefault(given.task.workload, []).append(np.mean(result.costs))
    best = tuner.get_optimal_records()
    assert {given.task.workload: np.mean(result.costs) for given, result in best} == {
        task.workload: min(costs[task.workload]) for task in wanted}
    path = str(tmp_path / "best.log")
    tuner.write_opt_sch2record_file(path)
    with caplog.at_level(logging.WARNING, "autotvm"), autotvm.apply_graph_best(path):
        tuned = run(relay.build(network(), "llvm"))
    assert caplog.text == ""
    np.testing.assert_allclose(tuned, run(relay.build(network(), "llvm")), rtol=1e-4, atol=1e-5)
    again = PBQPTuner(network(), {}, path, ["nn.dense"], "llvm")
    assert [given.config for given, _ in again.get_optimal_records()] == [given.config for given, _ in best]
