"""The documentation as a folder of HTML pages."""

def _documentation_site_impl(ctx):
    site = ctx.actions.declare_directory(ctx.label.name)
    python = ctx.file._python
    root = python.path[:-len("/usr/bin/python3.11")]
    main = [file for file in ctx.files._files if file.basename == "make_site.py"][0]
    wheels = ["%s/site" % target.label.workspace_root for target in ctx.attr._wheels]
    arguments = ctx.actions.args()
    arguments.add_all(["-s", "-S", "-B", main, site.path])
    arguments.add_joined("--import", [ctx.file.package.path] + wheels, join_with = ":")
    arguments.add_all(ctx.files.pages)
    ctx.actions.run(
        executable = python,
        arguments = [arguments],
        env = {
            "LD_LIBRARY_PATH": "{r}/usr/lib/x86_64-linux-gnu:{r}/lib/x86_64-linux-gnu".format(r = root),
            # Sets are written in their order.
            "PYTHONHASHSEED": "0",
        },
        inputs = depset(
            ctx.files.pages + ctx.files._files + ctx.files._wheels + [ctx.file.package],
            transitive = [ctx.attr._runtime[DefaultInfo].files],
        ),
        mnemonic = "Site",
        outputs = [site],
        progress_message = "Making the site of the documentation",
    )
    return [DefaultInfo(files = depset([site]))]

documentation_site = rule(
    implementation = _documentation_site_impl,
    attrs = {
        "package": attr.label(allow_single_file = True, doc = "the Python package, as a folder to import from"),
        "pages": attr.label_list(allow_files = [".md", ".svg"], doc = "README.md, which becomes the front page, and pages and pictures under docs/"),
        "_files": attr.label(default = "//tools/site:files"),
        "_python": attr.label(default = "@python//:usr/bin/python3.11", allow_single_file = True),
        "_runtime": attr.label(default = "@python//:runtime"),
        "_wheels": attr.label_list(default = ["@pypi_sphinx//:files", "@pypi_numpy//:files"]),
    },
    doc = "A static site: pages, and a reference of the Python package. A broken link is an error.",
)
