#!/usr/bin/env python3
"""Pinned Debian packages: find the machine's mirror, fetch by pin, unpack.

The one place that talks to the package client. Used by the repository rules
(as a program, see main) and by tools/lock and tools/vendor (as a module).

No host name is written anywhere: the mirror is whatever the machine's own apt
configuration names for the base suite that the lock file was made from. Only
the Python standard library, apt and dpkg-deb are used.
"""

import dataclasses
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
APT_HELPER = "/usr/lib/apt/apt-helper"


class DebianError(Exception):
    """Something that the user has to act on; the text says what and how."""


# --- The lock file ------------------------------------------------------------------------------


def read_literal(path):
    """Reads a .bzl file made of `NAME = <literal>` lines; returns {NAME: value}."""
    import ast  # Here: the repository rules never need it.

    values = {}
    for node in ast.parse(path.read_text(), str(path)).body:
        if isinstance(node, ast.Assign):
            values[node.targets[0].id] = ast.literal_eval(node.value)
    return values


def read_lock():
    return read_literal(HERE / "lock.bzl")


def read_sets():
    return read_literal(HERE / "packages.bzl")


def pinned_files(lock):
    """Every file of the lock: [{package, version, path, sha256, size}], sorted by file name."""
    files = {}
    for name, pin in lock["PACKAGES"].items():
        files[pin["path"]] = dict(pin, package=name)
    for name, pin in lock["SOURCES"].items():
        for part in pin["files"]:
            files[part["path"]] = dict(part, package=name, version=pin["version"])
    return [files[k] for k in sorted(files, key=os.path.basename)]


# --- The machine's apt sources ------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Source:
    """One mirror of the base suite, as the machine's configuration names it."""

    uri: str
    options: tuple  # deb822 fields to keep: (("Signed-By", "..."), ...)


def _apt_config():
    text = subprocess.run(
        ["apt-config", "shell", "LIST", "Dir::Etc::sourcelist/f", "PARTS", "Dir::Etc::sourceparts/d"],
        capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^(\w+)='(.*)'$", text, re.M))


def _parse_deb822(text):
    """Yields (types, uris, suites, components, options) of each stanza."""
    lines = [l for l in text.splitlines() if not l.startswith("#")]
    for stanza in re.split(r"\n\s*\n", "\n".join(lines)):
        fields = {}
        for m in re.finditer(r"^([A-Za-z-]+):[ \t]*(.*(?:\n[ \t].*)*)", stanza, re.M):
            fields[m.group(1).lower()] = m.group(2).rstrip()
        if not fields or fields.get("enabled", "yes").lower() in ("no", "false", "0", "off"):
            continue
        options = tuple((n, fields[n.lower()]) for n in ("Signed-By", "Trusted") if n.lower() in fields)
        yield [fields.get(k, "").split() for k in ("types", "uris", "suites", "components")] + [options]


def _parse_one_line(text):
    """The same for the one-line format."""
    names = {"signed-by": "Signed-By", "trusted": "Trusted"}
    for line in text.splitlines():
        m = re.match(r"\s*(deb|deb-src)\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)", line)
        if not m:
            continue
        pairs = [p.split("=", 1) for p in (m.group(2) or "").split() if "=" in p]
        options = tuple((names[k.lower()], v) for k, v in pairs if k.lower() in names)
        yield [[m.group(1)], [m.group(3)], [m.group(4)], m.group(5).split(), options]


def machine_sources(suite):
    """The mirrors that the machine's configuration names for `suite`, component main."""
    config = _apt_config()
    entries = []
    parts = pathlib.Path(config["PARTS"])
    for path in [pathlib.Path(config["LIST"])] + (sorted(parts.iterdir()) if parts.is_dir() else []):
        if not path.is_file():
            continue
        if path.suffix == ".sources":
            entries += _parse_deb822(path.read_text())
        elif path.suffix == ".list":
            entries += _parse_one_line(path.read_text())
    found = []
    for types, uris, suites, components, options in entries:
        if "deb" in types and suite in suites and "main" in components:
            found += [Source(u, options) for u in uris]
    if not found:
        raise DebianError(
            f"this machine's apt configuration has no 'main' component of suite '{suite}'.\n"
            f"  Add that suite to apt's sources, or build from a folder of vendored packages\n"
            f"  (made by tools/vendor on a machine that has it) with --distdir=FOLDER.")
    return list(dict.fromkeys(found))


class PrivateApt:
    """An apt of our own: base suite only, nothing of the machine's state is touched."""

    def __init__(self, folder, suite, architectures=("amd64",)):
        self.folder = pathlib.Path(folder)
        for name in ("state/lists/partial", "cache/archives/partial", "files"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").touch()
        stanzas = []
        for s in machine_sources(suite):
            fields = [("Types", "deb deb-src"), ("URIs", s.uri), ("Suites", suite), ("Components", "main")]
            stanzas.append("".join(f"{k}: {v}\n" for k, v in fields + list(s.options)))
        (self.folder / "parts").mkdir(exist_ok=True)
        (self.folder / "parts/base.sources").write_text("\n".join(stanzas))
        options = {
            "Dir::State": f"{self.folder}/state",
            "Dir::State::status": f"{self.folder}/status",
            "Dir::Cache": f"{self.folder}/cache",
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": f"{self.folder}/parts",
            "APT::Sandbox::User": "root",
            "APT::Architecture": "amd64",
            "Acquire::Languages": "none",
            "APT::Update::Post-Invoke-Success::": "true",
        }
        self._options = [x for k, v in options.items() for x in ("-o", f"{k}={v}")]
        for a in architectures:
            self._options += ["-o", f"APT::Architectures::={a}"]

    def run(self, *args, check=True):
        """Runs `apt-get ...` or `apt-cache ...` in the private tree; returns its output."""
        command = [args[0], *self._options, *args[1:]]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder / "files")
        if check and done.returncode != 0:
            raise DebianError(f"{' '.join(args)} failed:\n{done.stdout}{done.stderr}".rstrip())
        return done.stdout

    def update(self):
        self.run("apt-get", "-qq", "-o", "APT::Update::Error-Mode=any", "update")


def parse_paragraphs(text):
    """apt-cache's output as a list of {field: value}; continuation lines are kept."""
    result = []
    for paragraph in text.split("\n\n"):
        fields = {}
        for m in re.finditer(r"^([A-Za-z0-9-]+):[ \t]*(.*(?:\n[ \t].*)*)", paragraph, re.M):
            fields[m.group(1)] = m.group(2)
        if fields:
            result.append(fields)
    return result


# --- Fetching -----------------------------------------------------------------------------------


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as f:
        while block := f.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _is_good(path, sha256):
    return path.is_file() and sha256_of(path) == sha256


def fetch_from_pool(files, out, suite):
    """Fetches `files` (as of pinned_files) by pool path into `out`, each under its sha256.

    Straight from the mirror, no package index needed. Returns those not got."""
    out.mkdir(parents=True, exist_ok=True)
    missing = list(files)
    try:
        sources = machine_sources(suite)
    except DebianError:
        return missing
    for source in sources:
        if not missing:
            break
        command = [APT_HELPER, "-qq", "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=2",
                   "-o", "Acquire::http::Timeout=20", "download-file"]
        for f in missing:
            command += [f"{source.uri.rstrip('/')}/{f['path']}", str(out / f["sha256"]),
                        "SHA256:" + f["sha256"]]
        subprocess.run(command, capture_output=True, text=True)
        missing = [f for f in missing if not _is_good(out / f["sha256"], f["sha256"])]
    return missing


def _ask_by_name(files, out, suite):
    """Returns {package: what the mirror has} for the files not got."""
    refused = {}
    with tempfile.TemporaryDirectory(prefix="lathe-apt-") as folder:
        apt = PrivateApt(folder, suite)
        apt.update()
        for f in files:
            is_binary = f["path"].endswith(".deb")
            get = ["download"] if is_binary else ["--download-only", "source"]
            apt.run("apt-get", "-qq", *get, f"{f['package']}={f['version']}", check=False)
            good = [p for p in (apt.folder / "files").iterdir() if _is_good(p, f["sha256"])]
            if good:
                shutil.move(good[0], out / f["sha256"])
            else:
                show = apt.run("apt-cache", "show" if is_binary else "showsrc", f["package"],
                               check=False)
                have = [p["Version"] for p in parse_paragraphs(show) if "Version" in p]
                refused[f["package"]] = ", ".join(dict.fromkeys(have)) or "nothing of that name"
    return refused


def fetch_by_name(files, out, suite):
    """Fetches by name and version with a package index of our own: mirrors of another layout.

    Raises DebianError naming package, pin, what the mirror has and the ways out."""
    try:
        refused = _ask_by_name(files, out, suite)
    except DebianError as error:
        names = "\n".join(f"  {f['package']} {f['version']}" for f in files)
        raise DebianError(
            f"these pinned packages are needed, and this machine's mirror cannot be read:\n{names}\n"
            f"  {str(error).strip()}\n"
            "Without a network, build with --distdir=FOLDER, a folder that tools/vendor made."
        ) from error
    if refused:
        pins = {f["package"]: f["version"] for f in files}
        lines = [f"  {name}: pinned {pins[name]}, the mirror's suite '{suite}' has {have}"
                 for name, have in sorted(refused.items())]
        raise DebianError(
            "the mirror does not have these pinned packages:\n" + "\n".join(lines) + "\n"
            "Either take what the mirror has:  tools/lock refresh " + " ".join(sorted(refused))
            + "\nor build from vendored packages:  bazel build --distdir=FOLDER ... "
            "(a folder that tools/vendor made)")


# --- Unpacking ----------------------------------------------------------------------------------


def _wanted(name, keep, drop):
    if any(fnmatch.fnmatchcase(name, p) for p in drop):
        return False
    return not keep or any(fnmatch.fnmatchcase(name, p) for p in keep)


def unpack(deb, out, keep=(), drop=(), root=""):
    """Unpacks the files of `deb` that match `keep` (all, if empty) and not `drop`.

    Patterns are fnmatch's over paths like "usr/bin/clang"; `*` crosses folders.
    `root` is the folder of the package that becomes `out`; nothing else is unpacked then."""
    out = pathlib.Path(out)
    prefix = root.rstrip("/") + "/" if root else ""
    pipe = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE)
    with pipe.stdout, tarfile.open(fileobj=pipe.stdout, mode="r|") as tar:
        for member in tar:
            member.name = os.path.normpath(member.name)
            if member.isdir() or ".." in member.name.split("/") or not _wanted(member.name, keep, drop):
                continue
            if not member.name.startswith(prefix):
                continue
            if member.issym() and member.linkname.startswith("/"):
                folder = os.path.dirname("/" + member.name)
                member.linkname = os.path.relpath(member.linkname, folder)
            member.name = member.name[len(prefix):]
            if member.islnk():
                member.linkname = os.path.normpath(member.linkname)[len(prefix):]
            if member.isfile() or member.issym() or member.islnk():
                member.uid, member.gid = os.getuid(), os.getgid()
                tar.extract(member, out)
    if pipe.wait() != 0:
        raise DebianError(f"dpkg-deb cannot read {deb}")


def remove_bad_links(root):
    """Removes links that dangle, leave `root` or loop: they break folders used as build inputs."""
    root = os.path.realpath(root)
    removed = True
    while removed:
        removed = False
        for folder, subfolders, names in os.walk(root):
            for name in subfolders + names:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    continue
                target = os.path.realpath(path)
                inside = target.startswith(root + "/")
                loops = (path + "/").startswith(target + "/")
                if not inside or loops or not os.path.exists(target):
                    os.remove(path)
                    removed = True


def fix_folder_times(root):
    """Bazel tracks a folder that is an input by its time stamp: unpacking again changes nothing."""
    for folder, _, _ in os.walk(root):
        os.utime(folder, (946684800, 946684800))


def main():
    """{fetch|fetch-by-name|unpack} REQUEST.json: what the repository rules ask for."""
    command, request = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
    try:
        if command == "fetch":
            size = sum(f["size"] for f in request["files"]) / 1e6
            print(f"fetching @{request['repository']}: {len(request['files'])} pinned packages, "
                  f"{size:.1f} MB", file=sys.stderr, flush=True)
            fetch_from_pool(request["files"], pathlib.Path(request["out"]), request["suite"])
        elif command == "fetch-by-name":
            fetch_by_name(request["files"], pathlib.Path(request["out"]), request["suite"])
        else:
            for deb in request["debs"]:
                unpack(deb, ".", request["keep"], request["drop"], request["root"])
            remove_bad_links(".")
            fix_folder_times(".")
    except DebianError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
