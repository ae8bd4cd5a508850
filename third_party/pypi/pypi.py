"""Pinned wheels: what the repository rule (wheel.bzl), tools/lock and tools/vendor share.

usage: pypi.py fetch REQUEST.json    download the pins of a request, each into a file of its name
       pypi.py unpack REQUEST.json   unpack wheels into a folder

pip does the fetching, from the index that the machine's own configuration names. Standard library
only; runs under any Python 3.9 or newer.
"""

import contextlib
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
PIP_PACKAGE = "python3-pip-whl"  # Debian's, of which the lock has a pin
EPOCH = 946684800


class WheelError(Exception):
    """What a person has to know and do."""


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def normalized(requirement):
    """"ml_dtypes==0.5.4" -> "ml-dtypes"."""
    return re.sub(r"[-_.]+", "-", requirement.split("==")[0]).lower()


def _runs_pip(command):
    return subprocess.run([*command, "--version"], capture_output=True).returncode == 0


@contextlib.contextmanager
def pip_command(wheel=None):
    """The start of a command line that runs pip: from `wheel`, else this interpreter's, else the
    pinned one."""
    if wheel:
        yield [sys.executable, "-S", "-B", str(pathlib.Path(wheel) / "pip")]
        return
    own = [sys.executable, "-m", "pip"]
    if _runs_pip(own):
        yield own
        return
    sys.path.insert(0, str(HERE.parent / "debian"))
    import debian

    lock = debian.read_lock()
    pins = [f for f in debian.pinned_files(lock) if f["package"] == PIP_PACKAGE]
    with tempfile.TemporaryDirectory(prefix="lathe-pip-") as folder:
        out = pathlib.Path(folder)
        if absent := debian.fetch_from_pool(pins, out, lock["SUITE"]):
            debian.fetch_by_name(absent, out, lock["SUITE"])
        debian.unpack(out / pins[0]["sha256"], out / "pip", keep=["usr/share/python-wheels/pip-*"])
        (found,) = (out / "pip/usr/share/python-wheels").glob("pip-*.whl")
        yield [sys.executable, "-S", "-B", str(found / "pip")]


def _tail(text, lines=12):
    return "\n".join("  " + line for line in text.strip().split("\n")[-lines:])


def look_up(requirements, version, platforms):
    """{name: pin} of the wheels that the index has for exactly these requirements."""
    with tempfile.TemporaryDirectory(prefix="lathe-wheels-") as folder, pip_command() as pip:
        command = [*pip, "download", "-q", "--no-deps", "--only-binary", ":all:", "--dest", folder,
                   "--disable-pip-version-check", "--python-version", version,
                   "--implementation", "cp", *requirements]
        for platform in platforms:
            command += ["--platform", platform]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise WheelError("pip finds no wheels for " + " ".join(requirements) + ":\n"
                             + _tail(done.stderr))
        files = {normalized(p.name.split("-")[0]): p for p in pathlib.Path(folder).iterdir()}
        pins = {}
        for requirement in requirements:
            path = files[normalized(requirement)]
            pins[normalized(requirement)] = {
                "file": path.name,
                "requirement": requirement,
                "sha256": sha256_of(path),
                "size": path.stat().st_size,
            }
        return pins


def fetch(pins, out, pip_wheel=None):
    """Downloads into `out`, each file under its own name. Returns those not got, and what pip
    said."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as f:
        f.writelines(f"{p['requirement']} --hash=sha256:{p['sha256']}\n" for p in pins)
    try:
        with pip_command(pip_wheel) as pip:
            done = subprocess.run(
                [*pip, "download", "-q", "--no-deps", "--require-hashes", "--only-binary", ":all:",
                 "--no-cache-dir", "--disable-pip-version-check", "--dest", str(out), "-r", f.name],
                capture_output=True, text=True)
    finally:
        os.unlink(f.name)
    absent = [p for p in pins
              if not (out / p["file"]).is_file() or sha256_of(out / p["file"]) != p["sha256"]]
    return absent, _tail(done.stderr)


def unpack(wheel, out, keep=(), drop=()):
    """Unpacks the files that match `keep` (all, if empty) and not `drop`; patterns are fnmatch's."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            name = os.path.normpath(member.filename)
            if member.is_dir() or name.startswith(("/", "..")):
                continue
            if any(fnmatch.fnmatchcase(name, p) for p in drop):
                continue
            if keep and not any(fnmatch.fnmatchcase(name, p) for p in keep):
                continue
            archive.extract(member, out)
            mode = member.external_attr >> 16
            if mode & 0o111:
                os.chmod(pathlib.Path(out) / name, 0o755)
    # Bazel tracks a folder that is an input by its time stamp: unpacking again changes nothing.
    for folder, _, _ in os.walk(out):
        os.utime(folder, (EPOCH, EPOCH))


def main():
    command, request = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
    if command == "unpack":
        for wheel in request["wheels"]:
            unpack(wheel, request["out"], request["keep"], request["drop"])
        return None
    size = sum(p["size"] for p in request["pins"]) / 1e6
    print(f"fetching @{request['repository']}: {len(request['pins'])} pinned wheels, {size:.1f} MB",
          file=sys.stderr, flush=True)
    absent, said = fetch(request["pins"], pathlib.Path(request["out"]), request["pip"])
    if absent and request["required"]:
        names = "\n".join(f"  {p['requirement']}" for p in absent)
        return (f"these pinned wheels are needed, and pip cannot get them:\n{names}\n{said}\n"
                f"Either take what the index has:  tools/lock refresh NAME\n"
                "or build from vendored packages:  bazel build --distdir=FOLDER ... "
                "(a folder that tools/vendor made)")
    return None


if __name__ == "__main__":
    try:
        sys.exit(main())
    except WheelError as error:
        sys.exit(str(error))
