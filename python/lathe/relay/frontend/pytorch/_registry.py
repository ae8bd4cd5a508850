"""The table from PyTorch's operators to functions that make expressions of them.

A name is that of PyTorch without `aten::`: "softmax.int" is one overload, "softmax" all that have
no entry of their own. Other namespaces keep their name: "prim::NumToTensor", "quantized::add".
"""

#: name -> function of an Args
OPERATORS = {}
#: Operators that move, choose or convert elements, and compute nothing.
MOVES = frozenset(
    "view reshape _unsafe_view flatten ravel unflatten squeeze unsqueeze permute transpose t "
    "expand expand_as broadcast_to cat concat stack hstack vstack chunk unbind split "
    "split_with_sizes repeat tile flip roll slice select narrow slice_scatter select_scatter copy "
    "embedding index_select gather index index_put scatter masked_fill where to _to_copy type "
    "type_as bfloat16 half float double int long short char byte bool clone contiguous detach "
    "alias lift_fresh pad constant_pad_nd dropout zeros_like ones_like full_like empty_like "
    "new_zeros new_ones new_full size sym_size numel dim prim::dtype prim::TupleConstruct "
    "prim::ListConstruct prim::TupleUnpack prim::ListUnpack prim::TupleIndex __getitem__ append "
    "tril triu diagonal neg relu max_pool2d max_pool1d max_pool3d unfold eq ne lt le gt ge "
    "sort argsort topk masked_select nonzero nan_to_num".split())


class Args:
    """The arguments of one call: `a[0]` by place, `a.dim` by the schema's name; None if not given.

    Example:
        >>> from lathe.relay.frontend.pytorch._registry import Args
        >>> a = Args("softmax.int", ["self", "dim"], ["x", 1])
        >>> a[0], a.dim, a.dtype
        ('x', 1, None)
    """

    __slots__ = ("_name", "_names", "_values", "_options")

    def __init__(self, name, names, values, options=None):
        self._name, self._names, self._values = name, list(names), list(values)
        self._options = options

    def __getitem__(self, index):
        return self._values[index] if index < len(self._values) else None

    def __len__(self):
        return len(self._values)

    def values(self):
        """The arguments in order."""
        return list(self._values)

    __iter__ = None  # a place that is not given is None: there is no end

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._names:
            return self[self._names.index(name)]
        return None

    def replaced(self, function):
        """The same call, with `function` of each argument, also within lists."""

        def change(value):
            return [change(one) for one in value] if isinstance(value, (list, tuple)) \
                else function(value)

        return Args(self._name, self._names, [change(one) for one in self._values])

    def has(self, name):
        """Does the operator have a parameter of this name?"""
        return name in self._names


def operators(table):
    """Adds {names, separated by blanks: function} to the table."""
    for names, function in table.items():
        for name in names.split():
            if name in OPERATORS:
                raise KeyError(f"{name} has two conversions")
            OPERATORS[name] = function


def operator(names):
    """A decorator: the function makes expressions of the operators of these names."""

    def add(function):
        operators({names: function})
        return function

    return add


def short_name(qualified):
    """The table's name of "aten::softmax": "softmax".

    Example:
        >>> from lathe.relay.frontend.pytorch._registry import short_name
        >>> short_name("aten::softmax"), short_name("quantized::add")
        ('softmax', 'quantized::add')
    """
    return qualified.removeprefix("aten::")


def find(name, overload="", table=None):
    """The function for an operator, or None.

    An operator that works in place (`relu_`), or on views (`permute_copy`), is the one without.
    """
    table = OPERATORS if table is None else table
    for candidate in _spellings(name):
        found = table.get(f"{candidate}.{overload}") if overload else None
        found = found or table.get(candidate)
        if found is not None:
            return found
    return None


def _spellings(name):
    yield name
    if name.endswith("_") and not name.endswith("__"):
        yield name[:-1]
    if name.endswith("_copy"):
        yield name[:-len("_copy")]


def writes_in_place(name):
    """Does the operator store its result in its first argument?

    Example:
        >>> from lathe.relay.frontend.pytorch._registry import writes_in_place
        >>> writes_in_place("relu_"), writes_in_place("__and__"), writes_in_place("relu")
        (True, False, False)
    """
    return name.endswith("_") and not name.endswith("__")


def written_places(node):
    """Which operands an operator of TorchScript stores its results in: those named `out`.

    Args:
        node: a node of TorchScript.

    Returns:
        Their places.
    """
    import torch

    if node.schema() == "(no schema)":
        return []
    found = torch._C.parse_schema(node.schema()).arguments
    return [i for i, one in enumerate(found) if one.kwarg_only and one.alias_info is not None and
            one.alias_info.is_write]
