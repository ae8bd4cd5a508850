#!/usr/bin/env python3
"""Tests of debian.py: what it reads of a machine's apt set-up, unpacks, and says on failure."""

import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import debian  # noqa: E402

DEB822 = """\
Types: deb deb-src
# A comment in between.
URIs: http://one.invalid/debian http://two.invalid/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Enabled: no
Types: deb
URIs: http://off.invalid/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://other.invalid/
Suites: nodistro
Components: main
"""
ONE_LINE = """\
# deb http://comment.invalid/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://three.invalid/debian bookworm main contrib # trailing
deb-src http://source.invalid/debian bookworm main
deb http://security.invalid/debian-security bookworm-security main
"""
PIN = {"package": "hello", "version": "1.0-1", "path": "pool/main/h/hello/hello_1.0-1_all.deb",
       "sha256": "0" * 64, "size": 1}


class Machine:
    """An apt set-up in a folder, in place of the machine's."""

    def __init__(self, folder, sources="", one_line=""):
        parts = pathlib.Path(folder) / "parts"
        parts.mkdir()
        (parts / "debian.sources").write_text(sources)
        (parts / "more.list").write_text(one_line)
        config = {"LIST": str(pathlib.Path(folder) / "none"), "PARTS": str(parts)}
        self.patch = mock.patch.object(debian, "_apt_config", lambda: config)

    def __enter__(self):
        self.patch.start()

    def __exit__(self, *_):
        self.patch.stop()


class SourcesTest(unittest.TestCase):

    def test_finds_the_base_suite_in_both_formats(self):
        with tempfile.TemporaryDirectory() as folder, Machine(folder, DEB822, ONE_LINE):
            found = debian.machine_sources("bookworm")
        self.assertEqual([s.uri for s in found], ["http://one.invalid/debian", "http://two.invalid/debian",
                                                  "http://three.invalid/debian"])
        self.assertEqual(found[0].options[0][0], "Signed-By")
        self.assertIn("\n .\n abc", found[0].options[0][1])
        self.assertEqual(found[2].options, (("Signed-By", "/k.gpg"),))

    def test_says_when_the_suite_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder, Machine(folder, DEB822):
            with self.assertRaisesRegex(debian.DebianError, "suite 'trixie'.*\n.*\n.*--distdir"):
                debian.machine_sources("trixie")


class FailureTest(unittest.TestCase):

    def test_names_package_pin_what_the_mirror_has_and_both_ways_out(self):
        with mock.patch.object(debian, "_ask_by_name", lambda *_: {"hello": "1.0-2, 0.9-1"}):
            with self.assertRaises(debian.DebianError) as caught:
                debian.fetch_by_name([PIN], "unused", "bookworm")
        for part in ("hello: pinned 1.0-1", "suite 'bookworm' has 1.0-2, 0.9-1",
                     "tools/lock refresh hello", "--distdir=FOLDER"):
            self.assertIn(part, str(caught.exception))

    def test_names_the_packages_when_there_is_no_mirror(self):
        with tempfile.TemporaryDirectory() as folder, Machine(folder):
            missing = debian.fetch_from_pool([PIN], pathlib.Path(folder) / "out", "bookworm")
            self.assertEqual(missing, [PIN])
            with self.assertRaisesRegex(debian.DebianError, "(?s)hello 1.0-1.*--distdir=FOLDER"):
                debian.fetch_by_name(missing, folder, "bookworm")


class UnpackTest(unittest.TestCase):

    def make_deb(self, folder):
        """A package with files, links inside, outside and in a loop, as dpkg-deb would make it."""
        data = pathlib.Path(folder) / "data"
        (data / "DEBIAN").mkdir(parents=True)
        (data / "DEBIAN/control").write_text(
            "Package: hello\nVersion: 1\nArchitecture: all\nMaintainer: x <x@y.invalid>\nDescription: x\n")
        for name in ("usr/bin/hello", "usr/share/doc/hello/README", "usr/lib/a.so.1"):
            (data / name).parent.mkdir(parents=True, exist_ok=True)
            (data / name).write_text(name)
        os.symlink("/usr/lib/a.so.1", data / "usr/lib/absolute")
        os.symlink("/etc/passwd", data / "usr/lib/outside")
        os.symlink("gone", data / "usr/lib/dangling")
        os.symlink("..", data / "usr/lib/loop")
        deb = pathlib.Path(folder) / "hello.deb"
        subprocess.run(["dpkg-deb", "--build", str(data), str(deb)], check=True, stdout=subprocess.DEVNULL)
        return deb

    def names(self, root):
        return sorted(os.path.relpath(os.path.join(f, n), root) for f, d, names in os.walk(root)
                      for n in names + [x for x in d if os.path.islink(os.path.join(f, x))])

    def test_keeps_drops_and_mends_links(self):
        with tempfile.TemporaryDirectory() as folder:
            deb, out = self.make_deb(folder), pathlib.Path(folder) / "out"
            debian.unpack(deb, out, keep=["usr/*"], drop=["usr/share/doc/*"])
            debian.remove_bad_links(out)
            self.assertEqual(self.names(out), ["usr/bin/hello", "usr/lib/a.so.1", "usr/lib/absolute"])
            self.assertEqual(os.readlink(out / "usr/lib/absolute"), "a.so.1")

    def test_takes_a_folder_as_the_root(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            debian.unpack(self.make_deb(folder), out, root="usr/bin")
            self.assertEqual(self.names(out), ["hello"])

    def test_never_writes_outside(self):
        with tempfile.TemporaryDirectory() as folder:
            archive, out = io.BytesIO(), pathlib.Path(folder) / "in/out"
            out.mkdir(parents=True)
            with tarfile.open(fileobj=archive, mode="w") as tar:
                for name in ("../escaped", "./usr/../../escaped", "kept"):
                    member = tarfile.TarInfo(name)
                    member.size = 1
                    tar.addfile(member, io.BytesIO(b"x"))
            fake = mock.Mock(stdout=io.BytesIO(archive.getvalue()), wait=lambda: 0)
            with mock.patch.object(debian.subprocess, "Popen", lambda *_, **__: fake):
                debian.unpack("any.deb", out)
            self.assertEqual(self.names(folder), ["in/out/kept"])


if __name__ == "__main__":
    unittest.main()
