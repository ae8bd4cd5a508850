"""AutoTVM: spaces, tasks, tuners, measuring, logs, and which configuration applies."""

import io
import logging

import numpy as np
import pytest

import lathe
from lathe import autotvm, rpc, te
from expect import named


@autotvm.template("tests/matmul")
def matmul(n, m, k, dtype):
    A, B = te.placeholder((n, k), dtype, "A"), te.placeholder((k, m), dtype, "B")
    r = te.reduce_axis((0, k), name="r")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C.op)
    y, x = s[C].op.axis
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2)
    cfg.define_split("tile_x", x, num_outputs=2, max_factor=16)
    cfg.define_knob("unroll", [False, True])
    yo, yi = cfg["tile_y"].apply(s, C, y)
    xo, xi = cfg["tile_x"].apply(s, C, x)
    s[C].reorder(yo, xo, s[C].op.reduce_axis[0], yi, xi)
    if cfg["unroll"].val:
        if cfg["tile_y"].size[-1] > 8:
            cfg.raise_error("too many rows to be unrolled")
        s[C].unroll(yi)
    s[C].vectorize(xi)
    return s, [A, B, C]


ARGS = (32, 32, 32, "float32")


def task():
    return autotvm.task.create("tests/matmul", args=ARGS, target="llvm")


def option(**runner):
    chosen = {"number": 1, "repeat": 2, "cooldown_interval": 0, **runner}
    return autotvm.measure_option(autotvm.LocalBuilder(isolate=False), autotvm.LocalRunner(**chosen))


def check(build):
    a, b = (np.random.rand(32, 32).astype("float32") for _ in range(2))
    c = lathe.nd.empty((32, 32))
    build(lathe.nd.array(a), lathe.nd.array(b), c)
    np.testing.assert_allclose(c.numpy(), a @ b, rtol=1e-4)


def test_spaces():
    space = task().config_space
    assert space.dims == [6, 5, 2] and len(space) == 60 == space.range_length
    assert space.get(1)["tile_y"].size == [-1, 2] and space.get(1).index == 1
    assert space.get(59)["unroll"].val is True
    assert len({space.get(i) for i in range(60)}) == 60
    assert "tile_x: 5 candidates: [-1, 1], [-1, 2]" in str(space)
    space.multi_filter(filter=lambda config: config["tile_y"].size[-1] <= 4)
    assert space.filtered_length == 30 and len(space) == 60
    assert space.is_index_valid(2) and not space.is_index_valid(3)
    named("tune-point", space.get, 60)
    named("tune-knob", space.define_knob, "unroll", [1, 2])
    named("tune-knob", space.define_knob, "new", [])
    named("tune-knob", space.define_knob, "new", [object()])
    named("tune-knob", lambda: space["tile_z"])
    named("tune-split", space.define_split, "new", 0)
    named("tune-split", space.define_split, "new", 8, "halves")
    named("tune-axis", space.define_split, "new", te.var("n"))


def test_spaces_of_more_configurations_than_numbers():
    searched = autotvm.task.Task("tests/many", ())
    searched.config_space = space = autotvm.ConfigSpace()
    for i in range(20):
        space.define_knob(f"k{i}", list(range(10)))
    named("tune-space-without-numbers", lambda: len(space))
    assert "more than 2^63" in str(space)
    tuner = autotvm.tuner.GATuner(searched, pop_size=4)
    named("tune-space-without-numbers", lambda: autotvm.tuner.GridSearchTuner(searched))
    for _ in range(3):
        configs = tuner.next_batch(4)
        assert len(set(map(str, configs))) == 4 and configs[0].index == -1
        tuner.update([autotvm.MeasureInput(None, searched, c) for c in configs],
                     [autotvm.MeasureResult((c["k0"].val + 1.0,), 0, 0, 0) for c in configs])


def test_splits():
    space = autotvm.ConfigSpace()
    outer, inner = space.define_split("a", 12, num_outputs=2, filter=lambda one: one.size[-1] > 2)
    assert [one.size for one in space.space_map["a"]] == [[-1, 3], [-1, 4], [-1, 6], [-1, 12]]
    space.define_split("b", 12, policy="power2", num_outputs=3, max_factor=2)
    assert [-1, 2, 2] in [one.size for one in space.space_map["b"]]
    space.define_split("c", inner, policy="candidate", candidate=[[-1, 5], [-1, 7]])
    assert space.dims[2] == 2 and len(space) == 4 * space.dims[1] * 2
    named("tune-axis", space.define_split, "d", outer)


def test_orders_and_annotations():
    A = te.placeholder((8, 8, 8), name="A")
    B = te.compute(A.shape, lambda *i: A[i] + 1.0, name="B")
    s = te.create_schedule(B.op)
    axes = list(s[B].op.axis)
    space = autotvm.ConfigSpace()
    space.define_reorder("all", axes, "all")
    space.define_reorder("merged", axes, "interleave", spatial=[axes[:2]], reduce=[axes[2:]])
    space.define_reorder("given", axes, "candidate", candidate=[[axes[2], axes[0], axes[1]]])
    space.define_annotate("tried", axes[1:], "try_unroll_vec")
    assert space.dims == [6, 2, 1, 9]
    assert [one.perm for one in space.space_map["merged"]] == [[0, 1, 2], [0, 2, 1]]
    assert space["given"].apply(s, B, axes) == [axes[2], axes[0], axes[1]]
    words = next(one for one in space.space_map["tried"] if one.anns == ["unroll", "vec"])
    limits = autotvm.ConfigSpace()
    words.apply(s, B, axes[:2], axis_lens=[8, 8], max_unroll=4, vec_size=[8], cfg=limits)
    assert not limits.valid() and len(limits.errors) == 1
    text = str(lathe.lower(s, [A, B], simple_mode=True))
    assert "unroll" in text and "vectorize" in text
    named("tune-knob", space.define_reorder, "none", axes, "best")
    threads = autotvm.task.space.AnnotateEntity(["fuse", "blockIdx.x", "threadIdx.x"])
    s = te.create_schedule(B.op)
    assert len(threads.apply(s, B, s[B].op.axis)) == 2
    assert "blockIdx.x" in str(lathe.lower(s, [A, B], simple_mode=True))


@pytest.mark.parametrize("tuner", [autotvm.tuner.RandomTuner, autotvm.tuner.GATuner,
                                   autotvm.tuner.GridSearchTuner])
def test_tunes_and_applies(tmp_path, tuner):
    log = tmp_path / "matmul.log"
    monitor, seen = autotvm.callback.Monitor(), []
    tuned = task()
    assert tuned.flop == 2 * 32 ** 3
    searcher = tuner(tuned)
    searcher.tune(n_trial=10, measure_option=option(), callbacks=[
        autotvm.callback.log_to_file(str(log)), monitor, autotvm.callback.progress_bar(10),
        lambda _, inputs, results: seen.append((len(inputs), len(log.read_text().splitlines())))])
    # Each trial is in the log before the next callback knows of it.
    assert seen == [(1, i) for i in range(1, 11)]
    best = min((pair for pair in autotvm.record.load_from_file(log) if pair[1].error_no == 0),
               key=lambda pair: sum(pair[1].costs))
    assert searcher.best_config == best[0].config and searcher.best_flops == max(
        monitor.trial_scores())
    with autotvm.apply_history_best(str(log)):
        with lathe.Target("llvm"):
            s, args = matmul(*ARGS)
            check(lathe.build(s, args))
    expected, _ = tuned.instantiate(best[0].config)
    assert str(s.trace) == str(expected.trace)


def test_failures_are_results():
    tuned = task()
    batch = autotvm.create_measure_batch(tuned, option())
    space = tuned.config_space
    wrong = next(c for c in map(space.get, range(60))
                 if c["unroll"].val and c["tile_y"].size[-1] > 8)
    fine = space.get(0)
    results = batch([autotvm.MeasureInput(tuned.target, tuned, c) for c in (wrong, fine)])
    assert results[0].error_no == autotvm.MeasureErrorNo.INSTANTIATION_ERROR
    assert results[0].costs[0].name == "tune-trial" and "too many rows" in str(results[0].costs[0])
    assert "too many rows" in named("tune-configuration", tuned.instantiate, wrong)
    assert results[1].error_no == 0 and len(results[1].costs) == 2 and min(results[1].costs) > 0

    class Stubborn(autotvm.tuner.Tuner):
        def has_next(self):
            return True

        def next_batch(self, batch_size):
            return [wrong] * batch_size

    error = named("tune-same-failure", Stubborn(tuned).tune, 60, option())
    assert "the last 10 candidates" in error and "too many rows" in error


def test_without_a_record_the_fallback_is_used_and_said(caplog):
    with caplog.at_level(logging.WARNING, "autotvm"), autotvm.apply_history_best([]):
        with lathe.Target("llvm"):
            for _ in range(2):
                s, args = matmul(16, 32, 32, "float32")
    assert len([r for r in caplog.records if "no record of ('tests/matmul', 16" in r.message]) == 1
    fixed = task()
    with autotvm.task.ApplyFixedConfig([(fixed, fixed.config_space.get(9))]):
        with lathe.Target("llvm"):
            assert "factor=8" in str(matmul(*ARGS)[0].trace) or "8" in str(matmul(*ARGS)[0].trace)


TVMS = ('{"input": ["llvm -keys=cpu -link-params=0", "tests/matmul", [32, 32, 32, "float32"], {}], '
        '"config": {"index": 6, "code_hash": null, "entity": [["tile_y", "sp", [-1, 1]], '
        '["tile_x", "sp", [-1, 2]], ["unroll", "ot", true]]}, "result": [[0.5], 0, 1.5, 1600000000.0], '
        '"version": 0.2, "tvm_version": "0.9.0"}\n')


def test_logs_of_tvm_apply(tmp_path, caplog):
    given, result = autotvm.record.decode(TVMS)
    assert given.config["tile_x"].size == [-1, 2] and result.costs == (0.5,)
    again = autotvm.record.decode(autotvm.record.encode(given, result))
    assert again[0].config == given.config and again[1] == result
    log = tmp_path / "tvm.log"
    log.write_text("# a comment\n" + TVMS + "no record\n")
    with caplog.at_level(logging.WARNING, "autotvm"):
        context = autotvm.apply_history_best(log)
    assert "tvm.log:3" in caplog.text
    with context, lathe.Target("llvm -mcpu=skylake"):
        assert autotvm.task.DispatchContext.current.query(
            lathe.Target.current(), autotvm.task.args_to_workload(ARGS, "tests/matmul")) == given.config
    out = io.StringIO()
    autotvm.record.pick_best(io.StringIO(TVMS + TVMS.replace("0.5", "0.25")), out)
    assert len(out.getvalue().splitlines()) == 1 and "[0.25]" in out.getvalue()
    named("tune-log-invalid", autotvm.record.decode, "{}")
    named("tune-log-unreadable", autotvm.apply_history_best, tmp_path / "none.log")
    named("tune-template", autotvm.task.create, "tests/none", (), "llvm")


def test_devices_of_a_tracker():
    with rpc.Tracker("127.0.0.1") as tracker, rpc.Server(
            "127.0.0.1", tracker_addr=("127.0.0.1", tracker.port), key="board"):
        runner = autotvm.RPCRunner("board", "127.0.0.1", tracker.port, number=1, repeat=1,
                                   cooldown_interval=0, enable_cpu_cache_flush=True)
        searcher, seen = autotvm.tuner.RandomTuner(task()), []
        searcher.tune(3, autotvm.measure_option(autotvm.LocalBuilder(isolate=False), runner),
                      callbacks=[lambda tuner, inputs, results: seen.extend(results)])
        assert searcher.best_config is not None, [str(result.costs[0]) for result in seen]


def test_databases():
    db, tuned = autotvm.database.DummyDatabase(), task()
    autotvm.tuner.RandomTuner(tuned).tune(3, option(), callbacks=[
        autotvm.callback.log_to_database(db)])
    assert len(db.filter(lambda given, result: True)) == 3
    first = db.filter(lambda given, result: True)[0][0]
    assert autotvm.database.filter_inputs(db, [first]) == []
    db.flush()
    assert db.load(first) is None


def test_what_cannot_be_measured_with():
    named("tune-measure-option", autotvm.measure_option, "remote", "local")
    named("tune-builder", autotvm.LocalBuilder, build_func=print)
    named("tune-runner", autotvm.LocalRunner, module_loader=print)
    named("tune-range", autotvm.tuner.RandomTuner, task(), range(3))
    named("tune-log-protocol", autotvm.record.decode, TVMS, "pickle")
    named("tune-task-argument", autotvm.task.args_to_workload, [print])
    named("tune-records", autotvm.apply_history_best, [1])
    named("tune-annotation", autotvm.task.space.AnnotateEntity(["spin"]).apply, *_stage())


def _stage():
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: A[i], name="B")
    s = te.create_schedule(B.op)
    return s, B, s[B].op.axis


@autotvm.register_topi_compute("tests/two_parts")
def two_parts(cfg, A, factor):
    cfg.define_knob("twice", [False, True])
    B = te.compute(A.shape, lambda i: A[i] * factor, name="B")
    return te.compute(A.shape, lambda i: B[i] + B[i], name="C") if cfg["twice"].val else B


@autotvm.register_topi_schedule("tests/two_parts")
def schedule_two_parts(cfg, outs):
    s = te.create_schedule([out.op for out in outs])
    axis = s[outs[0]].op.axis[0]
    cfg.define_split("tile", axis, num_outputs=2)
    _, inner = cfg["tile"].apply(s, outs[0], axis)
    s[outs[0]].vectorize(inner)
    return s


def test_templates_in_two_parts(tmp_path):
    A = te.placeholder((64,), name="A")
    made = autotvm.task.create("tests/two_parts", (A, 2.0), "llvm")
    assert made.config_space.dims == [2, 7] and made.workload[0] == "tests/two_parts"
    for number in (0, 13):
        schedule, arguments = made.instantiate(made.config_space.get(number))
        assert [arg.op.name for arg in arguments][0] == arguments[0].op.name and len(arguments) == 2
        lathe.build(schedule, arguments, "llvm")
    # Called by hand: the configuration of the workload, for what follows it, too.
    best = made.config_space.get(11)
    with lathe.Target("llvm"), autotvm.task.ApplyFixedConfig([(made, best)]):
        out = two_parts(A, 2.0)
        after = te.compute(A.shape, lambda i: out[i] + 1.0, name="D")
        assert autotvm.task.get_workload([after]) == made.workload
        schedule = schedule_two_parts([after])
    assert out.op.name == "C"
    function = lathe.build(schedule, [A, after], "llvm")
    a, d = lathe.nd.array(np.arange(64, dtype="float32")), lathe.nd.empty((64,))
    function(a, d)
    np.testing.assert_allclose(d.numpy(), np.arange(64) * 4 + 1)
    named("tune-template", schedule_two_parts, [te.compute((4,), lambda i: 1.0, name="E")])
    autotvm.register_topi_schedule("tests/half", schedule_two_parts)
    named("tune-template", autotvm.task.create, "tests/half", (A,), "llvm")
