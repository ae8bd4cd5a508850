"""Written by python/stubs/make_stubs.py."""

from typing import Any

def check_grad(func: Any, inputs: Any = ..., test_inputs: Any = ..., eps: Any = ..., atol: Any = ..., rtol: Any = ..., scale: Any = ..., mean: Any = ..., mode: Any = ..., target_devices: Any = ..., executor_kind: Any = ..., seed: Any = ...) -> Any:
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
