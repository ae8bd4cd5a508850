"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay

def bernoulli(key: Any, data: Any, dtype: Any = ...) -> _relay.Expr:
    """1 with the probability that `data` says, else 0, element by element: u < data, for the first words u / 2^32 of Philox 4x32-10. The shape of `data`.

    Args:
        key: an expression. The key, []: equal keys give equal numbers (an integer type).
        data: an expression. Probabilities (a floating type).
        dtype: the name of an element type. The element type of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.random.bernoulli(relay.var("key", shape=(), dtype="int64"), relay.var("data", shape=(4, 9)))
    """

def multinomial(key: Any, data: Any, num_samples: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """Classes, drawn with their probabilities, which need not sum to 1; negative ones count as 0: [..., num_samples]. A sample is the first class whose running sum is above u times the sum of all, for the first words u / 2^32 of Philox 4x32-10.

    Args:
        key: an expression. The key, []: equal keys give equal numbers (an integer type).
        data: an expression. Probabilities [..., classes] (a floating type).
        num_samples: an int. How many are drawn for each row.
        dtype: the name of an element type. The element type of the result, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.random.multinomial(relay.var("key", shape=(), dtype="int64"), relay.var("data", shape=(4, 7)), num_samples=9)
    """

def normal(key: Any, shape: Any, dtype: Any = ..., mean: Any = ..., scale: Any = ...) -> _relay.Expr:
    """Normally distributed numbers, by the method of Box and Muller: mean + scale sqrt(-2 ln(1 - u)) cos(2 pi v), for words u and v of Philox 4x32-10.

    Args:
        key: an expression. The key, []: equal keys give equal numbers (an integer type).
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.
        dtype: the name of an element type. The element type.
        mean: a number. The mean.
        scale: a number. The standard deviation.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.random.normal(relay.var("key", shape=()), shape=(3, 40))
    """

def randint(key: Any, shape: Any, dtype: Any = ..., low: Any = ..., high: Any = ...) -> _relay.Expr:
    """Whole numbers of [low, high): low + floor(u (high - low) / 2^32), for the first words u of Philox 4x32-10.

    Args:
        key: an expression. The key, []: equal keys give equal numbers (an integer type).
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.
        dtype: the name of an element type. The element type.
        low: an int. The least number.
        high: an int. The bound; at most 2^32 above.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.random.randint(relay.var("key", shape=()), high=4, low=-3, shape=(3, 40))
    """

def uniform(key: Any, shape: Any, dtype: Any = ..., low: Any = ..., high: Any = ...) -> _relay.Expr:
    """Numbers of [low, high), each of as many digits as the type has: low + (high - low) u, for the first words u of Philox 4x32-10.

    Args:
        key: an expression. The key, []: equal keys give equal numbers (an integer type).
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.
        dtype: the name of an element type. The element type.
        low: a number. The least number.
        high: a number. The bound.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.random.uniform(relay.var("key", shape=()), shape=(3, 40))
    """
