#!/usr/bin/env python3
"""Tests tools/fuzz without Bazel and libFuzzer: a script stands in for a fuzzer."""

import importlib.machinery
import importlib.util
import os
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "fuzz"

# Finds two files, one of which reaches new edges; ends with the status in the file `status`.
FUZZER = """#!/bin/sh
for last; do case "$last" in -*) ;; *) before=$folder; folder=$last ;; esac; done
case "$*" in
  *-set_cover_merge*) cp "$folder/new" "$before/$(printf %040d 7)" ;;
  *) echo "#2 INITED cov: 5 ft: 9"; echo "#9 NEW cov: 8 ft: 9"; echo stat::number_of_executed_units: 9
     echo "Test unit written to $PWD/crash-1"
     printf new > "$before/new"; printf old > "$before/old" ;;
esac
exit "$(cat status)"
"""


def load(root):
    """The tool as a module, in a tree of its own."""
    loader = importlib.machinery.SourceFileLoader("fuzz", str(TOOL))
    tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("fuzz", loader))
    loader.exec_module(tool)
    tool.ROOT, tool.KEPT = root / "tree", root / "kept"
    return tool


class FuzzTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.tool = load(self.root)

    def target(self, *corpus, status=0):
        """The target //room:some_fuzz; files of the corpus are relative to the tree."""
        output, execution = self.root / "output", self.root / "execution"
        (output / "room").mkdir(parents=True)
        for line in corpus:
            file = (execution if line.startswith("bazel-out/") else self.tool.ROOT) / line
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(line)
        (output / "room/some_fuzz_inputs.txt").write_text("".join(f"{line}\n" for line in corpus))
        program = output / "room/some_fuzz_fuzzer"
        program.write_text(FUZZER)
        program.chmod(0o755)
        (output / "room/status").write_text(str(status))
        return self.tool.Target("//room:some_fuzz", output, execution)

    def test_what_is_found_goes_to_the_folder_of_the_corpus(self):
        target = self.target("bazel-out/seed", "room/corpus/one")
        passed, text = target.fuzz("-runs=9", 1, True)
        self.assertTrue(passed, text)
        self.assertEqual(text, "PASSED some_fuzz (9 inputs, 8 edges, 3 of them new, corpus of 2, "
                               "1 files for the corpus)")
        self.assertEqual([file.read_text() for file in (self.tool.ROOT / "room/corpus").glob("found_*")], ["new"])

    def test_built_seeds_alone_get_a_folder_of_the_targets_name(self):
        target = self.target("bazel-out/seed")
        self.assertTrue(target.fuzz("-runs=9", 1, True)[0])
        self.assertEqual([file.name for file in (self.tool.ROOT / "room/testdata/some").iterdir()],
                         ["found_000000000000"])

    def test_without_merge_nothing_is_added(self):
        target = self.target("bazel-out/seed")
        self.assertTrue(target.fuzz("-runs=9", 1, False)[0])
        self.assertFalse((self.tool.ROOT / "room").exists())

    def test_a_failure_names_the_command_that_replays_it(self):
        target = self.target("room/corpus/one", status=77)
        passed, text = target.fuzz("-runs=9", 1, True)
        self.assertFalse(passed)
        self.assertRegex(text, r"tools/fuzz some_fuzz --replay=\S+/crash-1\n")
        self.assertIn("FAILED some_fuzz (9 inputs", text)
        self.assertEqual(os.listdir(self.tool.ROOT / "room/corpus"), ["one"])

    def test_one_name_means_one_target(self):
        self.tool.check_names(["//a:one_fuzz", "//b:two_fuzz"])
        with self.assertRaisesRegex(SystemExit, "one name; rename them\n//a:one_fuzz\n//b:one_fuzz$"):
            self.tool.check_names(["//a:one_fuzz", "//a:two_fuzz", "//b:one_fuzz"])


if __name__ == "__main__":
    unittest.main()
