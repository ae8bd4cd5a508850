"""Random weights."""

from ... import nd
from ..._irmodule import IRModule
from ...error import LatheValueError
from .. import build_module


def refused(what, expected, found):
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
    return LatheValueError(f"{what} has another form", "testing-network", f"expected: {expected}\nfound: {found}")


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

    def __init__(self, seed=0):
        import numpy as np

        self.random = np.random.default_rng(seed)

    def __call__(self, desc, arr):
        """Fills `arr`, a NumPy array, for the parameter `desc`."""
        if desc.endswith(("bias", "beta", "mean")):
            arr[:] = 0
        elif desc.endswith(("gamma", "var")):
            arr[:] = 1
        else:
            self.weights(arr)

    def weights(self, arr):
        """Fills an array of weights: uniform in [-1, 1)."""
        arr[:] = self.random.uniform(-1, 1, arr.shape)


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

    def __init__(self, sigma=0.01, seed=0):
        super().__init__(seed)
        self.sigma = sigma

    def weights(self, arr):
        """Fills an array of weights."""
        arr[:] = self.random.normal(0, self.sigma, arr.shape)


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

    def __init__(self, rnd_type="uniform", factor_type="avg", magnitude=3, seed=0):
        super().__init__(seed)
        if rnd_type not in ("uniform", "gaussian") or factor_type not in ("avg", "in", "out"):
            raise refused("Xavier's initializer", "uniform or gaussian, and avg, in or out", f"{rnd_type}, {factor_type}")
        self.rnd_type, self.factor_type, self.magnitude = rnd_type, factor_type, magnitude

    def weights(self, arr):
        """Fills an array of weights (outputs, inputs, window...)."""
        window = 1
        for extent in arr.shape[2:]:
            window *= extent
        outputs = arr.shape[0] * window if arr.ndim else 1
        inputs = arr.shape[1] * window if arr.ndim > 1 else 1
        count = {"avg": (inputs + outputs) / 2, "in": inputs, "out": outputs}[self.factor_type]
        scale = (self.magnitude / count) ** 0.5
        if self.rnd_type == "uniform":
            arr[:] = self.random.uniform(-scale, scale, arr.shape)
        else:
            arr[:] = self.random.normal(0, scale, arr.shape)


def create_workload(net, initializer=None, seed=0):
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
    import numpy as np

    module = IRModule.from_expr(net)
    initializer = initializer if initializer is not None else Xavier(seed=seed)
    params = {}
    for param in module["main"].params:
        found = param.type_annotation
        if param.name_hint == "data" or not found.dtype.startswith("float"):
            continue
        values = np.zeros(found.concrete_shape, "float32")
        initializer(param.name_hint, values)
        params[param.name_hint] = nd.array(values.astype(found.dtype))
    return module, params


def bound(module, params):
    """The module with its weights as constants.

    Example:
        >>> from lathe import relay
        >>> mod = relay.testing.init.bound(*relay.testing.mlp.get_workload(1))
        >>> [p.name_hint for p in mod["main"].params]
        ['data']
    """
    return IRModule({"main": build_module.bind_params_by_name(module["main"], params)})
