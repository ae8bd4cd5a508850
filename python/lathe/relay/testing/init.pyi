"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheValueError as LatheValueError
from lathe import nd as nd

class Initializer:
    """Fills an array of weights, by the end of its name; derive from it to fill others.

    `_weight` is random, `_bias`, `_beta` and `_mean` are 0, `_gamma` and `_var` are 1.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> gamma = np.zeros(2, "float32")
        >>> relay.testing.init.Xavier(seed=1)("bn_gamma", gamma)
        >>> gamma.tolist()
        [1.0, 1.0]
    """
    def __call__(self, desc: Any, arr: Any) -> Any: ...
    def weights(self, arr: Any) -> Any: ...
    def __init__(self, seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Normal(Initializer):
    """Weights of a normal distribution with a mean of 0 and deviation `sigma`.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> w = np.zeros((4, 4), "float32")
        >>> relay.testing.init.Normal(sigma=0.1)("w_weight", w)
        >>> bool(np.abs(w).max() > 0)
        True
    """
    def weights(self, arr: Any) -> Any: ...
    def __init__(self, sigma: Any = ..., seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Xavier(Initializer):
    """Weights that keep the variance from layer to layer [Glorot and Bengio, 2010].

    Args:
        rnd_type: "uniform" or "gaussian".
        factor_type: "avg", "in" or "out": which of the numbers of connections counts.
        magnitude: the variance is magnitude / connections; a third of it for "uniform".
        seed: of the generator.

    Raises:
        LatheError: `testing-network`: another type.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> w = np.zeros((64, 64), "float32")
        >>> relay.testing.init.Xavier()("fc_weight", w)
        >>> bool(abs(w.std() - (3 / 64 / 3) ** 0.5) < 0.01)
        True
    """
    def weights(self, arr: Any) -> Any: ...
    def __init__(self, rnd_type: Any = ..., factor_type: Any = ..., magnitude: Any = ..., seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def bound(module: Any, params: Any) -> Any:
    """The module with its weights as constants.

    Example:
        >>> from lathe import relay
        >>> mod = relay.testing.init.bound(*relay.testing.mlp.get_workload(1))
        >>> [p.name_hint for p in mod["main"].params]
        ['data']
    """

def create_workload(net: Any, initializer: Any = ..., seed: Any = ...) -> Any:
    """A module for a network, and random weights.

    Args:
        net: a relay.Function. All its parameters but `data` and those of integer types are weights.
        initializer: called with the name of a weight and a NumPy array; Xavier by default.
        seed: of the default initializer.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.mlp.get_net(1, 10)
        >>> mod, params = relay.testing.init.create_workload(net)
        >>> sorted(params)[:2]
        ['fc1_bias', 'fc1_weight']
    """

def refused(what: Any, expected: Any, found: Any) -> Any:
    """The error for a network that is asked for in a form that it has not.

    Args:
        what: the network.
        expected, found: the forms.

    Returns:
        A LatheValueError, `testing-network`.

    Example:
        >>> from lathe.relay.testing import init
        >>> init.refused("a network", "16 layers", 17).notes
        'expected: 16 layers\\nfound: 17'
    """
