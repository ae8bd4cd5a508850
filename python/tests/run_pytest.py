"""Runs pytest on files of this folder (given as arguments), or on docstrings."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))

if __name__ == "__main__":
    # -rs: say what is skipped, and why.
    arguments = ["-q", "-rs", "-p", "no:cacheprovider", "--rootdir", HERE, "-o", "addopts="]
    if os.environ.get("XML_OUTPUT_FILE"):
        arguments += ["--junitxml", os.environ["XML_OUTPUT_FILE"]]
    sys.exit(pytest.main(arguments + [os.path.join(HERE, a) if a.endswith(".py") else a
                                      for a in sys.argv[1:]]))
