"""Repository rules that unpack pinned Debian packages.

A file is looked for in Bazel's repository cache, then at the mirror that the machine's own
package client knows, then in --distdir. The mirror comes first of the two because Bazel
warns once per file about an address that it cannot reach, and looks into --distdir only
when given one; offline the mirror is given up at once. debian.py talks to the package
client and explains failures. The pin of each file is an attribute, so a changed pin
refetches its own repositories only.
"""

_PYTHON_FLAGS = ["-I", "-S", "-B"]

def _debian(rctx, command, request, quiet = True):
    """Runs debian.py with a request file."""
    python = rctx.which("python3")
    if not python:
        fail("python3 is not on PATH; tools/setup installs what the build needs")
    rctx.file("_request.json", json.encode(request))
    args = [python] + _PYTHON_FLAGS + [rctx.path(rctx.attr._debian), command, "_request.json"]
    result = rctx.execute(args, quiet = quiet, timeout = 1800)
    if result.return_code != 0:
        fail("@%s: %s" % (rctx.name, result.stderr.strip()))

def _basename(path):
    return path.rpartition("/")[2]

def _download(rctx, file, url, allow_fail = False):
    """Into _pool/, under its own name (which --distdir goes by), checked against its sha256."""
    return rctx.download(
        url = url,
        output = "_pool/" + _basename(file["path"]),
        sha256 = file["sha256"],
        allow_fail = allow_fail,
    ).success

def _obtain(rctx, files):
    """Puts every file into _pool/."""

    # Without an address Bazel looks into its cache alone, and says nothing.
    missing = [f for f in files if not _download(rctx, f, [], allow_fail = True)]
    if not missing:
        return
    request = {
        "files": missing,
        "out": str(rctx.path("_fetched")),
        "repository": rctx.name,
        "suite": rctx.attr.suite,
    }
    rctx.report_progress("fetching %d pinned packages" % len(missing))
    _debian(rctx, "fetch", request, quiet = False)
    absent = []
    for file in missing:
        path = rctx.path("_fetched/" + file["sha256"])
        if path.exists:
            # Enters the file in the repository cache.
            _download(rctx, file, "file://%s" % path)
        elif not _download(rctx, file, "file://%s" % path, allow_fail = True):
            absent.append(file)
    if absent:
        # By name, from a mirror of another layout; or the reason why not.
        _debian(rctx, "fetch-by-name", dict(request, files = absent))
        for file in absent:
            _download(rctx, file, "file://%s" % rctx.path("_fetched/" + file["sha256"]))
    rctx.delete("_fetched")

def _finish(rctx, files):
    rctx.delete("_pool")
    rctx.delete("_request.json")

    # Folders used as inputs are tracked by time stamps that the package restored: a changed
    # pin needs a file of changed content beside them.
    rctx.file("STAMP", "".join([f["sha256"] + "\n" for f in files]))
    if not rctx.path("WORKSPACE").exists:
        rctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % rctx.name)
    if rctx.attr.build_file:
        rctx.delete("BUILD")
        rctx.delete("BUILD.bazel")
        rctx.symlink(rctx.attr.build_file, "BUILD.bazel")

_COMMON_ATTRS = {
    "build_file": attr.label(allow_single_file = True),
    "suite": attr.string(mandatory = True),
    "_debian": attr.label(default = "//third_party/debian:debian.py", allow_single_file = True),
}

def _deb_repository_impl(rctx):
    files = [dict(json.decode(pin), package = name) for name, pin in rctx.attr.packages.items()]
    _obtain(rctx, files)
    rctx.report_progress("unpacking")
    _debian(rctx, "unpack", {
        "debs": ["_pool/" + _basename(f["path"]) for f in files],
        "keep": rctx.attr.keep,
        "drop": rctx.attr.drop + ["usr/share/doc/*", "usr/share/man/*", "usr/share/lintian/*"],
        "root": rctx.attr.root,
    })
    _finish(rctx, files)

deb_repository = repository_rule(
    implementation = _deb_repository_impl,
    attrs = dict(
        _COMMON_ATTRS,
        packages = attr.string_dict(mandatory = True, doc = "package name -> its pin, as JSON"),
        keep = attr.string_list(doc = "patterns of paths to unpack; empty: all"),
        drop = attr.string_list(doc = "patterns of paths not to unpack"),
        root = attr.string(doc = "folder of the package that becomes the repository's root"),
    ),
    doc = "Binary packages, unpacked over each other.",
)

def _patch(rctx, text):
    """Applies a patch of several files. Bazel's own patcher wants git's line before each."""
    lines = text.split("\n")
    result = []
    for i, line in enumerate(lines):
        if line.startswith("--- ") and i + 1 < len(lines) and lines[i + 1].startswith("+++ "):
            result.append("diff --git %s %s" % (line.split(" ")[1], lines[i + 1].split(" ")[1]))
        result.append(line)
    rctx.file("_patch", "\n".join(result))
    rctx.patch("_patch", strip = 1)
    rctx.delete("_patch")

_HEADER_GROUP = """
filegroup(
    name = "headers",
    srcs = glob(["**/*.h", "**/*.inc"]),
    visibility = ["//visibility:public"],
)
"""

def _deb_source_impl(rctx):
    pin = json.decode(rctx.attr.pin)
    files = [dict(f, package = rctx.attr.package, version = pin["version"]) for f in pin["files"]]
    _obtain(rctx, files)
    names = ["_pool/" + _basename(f["path"]) for f in files]
    upstream = [n for n in names if ".orig.tar." in n]
    packaging = [n for n in names if ".debian.tar." in n]
    rctx.extract(upstream[0], stripPrefix = rctx.attr.strip_prefix)
    rctx.extract(packaging[0], output = "_packaging")

    # Debian's own patches, security fixes among them.
    series = rctx.path("_packaging/debian/patches/series")
    if series.exists:
        for line in rctx.read(series).split("\n"):
            name = line.partition("#")[0].strip().partition(" ")[0]
            if name and name not in rctx.attr.patches_left_out:
                _patch(rctx, rctx.read("_packaging/debian/patches/" + name))
    rctx.delete("_packaging")
    for patch in rctx.attr.patches:
        _patch(rctx, rctx.read(patch))
    for package in rctx.attr.header_groups:
        build_file = package + "/BUILD.bazel"
        rctx.file(build_file, rctx.read(build_file) + _HEADER_GROUP, executable = False)
    _finish(rctx, files)

deb_source = repository_rule(
    implementation = _deb_source_impl,
    attrs = dict(
        _COMMON_ATTRS,
        header_groups = attr.string_list(doc = "packages that get a target `headers`: all headers below them, as files"),
        package = attr.string(mandatory = True),
        patches = attr.label_list(doc = "our own patches, applied last"),
        patches_left_out = attr.string_list(doc = "Debian patches that only concern Debian's build"),
        pin = attr.string(mandatory = True, doc = "the pin, as JSON"),
        strip_prefix = attr.string(),
    ),
    doc = "A source package: the upstream tarball with Debian's patches.",
)
