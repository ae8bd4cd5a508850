"""A repository rule that unpacks pinned wheels of the Python package index.

A file is looked for in Bazel's repository cache, then in --distdir, then pip is asked: the pinned
one, in the pinned interpreter, with the index that the machine's own configuration names. No host
name stands anywhere.
"""

def _download(rctx, pin, url, allow_fail = False):
    """Into _pool/, under its own name (which --distdir goes by), checked against its sha256."""
    return rctx.download(
        url = url,
        output = "_pool/" + pin["file"],
        sha256 = pin["sha256"],
        allow_fail = allow_fail,
    ).success

def _pypi(rctx, command, request, quiet = True):
    python = rctx.path(Label("@python//:usr/bin/python3.11"))
    root = python.dirname.dirname.dirname
    rctx.file("_request.json", json.encode(dict(
        request,
        pip = str(root.get_child("usr").get_child("share").get_child("python-wheels").get_child("pip-23.0.1-py3-none-any.whl")),
    )))
    libraries = ["%s/%s/x86_64-linux-gnu" % (root, folder) for folder in ["usr/lib", "lib"]]
    result = rctx.execute(
        [python, "-S", "-B", rctx.path(rctx.attr._pypi), command, "_request.json"],
        environment = {"LD_LIBRARY_PATH": ":".join(libraries), "PYTHONPATH": ""},
        quiet = quiet,
        timeout = 1800,
    )
    if result.return_code != 0:
        fail("@%s: %s" % (rctx.name, result.stderr.strip()))

def _wheel_repository_impl(rctx):
    pins = [json.decode(pin) for pin in rctx.attr.pins]

    # Without an address Bazel looks into its cache alone, and says nothing.
    missing = [p for p in pins if not _download(rctx, p, [], allow_fail = True)]
    if missing:
        rctx.report_progress("fetching %d pinned wheels" % len(missing))
        request = {"out": str(rctx.path("_fetched")), "pins": missing, "repository": rctx.name}
        _pypi(rctx, "fetch", dict(request, required = False), quiet = False)
        absent = []
        for pin in missing:
            # A `+` would be read as a space.
            url = "file://" + str(rctx.path("_fetched/" + pin["file"])).replace("+", "%2B")
            if rctx.path("_fetched/" + pin["file"]).exists:
                _download(rctx, pin, url)  # enters the file in the repository cache
            elif not _download(rctx, pin, url, allow_fail = True):  # --distdir
                absent.append(pin)
        if absent:
            _pypi(rctx, "fetch", dict(request, pins = absent, required = True))
            for pin in absent:
                _download(rctx, pin, "file://" + str(rctx.path("_fetched/" + pin["file"])).replace("+", "%2B"))
        rctx.delete("_fetched")
    rctx.report_progress("unpacking")
    _pypi(rctx, "unpack", {
        "drop": rctx.attr.drop,
        "keep": rctx.attr.keep,
        "out": "site",
        "wheels": ["_pool/" + p["file"] for p in pins],
    })
    rctx.delete("_pool")
    rctx.delete("_request.json")

    # Folders used as inputs are tracked by time stamps: a changed pin needs a changed file beside.
    rctx.file("STAMP", "".join([p["sha256"] + "\n" for p in pins]))
    rctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % rctx.name)
    if rctx.attr.build_file:
        rctx.symlink(rctx.attr.build_file, "BUILD.bazel")
    else:
        rctx.file("BUILD.bazel", """\
# For python_test: a folder of importable packages.
filegroup(
    name = "files",
    srcs = [
        "STAMP",
        "site",
    ],
    visibility = ["//visibility:public"],
)
""")

wheel_repository = repository_rule(
    implementation = _wheel_repository_impl,
    attrs = {
        "build_file": attr.label(allow_single_file = True),
        "drop": attr.string_list(doc = "patterns of paths not to unpack"),
        "keep": attr.string_list(doc = "patterns of paths to unpack; empty: all"),
        "pins": attr.string_list(mandatory = True, doc = "the pins, each as JSON"),
        "_pypi": attr.label(default = "//third_party/pypi:pypi.py", allow_single_file = True),
    },
    doc = "Wheels, unpacked over each other into the folder `site`.",
)
