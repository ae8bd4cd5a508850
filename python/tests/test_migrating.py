"""docs/migrating.md claims nothing that is not so."""

import importlib
import os
import re

import pytest

import lathe

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/migrating.md")
ROW = re.compile(r"\| `([\w.]+)` \| (same|renamed|not yet|never) \| (.*) \|$")


def rows():
    with open(PAGE) as f:
        lines = [line.rstrip() for line in f if line.startswith("| `")]
    found = [ROW.match(line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found) if not match]
    return [match.groups() for match in found]


def resolve(path):
    item = lathe
    for part in path.split("."):
        try:
            item = getattr(item, part)
        except AttributeError:
            try:
                item = importlib.import_module(f"{item.__name__}.{part}")
            except (ImportError, AttributeError):
                return None
    return item


def test_the_page_has_its_rows():
    assert len(rows()) > 600
    assert len({name for name, _, _ in rows()}) == len(rows())


@pytest.mark.parametrize("name, status, note", rows())
def test_row(name, status, note):
    there = resolve(name) is not None
    if status == "same":
        assert there
    elif status == "renamed":
        assert resolve(re.match(r"`([\w.]+)`", note).group(1)) is not None
        if "old spelling works" in note:
            assert there
    else:
        assert not there or name.startswith("instrument."), "the name exists"
