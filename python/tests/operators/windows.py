"""Windows over images, for the references of convolutions and pools."""

import itertools

import numpy as np

SPACE = {1: "W", 2: "HW", 3: "DHW"}


def each(value, n):
    """One number for all of n dimensions, or one for each."""
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    return value * n if len(value) == 1 else value


def frame(padding, n):
    """[(before, after)]: one number, one for each dimension, or all before and then all after."""
    padding = each(padding, n)
    return list(zip(padding[:n], padding[-n:]))


def reordered(x, source, target):
    return x.transpose([source.index(letter) for letter in target])


def windows(x, kernel, strides, padding, dilation, value=0):
    """Of x [n, c, space...]: [n, c, places..., kernel...]."""
    n = len(kernel)
    x = np.pad(x, [(0, 0), (0, 0)] + frame(padding, n), constant_values=value)
    strides, dilation = each(strides, n), each(dilation, n)
    outs = [(e - d * (k - 1) - 1) // s + 1
            for e, k, s, d in zip(x.shape[2:], kernel, strides, dilation)]
    result = np.empty(list(x.shape[:2]) + outs + list(kernel), x.dtype)
    for place in itertools.product(*map(range, outs)):
        part = x[(slice(None), slice(None)) + tuple(
            slice(p * s, p * s + d * (k - 1) + 1, d)
            for p, s, d, k in zip(place, strides, dilation, kernel))]
        result[(slice(None), slice(None)) + place] = part
    return result


def convolve(x, w, strides, padding, dilation, groups):
    """x [n, c, space...], w [filters, c / groups, kernel...]."""
    n = x.ndim - 2
    parts = windows(x, w.shape[2:], strides, padding, dilation)
    letters, kernel = "xyz"[:n], "uvw"[:n]
    sums = [np.einsum(f"nc{letters}{kernel},oc{kernel}->no{letters}", p, f)
            for p, f in zip(np.split(parts, groups, 1), np.split(w, groups, 0))]
    return np.concatenate(sums, 1)
