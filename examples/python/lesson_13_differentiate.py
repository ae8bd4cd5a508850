"""Lesson 13: gradients: train a small network with what relay.transform.gradient makes.

Run it: python lesson_13_differentiate.py        (after: pip install lathe-*.whl numpy)
"""

import numpy as np

import lathe
from lathe import relay
from lathe.contrib import graph_executor

# 1. A function whose result is one number: the loss of a network with one hidden layer, for points
#    of the plane that belong to one of two rings. Labels are classes, so they are integers.
n = relay.Any("n")
x, labels = relay.var("x", shape=(n, 2)), relay.var("labels", shape=(n,), dtype="int32")
w1, b1 = relay.var("w1", shape=(16, 2)), relay.var("b1", shape=(16,))
w2, b2 = relay.var("w2", shape=(2, 16)), relay.var("b2", shape=(2,))
hidden = relay.tanh(relay.nn.bias_add(relay.nn.dense(x, w1), b1))
scores = relay.nn.bias_add(relay.nn.dense(hidden, w2), b2)
loss = relay.nn.nll_loss(relay.nn.log_softmax(scores), labels, relay.const(np.ones(2, "float32")))
network = relay.Function([x, labels, w1, b1, w2, b2], loss)

# 2. Its gradient: a function of the same inputs that returns (loss, (gradient of each input)). It
#    is a graph like any other. The labels' gradient is zeros, because integers have none.
training = relay.transform.gradient(network)
print(training.checked_type)

# 3. Is it right? Compare with a finite difference: (f(p + h v) - f(p - h v)) / 2h for a random
#    direction v is the sum of gradient times v.
random = np.random.default_rng(0)


def rings(count):
    angles, classes = random.uniform(0, 2 * np.pi, count), random.integers(0, 2, count)
    radius = 0.5 + classes + random.normal(0, 0.1, count)
    points = np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1)
    return points.astype("float32"), classes.astype("int32")


points, classes = rings(256)
shapes = ((16, 2), (16,), (2, 16), (2,))
weights = [random.normal(0, 0.5, shape).astype("float32") for shape in shapes]
value = relay.create_executor("debug", network).evaluate()
_, found = relay.create_executor("debug", training).evaluate()(points, classes, *weights)
for i, weight in enumerate(weights):
    v, h = random.choice([-1, 1], weight.shape).astype("float32"), np.float32(1e-2)
    moved = [[*weights[:i], weight + step * v, *weights[i + 1:]] for step in (h, -h)]
    above, below = (value(points, classes, *one).numpy() for one in moved)
    difference = (above - below) / (2 * h)
    by_gradient = (found[2 + i].numpy() * v).sum()
    print(f"weight {i}: {by_gradient:.5f} by the gradient, {difference:.5f} by a finite difference")
    np.testing.assert_allclose(by_gradient, difference, rtol=0.02, atol=2e-4)

# 4. Train: compile it once, and go down the gradient. The results are numbered in order: the loss,
#    then the gradients.
with lathe.transform.PassContext(opt_level=3):
    step = graph_executor.GraphModule(relay.build(training, target="llvm")["default"](lathe.cpu()))
names = ("w1", "b1", "w2", "b2")
losses = []
for _ in range(300):
    step.run(x=points, labels=classes, **dict(zip(names, weights)))
    losses.append(float(step.get_output(0).numpy()))
    for i in range(4):
        weights[i] = weights[i] - np.float32(0.5) * step.get_output(3 + i).numpy()
print(f"the loss went from {losses[0]:.3f} to {losses[-1]:.3f}")
assert losses[-1] < 0.1 < losses[0]

# 5. What it learnt holds for new points.
predict = relay.create_executor("graph", relay.Function([x, w1, b1, w2, b2], scores)).evaluate()
points, classes = rings(1000)
share = np.mean(predict(points, *weights).numpy().argmax(axis=1) == classes)
print(f"{100 * share:.1f} % of new points are right")
assert share > 0.95

# 6. Some operators have no gradient. All that stand in the way are named at once.
try:
    relay.transform.gradient(relay.Function([x], relay.argmax(x, axis=1)))
except lathe.LatheError as error:
    print(error)
print("ok")
