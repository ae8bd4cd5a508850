"""What tests say of errors."""

import pytest

import lathe


def named(name, call, *args, **options):
    """`call` must raise a LatheError of this name; returns its text."""
    with pytest.raises(lathe.LatheError) as caught:
        call(*args, **options)
    assert caught.value.name == name
    return str(caught.value)
