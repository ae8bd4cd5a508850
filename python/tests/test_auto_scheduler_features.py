"""Rows of numbers that AutoScheduler's states have for models of costs."""

import json

import numpy as np

import lathe
from lathe import auto_scheduler, te
from lathe.auto_scheduler import feature
from expect import named

N = 64


def task(n=N):
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    D = te.compute((n, n), lambda i, j: C[i, j] + 1.0, name="D")
    dag = auto_scheduler.ComputeDAG([A, B, D])
    return auto_scheduler.SearchTask(compute_dag=dag, target="llvm"), C, D


def column(rows, name, max_n_bufs=None):
    return rows[:, feature.get_per_store_feature_names(max_n_bufs).index(name)]


def count(rows, name):
    return np.round(2.0 ** column(rows, name) - 1).astype(int).tolist()


def test_numbers_are_what_their_names_say():
    made, C, D = task()
    state = made.compute_dag.get_init_state()
    _, inner = state.split(C, state[C].iters[1], [16])
    state.reorder(C, [state[C].iters[i] for i in (0, 1, 3, 2)])
    state.vectorize(C, inner)
    state.parallel(D, state[D].iters[0])
    failed = auto_scheduler.State({}, None)
    rows, none = feature.get_per_store_features_from_states([state, failed], made)
    names = feature.get_per_store_feature_names()
    assert len(names) == len(set(names)) == rows.shape[1] and none.shape == (0, len(names))
    assert len(rows) == 2  # C, which has the most iterations, and D
    assert count(rows, "log2_points") == [N * N, N * N]
    assert count(rows, "log2_iterations") == [N ** 3, N * N]
    assert column(rows, "loops").tolist() == [4, 2]
    assert count(rows, "loop0.log2_extent") == [16, N]
    assert count(rows, "loop1.log2_iterations_inside") == [16 * N, N * N]
    assert column(rows, "loop0.is_vectorized").tolist() == [1, 0]
    assert column(rows, "loop1.reduces").tolist() == [1, 0]
    assert column(rows, "loop1.is_parallel").tolist() == [0, 1]
    assert column(rows, "loop4.log2_extent").tolist() == [0, 0]  # there is none
    for most in (1, 3):
        few, = feature.get_per_store_features_from_states([state], made, max_n_bufs=most)
        assert few.shape[1] == len(feature.get_per_store_feature_names(most)) == len(names) - 10 * (5 - most)
        assert (column(few, "loop1.log2_bytes_of_tensor0", most) ==
                column(rows, "loop1.log2_bytes_of_tensor0")).all()


def test_trials_and_files(tmp_path):
    made, C, D = task()
    other = task(32)[0]
    first = made.compute_dag.get_init_state()
    second = first.copy()
    second.parallel(D, second[D].iters[0])
    error = lathe.autotvm.measure.MeasureError("it crashed", "crash")
    trials = [(made, first, (2e-3, 4e-3), 0), (other, other.compute_dag.get_init_state(), (5e-3,), 0),
              (made, second, (1e-3,), 0), (made, first, (error,), 4)]
    inputs = [auto_scheduler.MeasureInput(task, state) for task, state, _, _ in trials]
    results = [auto_scheduler.MeasureResult(costs, number, 0.1, 0.0) for _, _, costs, number in trials]
    rows, speeds, tasks = feature.get_per_store_features_from_measure_pairs(inputs, results)
    np.testing.assert_allclose(speeds, [1 / 3, 1.0, 1.0, 0.0])
    assert tasks.tolist() == [0, 1, 0, 0] and [len(one) for one in rows] == [2, 2, 2, 2]
    skipped, again, _ = feature.get_per_store_features_from_measure_pairs(
        inputs, results, skip_first_n_feature_extraction=3)
    assert [len(one) for one in skipped] == [0, 0, 0, 2] and (again == speeds).all()

    path = str(tmp_path / "log.jsonl")
    auto_scheduler.save_records(path, inputs, results)
    assert len([json.loads(line) for line in open(path, encoding="utf-8")]) == 4
    from_file, parts, numbers = feature.get_per_store_features_from_file(path, 10)
    assert (parts == speeds).all() and (numbers == tasks).all()
    for ours, theirs in zip(from_file, rows):
        np.testing.assert_array_equal(ours, theirs)
    few, parts, _ = feature.get_per_store_features_from_file(path, 2, max_n_bufs=1)
    assert parts.tolist() == [1.0, 1.0] and few[0].shape[1] == len(feature.get_per_store_feature_names(1))


def test_what_has_no_rows():
    (made, C, D), (other, _, _) = task(), task()
    rows_of = feature.get_per_store_features_from_states
    state = made.compute_dag.get_init_state()
    for given in (other.compute_dag.get_init_state(), None, "a state"):
        text = named("auto-scheduler-state", rows_of, [given], made)
        assert "expected: " in text and "found: " in text
    for most in (-1, "5", 1.5, True, 2**63):
        assert f"found: {most!r}" in named("auto-scheduler-features", rows_of, [state], made, most)
        named("auto-scheduler-features", feature.get_per_store_feature_names, most)
    assert rows_of([state], made, np.int64(2))[0].shape[1] == len(feature.get_per_store_feature_names(2))
    # One whose stage is a copy now, and one that cannot be lowered.
    state.cache_write(D, "local")
    inside = state.copy()
    inside.compute_at(C, D, inside[D].iters[0])  # which does not read it
    assert [len(rows) > 0 for rows in rows_of([state, inside], made)] == [True, False]


def test_numpy_is_missing(monkeypatch):
    monkeypatch.setattr(feature, "np", None)
    text = named("auto-scheduler-numpy", feature.get_per_store_features_from_states, [], None)
    assert "pip install numpy" in text
