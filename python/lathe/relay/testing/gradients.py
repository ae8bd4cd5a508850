"""Gradients against finite differences."""

import numpy as np


def _leaves(result):
    if hasattr(result, "numpy"):
        return [result]
    return [leaf for part in result for leaf in _leaves(part)]


def check_grad(func, inputs=None, test_inputs=None, eps=None, atol=1e-3, rtol=1e-2, scale=None,
               mean=0.0, mode="higher_order", target_devices=None, executor_kind="graph", seed=0):
    """Compares the gradients of a function with central finite differences of its results' sum.

    Elements next to a corner of the function (relu at 0) can differ: choose other inputs there.

    Args:
        func: a relay.Function whose inputs have known shapes.
        inputs: a NumPy array for each input; default: random ones.
        test_inputs: those of `inputs` whose gradients are checked; default: all with floating
            elements.
        eps: the step, as a part of an element's size plus 1; default: 1e-3, and 1e-6 for float64.
        atol, rtol: how much gradients may differ: |a - b| <= atol + rtol |b|.
        scale, mean: random inputs are normal with this deviation (default 1) and mean.
        mode: as in relay.transform.gradient.
        target_devices: a list of (target, device); default: llvm.
        executor_kind: as in relay.create_executor.
        seed: of the random inputs.

    Raises:
        AssertionError: a gradient differs; the message has the input and the largest difference.
        LatheError: as relay.transform.gradient.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(3, 4))
        >>> relay.testing.check_grad(relay.Function([x], relay.tanh(x) * x))
    """
    from .. import create_executor, transform
    from ... import cpu

    random = np.random.default_rng(seed)
    if inputs is None:
        inputs = []
        for param in func.params:
            kind, shape = param.checked_type.dtype, [int(n) for n in param.checked_type.shape]
            inputs.append((random.normal(mean, scale or 1, shape)).astype(kind))
    inputs = [np.array(one) for one in inputs]
    chosen = range(len(inputs))
    if test_inputs is not None:
        chosen = [i for i in chosen if any(inputs[i] is one or np.array_equal(inputs[i], one)
                                           for one in test_inputs)]
    for target, device in target_devices or [("llvm", cpu())]:
        def evaluate(function):
            return create_executor(executor_kind, function, device=device, target=target).evaluate()

        call = evaluate(func)
        # The results come first.
        gradients = _leaves(evaluate(transform.gradient(func, mode=mode))(*inputs))[-len(inputs):]

        def total(values):
            return sum(part.numpy().astype("float64").sum() for part in _leaves(call(*values)))

        for i in chosen:
            if inputs[i].dtype.kind != "f":
                continue
            step = eps or (1e-6 if inputs[i].dtype == np.float64 else 1e-3)
            found, expected = gradients[i].numpy(), np.zeros(inputs[i].shape)
            for at in np.ndindex(inputs[i].shape):
                ends = []
                for sign in (1, -1):
                    moved = [one.copy() for one in inputs]
                    moved[i][at] += sign * step * (1 + abs(inputs[i][at]))
                    ends.append((total(moved), float(moved[i][at])))
                expected[at] = (ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1])
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol,
                                       err_msg=f"gradient of input {i} ({target})")
