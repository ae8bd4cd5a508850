"""The licences of Debian packages, which deb.bzl leaves out with all other documents.

A rule of its own: a change of deb.bzl fetches every package again.
"""

def _run(rctx, command, request):
    rctx.file("_request.json", json.encode(request))
    script = rctx.path(Label("//third_party/debian:debian.py"))
    result = rctx.execute([rctx.which("python3"), "-I", "-S", "-B", script, command, "_request.json"], timeout = 1800)
    if result.return_code != 0:
        fail("@%s: %s" % (rctx.name, result.stderr.strip()))

def _licences_impl(rctx):
    files = [json.decode(pin) for pin in rctx.attr.packages.values()]
    names = ["_pool/" + file["path"].rpartition("/")[2] for file in files]

    for file, name in zip(files, names):
        # From Bazel's cache, where a build of what the licences are about has left it, else from the mirror.
        if not rctx.download(url = [], output = name, sha256 = file["sha256"], allow_fail = True).success:
            _run(rctx, "fetch", {"files": [file], "out": "_fetched", "repository": rctx.name, "suite": rctx.attr.suite})
            rctx.download(url = "file://%s" % rctx.path("_fetched/" + file["sha256"]), output = name, sha256 = file["sha256"])
    _run(rctx, "unpack", {"debs": names, "drop": [], "keep": ["usr/share/doc/*/copyright"], "root": ""})
    for rest in ["_pool", "_fetched", "_request.json"]:
        rctx.delete(rest)
    rctx.symlink(rctx.attr.build_file, "BUILD.bazel")

licence_repository = repository_rule(
    implementation = _licences_impl,
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "packages": attr.string_dict(mandatory = True, doc = "package name -> its pin, as JSON"),
        "suite": attr.string(mandatory = True),
    },
    doc = "usr/share/doc/PACKAGE/copyright of each package.",
)
