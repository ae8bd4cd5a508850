"""The wheel itself: its tag must match the needs of its parts; its size, its record, its bytes."""

import base64
import hashlib
import os
import re
import runpy
import struct
import subprocess
import sys
import tempfile
import zipfile

WHEEL, MODEL = sys.argv[1:]
MOST_BYTES = 60 << 20


def version_needs(data):
    """Returns the names in the ELF's version requirements: "GLIBC_2.34", "GLIBCXX_3.4.30", ..."""
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    names = set()
    for kind, section in ((s[1], s) for s in sections):
        if kind != 0x6FFFFFFE:  # SHT_GNU_verneed
            continue
        strings = sections[section[6]][4]
        at = section[4]
        while True:
            _, entries, _, first, following = struct.unpack_from("<HHIII", data, at)
            aux = at + first
            for _ in range(entries):
                _, _, _, name, next_aux = struct.unpack_from("<IHHII", data, aux)
                end = data.index(b"\0", strings + name)
                names.add(data[strings + name:end].decode())
                aux += next_aux
            if not following:
                return names
            at += following
    return names


def check_same_bytes(files):
    """The same contents, unpacked elsewhere and later, must give the same wheel."""
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for path, data in files.items():
            place = os.path.join(folder, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as f:
                f.write(data)
            if ".dist-info/" not in path or "/licenses/" in path:
                parts.append(f"{path}={place}")
        info = next(path for path in files if path.endswith("/METADATA"))
        text = files[info].decode()
        readme = os.path.join(folder, "README")
        with open(readme, "w") as f:
            f.write(text.split("\n\n", 1)[1])
        extras = re.findall(r'^Requires-Dist: (.*); extra == "(.*)"$', text, re.M)
        group, points = "", []
        for line in files[info.replace("METADATA", "entry_points.txt")].decode().splitlines():
            if line.startswith("["):
                group = line.strip("[]")
            elif line:
                points.append(f"{group}:{line.replace(' = ', '=', 1)}")
        again = os.path.join(folder, os.path.basename(WHEEL))
        version = re.search(r"^Version: (.*)$", text, re.M).group(1)
        sys.argv = ["make_wheel.py", again, "--version", version, "--readme", readme, "--extras",
                    *[f"{key}={need}" for need, key in extras], "--entry-points", *points, "--files", *reversed(parts)]
        runpy.run_path("python/make_wheel.py", run_name="__main__")
        with open(again, "rb") as a, open(WHEEL, "rb") as b:
            assert a.read() == b.read(), "other bytes from the same contents"


def check_program():
    """The command line finds its plugins beside itself, and compiles and runs a program and a model."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(WHEEL) as wheel:
            for entry in wheel.infolist():
                if entry.filename.startswith(("lathe/bin/", "lathe/plugins/")):
                    path = wheel.extract(entry, folder)
                    os.chmod(path, entry.external_attr >> 16)
        program = os.path.join(folder, "scale.lathe")
        with open(program, "w") as f:
            f.write("program scale { placeholder A: float32[8] compute B[i in range(8)] = A[i] * 2.0 + 1.0 args [A, B] }")

        def lathe(*arguments):
            done = subprocess.run([os.path.join(folder, "lathe/bin/lathe"), *arguments], env={"LATHE_CACHE": "0"},
                                  capture_output=True, text=True)
            assert done.returncode == 0, done
            return done.stdout

        assert "1 1 1 1 1 1 1 1" in lathe("run", program, "zeros:8")
        imported, compiled = os.path.join(folder, "small.lathe"), os.path.join(folder, "small.so")
        lathe("import", MODEL, "-o", imported, "--input", "picture=2x3x16x16")
        lathe("compile", imported, "-o", compiled)
        scores = lathe("run", compiled, "--input", "picture=random")
        assert "scores: float32[2, 10]" in scores, scores
        assert scores == lathe("run", MODEL, "--input", "picture=random:2x3x16x16")


def main():
    name = os.path.basename(WHEEL)
    python, abi, platform = name[:-4].split("-")[2:]
    assert (python, abi) == ("cp310", "abi3"), name
    allowed = tuple(int(x) for x in re.fullmatch(r"manylinux_(\d+)_(\d+)_x86_64", platform).groups())
    assert os.path.getsize(WHEEL) <= MOST_BYTES, os.path.getsize(WHEEL)

    with zipfile.ZipFile(WHEEL) as wheel:
        files = {i.filename: wheel.read(i) for i in wheel.infolist()}
        assert all(i.date_time == (2020, 1, 1, 0, 0, 0) for i in wheel.infolist())
    record = next(path for path in files if path.endswith("/RECORD"))
    listed = {}
    for line in files[record].decode().splitlines():
        path, digest, size = line.rsplit(",", 2)
        listed[path] = (digest, size)
    assert set(listed) == set(files)
    for path, data in files.items():
        if path != record:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert listed[path] == (f"sha256={digest}", str(len(data))), path

    needed = (0, 0)
    programs = ("lathe/plugins/lathe-compile-child", "lathe/bin/lathe")
    libraries = [path for path in files if path.endswith(".so") or path in programs]
    assert all(program in libraries for program in programs)
    assert any(path.endswith(".data/scripts/lathe") for path in files)
    assert "lathe/_core.abi3.so" in libraries and "lathe/plugins/libllvm.so" in libraries
    for path in libraries:
        for need in version_needs(files[path]):
            if need.startswith("GLIBC_"):
                needed = max(needed, tuple(int(x) for x in need[6:].split(".")[:2])
                             if need[6:7].isdigit() else (2, 36))
            # The version that GCC 12 provides, which is as old as glibc 2.36.
            if need.startswith("GLIBCXX_3.4."):
                assert int(need.split(".")[2]) <= 30, (path, need)
    assert needed <= allowed, f"the parts need glibc {needed}, the tag says {allowed}"
    # The extension exports only its entry, and uses only functions that Python 3.10 has.
    for new in (b"PyType_GetName\0", b"PyErr_GetRaisedException\0", b"PyModule_AddObjectRef2\0"):
        assert new not in files["lathe/_core.abi3.so"], new
    # The text of each licence that the list names, with the list.
    folder = record.replace("RECORD", "licenses/")
    named = set(re.findall(r"\| `([\w-]+-LICENSE)` \|$", files[folder + "README.md"].decode(), re.M))
    assert {folder + name for name in named | {"LICENSE", "README.md"}} == {p for p in files if p.startswith(folder)}
    assert len(named) > 8 and all(len(files[folder + name]) > 1000 for name in named)
    check_same_bytes(files)
    check_program()
    text = files["lathe/compat.py"].decode() + files["lathe/__init__.py"].decode()
    assert "sandbox" not in text and "bazel-out" not in text
    assert b"bazel-out" not in files["lathe/_core.abi3.so"]
    print(f"{name}: {os.path.getsize(WHEEL) / 1e6:.1f} MB, {len(files)} files, glibc {needed}")


main()
