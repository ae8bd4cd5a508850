#!/usr/bin/env python3
"""Writes the node tests that the package onnx makes, of some versions of ONNX's operators.

usage: backend_cases.py FOLDER FIRST LAST
example: backend_cases.py /tmp/cases 23 28

A test is of the newest version that one of its operators has. Run by `tools/try_onnxruntime`.
"""

import sys
import warnings

import layout
from onnx.backend.test.case.node import collect_testcases


def main():
    folder, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    warnings.simplefilter("ignore")  # NumPy's, about the infinities that some tests are made of
    for case in collect_testcases(None):
        versions = [opset.version for opset in case.model.opset_import if opset.domain in ("", "ai.onnx")]
        if first <= max(versions, default=0) <= last:
            layout.write(folder, case.name, case.model, *case.data_sets[0])


if __name__ == "__main__":
    main()
