"""The tuner with a model of costs, and what the model sees."""

import logging
import random
import sys

import numpy as np
import pytest

import lathe
from lathe import autotvm, te
from lathe.autotvm.tuner import features
from lathe.autotvm.tuner.annealing import Annealing
from lathe.autotvm.tuner.xgboost_tuner import XGBCostModel
from expect import named


@autotvm.template("tests/model")
def product(n, m, k):
    A, B = te.placeholder((n, k), name="A"), te.placeholder((k, m), name="B")
    r = te.reduce_axis((0, k), name="r")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C.op)
    y, x = s[C].op.axis
    cfg = autotvm.get_config()
    cfg.define_split("tile_y", y, num_outputs=2)
    cfg.define_split("tile_x", x, num_outputs=2)
    cfg.define_split("tile_k", r, num_outputs=2)
    cfg.define_knob("vec", [False, True])
    cfg.define_annotate("ann", [y], policy="try_unroll")
    yo, yi = cfg["tile_y"].apply(s, C, y)
    xo, xi = cfg["tile_x"].apply(s, C, x)
    ko, ki = cfg["tile_k"].apply(s, C, r)
    s[C].reorder(yo, xo, ko, yi, ki, xi)
    if cfg["tile_y"].size[-1] == 64:
        cfg.raise_error("these tiles have no schedule")
    if cfg["vec"].val:
        s[C].vectorize(xi)
    return s, [A, B, C]


def task(n=64, m=64, k=64):
    return autotvm.task.create("tests/model", args=(n, m, k), target="llvm")


def seconds(config):
    """A made-up device: it likes tiles of 8 x 16 x 4, and vectors."""
    away = sum(abs(np.log2(config[name].size[-1]) - best)
               for name, best in (("tile_y", 3), ("tile_x", 4), ("tile_k", 2)))
    return 1e-3 * (1.0 + away + (0 if config["vec"].val else 2))


def measured(tuned, configs):
    """As a device would, at no cost: [(MeasureInput, MeasureResult)...]."""
    pairs = []
    for config in configs:
        failed = config["tile_y"].size[-1] == 64
        costs = (RuntimeError("no schedule"),) if failed else (seconds(config),)
        error = autotvm.MeasureErrorNo.INSTANTIATION_ERROR if failed else autotvm.MeasureErrorNo.NO_ERROR
        pairs.append((autotvm.MeasureInput(tuned.target, tuned, config),
                      autotvm.MeasureResult(costs, error, 0.1, 0)))
    return pairs


def best_of(tuner, tuned, trials):
    found = []
    while len(found) < trials and tuner.has_next():
        pairs = measured(tuned, tuner.next_batch(8))
        tuner.update([given for given, _ in pairs], [result for _, result in pairs])
        found += [seconds(given.config) for given, result in pairs if result.error_no == 0]
    return min(found)


@pytest.mark.parametrize(("feature_type", "loss_type"), [
    ("knob", "reg"), ("knob", "rank"), ("knob", "rank-binary"), ("itervar", "reg"), ("curve", "rank")])
def test_it_finds_more_than_chance(feature_type, loss_type):
    tuned = task()
    with_model = best_of(autotvm.tuner.XGBTuner(tuned, plan_size=16, feature_type=feature_type,
                                                loss_type=loss_type), tuned, 96)
    by_chance = np.median([best_of(autotvm.tuner.RandomTuner(tuned, seed=seed), tuned, 96)
                           for seed in range(5)])
    assert with_model <= 2.1e-3 and with_model <= by_chance


def test_a_seed_gives_the_same_search():
    def search(seed):
        tuned = task()
        tuner, chosen = autotvm.tuner.XGBTuner(tuned, plan_size=16, feature_type="knob", seed=seed), []
        while len(chosen) < 48:
            configs = tuner.next_batch(8)
            pairs = measured(tuned, configs)
            tuner.update([given for given, _ in pairs], [result for _, result in pairs])
            chosen += [config.index for config in configs]
        return chosen

    first = search(3)
    assert first == search(3) != search(4)
    assert len(set(first)) == len(first)


def test_every_configuration_once():
    tuned = task(4, 4, 2)
    size = len(tuned.config_space)
    tuner, seen = autotvm.tuner.XGBTuner(tuned, plan_size=8, feature_type="knob"), []
    while tuner.has_next():
        configs = tuner.next_batch(8)
        pairs = measured(tuned, configs)
        tuner.update([given for given, _ in pairs], [result for _, result in pairs])
        seen += [config.index for config in configs]
    assert sorted(seen) == list(range(size))


def test_filters_are_kept():
    tuned = task()
    tuned.config_space.multi_filter(lambda config: config["tile_y"].size[-1] <= 8)
    tuner = autotvm.tuner.XGBTuner(tuned, plan_size=16, feature_type="knob")
    for _ in range(8):
        configs = tuner.next_batch(8)
        assert all(config["tile_y"].size[-1] <= 8 for config in configs)
        pairs = measured(tuned, configs)
        tuner.update([given for given, _ in pairs], [result for _, result in pairs])


def test_it_learns_from_another_task():
    """The first plan of a tuner that knows another product is better than chance."""
    other, tuned = task(32, 64, 128), task()
    history = measured(other, (other.config_space.get(i) for i in
                               random.Random(1).sample(range(len(other.config_space)), 200)))
    tuner = autotvm.tuner.XGBTuner(tuned, plan_size=16, feature_type="itervar")
    tuner.load_history(history, min_seed_records=100)
    informed = [seconds(config) for config in tuner.next_batch(16)]
    uninformed = [seconds(config) for config in autotvm.tuner.RandomTuner(tuned).next_batch(64)]
    assert np.median(informed) < np.median(uninformed)
    # Records of a task whose template is not here are left out.
    unknown = [(autotvm.MeasureInput(given.target, autotvm.task.Task("nobody", (1,), tuned.target),
                                     given.config), result) for given, result in history]
    fresh = autotvm.tuner.XGBTuner(tuned, plan_size=16)
    fresh.load_history(unknown, min_seed_records=1)
    assert len(fresh.next_batch(8)) == 8
    # Too few, or of another space: it begins by chance.
    for options, least in (({"feature_type": "itervar"}, 500), ({"feature_type": "knob"}, 1)):
        fresh = autotvm.tuner.XGBTuner(tuned, plan_size=16, **options)
        fresh.load_history(history, min_seed_records=least)
        assert len(fresh.next_batch(8)) == 8


def test_diversity():
    tuned = task()
    tuner = autotvm.tuner.XGBTuner(tuned, plan_size=16, feature_type="knob", diversity_filter_ratio=4)
    assert best_of(tuner, tuned, 96) <= 3.1e-3
    named("tune-diversity", autotvm.tuner.XGBTuner, tuned, diversity_filter_ratio=0.5)


def test_real_measurements(caplog):
    caplog.set_level(logging.DEBUG, "autotvm")
    tuned = task(16, 16, 16)
    option = autotvm.measure_option(autotvm.LocalBuilder(isolate=False),
                                    autotvm.LocalRunner(number=1, repeat=1, cooldown_interval=0))
    tuner = autotvm.tuner.XGBTuner(tuned, plan_size=8)
    tuner.tune(24, option)
    assert tuner.best_config is not None


def test_what_there_is_not(monkeypatch):
    tuned = task()
    named("tune-loss-type", autotvm.tuner.XGBTuner, tuned, loss_type="best")
    named("tune-feature-type", autotvm.tuner.XGBTuner, tuned, feature_type="text")
    named("tune-optimizer", autotvm.tuner.XGBTuner, tuned, optimizer="ga")
    monkeypatch.setitem(sys.modules, "xgboost", None)
    named("tune-no-xgboost", autotvm.tuner.XGBTuner, tuned)


def test_rows():
    tuned = task()
    space = tuned.config_space
    table = features.KnobFeatures(space)
    rows = table.of_points([space.get(i)._point for i in range(len(space))])
    assert len(np.unique(rows, axis=0)) == len(space)
    small, large = space.get(1), space.get(301)
    for row, length in ((features.itervar_row, features.ITERVAR_LENGTH),
                        (features.curve_row, features.CURVE_LENGTH)):
        made = [row(*tuned.instantiate(config)) for config in (small, large)]
        assert all(one.shape == (length,) and np.isfinite(one).all() for one in made)
        assert (made[0] != made[1]).any()
    # A program with more loops and stages than rows have room for.
    A = te.placeholder((2,) * 14, name="A")
    stages = [A]
    for i in range(5):
        stages.append(te.compute(A.shape, lambda *at, last=stages[-1]: last(*at) + 1.0, name=f"B{i}"))
    s = te.create_schedule(stages[-1].op)
    assert features.itervar_row(s, [A, stages[-1]]).shape == (features.ITERVAR_LENGTH,)
    # Of a size that only a call knows.
    n = te.var("n")
    D = te.placeholder((n,), name="D")
    E = te.compute((n,), lambda i: D[i] * 2.0, name="E")
    assert np.isfinite(features.itervar_row(te.create_schedule(E.op), [D, E])).all()


def test_annealing_keeps_what_was_tried_out():
    space = autotvm.ConfigSpace()
    space.define_knob("x", list(range(50)))
    space.define_knob("y", list(range(50)))

    def score(points):
        return [-((x - 20) ** 2 + (y - 30) ** 2) for x, y in points]

    annealing = Annealing(space, walkers=32)
    best = annealing.best(score, 5, set())
    assert best[0] == (20, 30) and len(set(best)) == 5
    assert not set(annealing.best(score, 5, set(best))) & set(best)


def test_a_model_without_a_success():
    model = XGBCostModel()
    model.fit(np.eye(4), [0, 0, 0, 0], [0, 0, 0, 0])
    assert np.isfinite(model.predict(np.eye(4))).all()
