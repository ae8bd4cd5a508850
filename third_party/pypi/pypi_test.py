#!/usr/bin/env python3
"""Tests of pypi.py: names, unpacking, and what is said when a wheel cannot be had."""

import os
import pathlib
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import pypi  # noqa: E402


class PypiTest(unittest.TestCase):
    def test_names_are_normalized(self):
        self.assertEqual(pypi.normalized("ml_dtypes==0.5.4"), "ml-dtypes")
        self.assertEqual(pypi.normalized("A.B__c"), "a-b-c")

    def test_unpack_keeps_and_drops_and_never_leaves_the_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            wheel = os.path.join(folder, "x.whl")
            with zipfile.ZipFile(wheel, "w") as archive:
                for name in ["x/a.py", "x/b.txt", "x/tests/t.py", "../evil.py"]:
                    archive.writestr(name, name)
                tool = zipfile.ZipInfo("x/bin/tool")
                tool.external_attr = 0o100755 << 16
                archive.writestr(tool, "#!")
            out = pathlib.Path(folder) / "deep" / "site"
            out.mkdir(parents=True)
            pypi.unpack(wheel, out, keep=["*.py", "x/bin/*"], drop=["*/tests/*"])
            found = sorted(str(p.relative_to(out)) for p in out.rglob("*") if p.is_file())
            self.assertEqual(found, ["x/a.py", "x/bin/tool"])
            self.assertTrue(os.access(out / "x/bin/tool", os.X_OK))
            self.assertFalse((out.parent / "evil.py").exists())

    def test_a_wheel_of_another_hash_is_not_taken(self):
        pin = {"requirement": "x==1", "file": "x-1-py3-none-any.whl", "sha256": "0" * 64, "size": 1}
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / pin["file"]).write_text("other")
            failed = mock.Mock(returncode=1, stderr="no such wheel\n")
            with mock.patch.object(pypi.subprocess, "run", return_value=failed):
                absent, said = pypi.fetch([pin], pathlib.Path(folder), pip_wheel="/nowhere/pip.whl")
        self.assertEqual(absent, [pin])
        self.assertIn("no such wheel", said)


if __name__ == "__main__":
    unittest.main()
