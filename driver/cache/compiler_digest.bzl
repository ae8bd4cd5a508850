"""A digest of all sources that a library is made of: caches of what it computes go by it."""

_Sources = provider("Sources of a target and of all it depends on.", fields = ["files"])

def _sources_impl(target, ctx):
    direct = []
    if not target.label.workspace_name:
        for attribute in ["srcs", "hdrs", "textual_hdrs"]:
            direct += getattr(ctx.rule.files, attribute, [])
    below = [
        dep[_Sources].files
        for dep in getattr(ctx.rule.attr, "deps", [])
        if _Sources in dep
    ]
    return [_Sources(files = depset(direct, transitive = below))]

_sources = aspect(implementation = _sources_impl, attr_aspects = ["deps"])

def _compiler_digest_impl(ctx):
    files = depset(transitive = [lib[_Sources].files for lib in ctx.attr.libraries])
    out = ctx.actions.declare_file(ctx.label.name + ".h")
    arguments = ctx.actions.args()
    arguments.add(out)
    arguments.add(ctx.attr.constant)
    arguments.add_all(files)
    arguments.use_param_file("@%s", use_always = True)
    arguments.set_param_file_format("multiline")
    ctx.actions.run(
        executable = ctx.executable._tool,
        arguments = [arguments],
        inputs = files,
        outputs = [out],
        mnemonic = "CompilerDigest",
        progress_message = "Digesting the sources of %s" % ctx.label,
    )
    return [DefaultInfo(files = depset([out]))]

compiler_digest = rule(
    implementation = _compiler_digest_impl,
    doc = "Writes NAME.h: `lathe::CONSTANT`, of the sources of `libraries` and of all below them in this repository.",
    attrs = {
        "constant": attr.string(mandatory = True),
        "libraries": attr.label_list(aspects = [_sources]),
        "_tool": attr.label(
            default = "//driver/cache:digest_sources",
            executable = True,
            cfg = "exec",
        ),
    },
)
