"""Archives for those who do not have this tree: the SDK, a release."""

_Sources = provider(fields = ["files"])

def _sources_aspect_impl(target, ctx):
    own = [
        file
        for name in ("srcs", "hdrs", "textual_hdrs")
        for file in getattr(ctx.rule.files, name, [])
        if file.is_source and not file.path.startswith("external/")
    ]
    return [_Sources(files = depset(
        own,
        transitive = [dep[_Sources].files for dep in getattr(ctx.rule.attr, "deps", []) if _Sources in dep],
    ))]

_sources_aspect = aspect(implementation = _sources_aspect_impl, attr_aspects = ["deps"])

_Headers = provider(fields = ["files"])

def _headers_aspect_impl(target, ctx):
    # Dependencies list headers that their headers include among `srcs`.
    places = ["hdrs", "textual_hdrs"] + (["srcs"] if target.label.workspace_root else [])
    own = [
        file
        for place in places
        for file in getattr(ctx.rule.files, place, [])
        if file.extension in ["def", "h", "inc"]
    ]
    return [_Headers(files = depset(
        own,
        transitive = [dep[_Headers].files for dep in getattr(ctx.rule.attr, "deps", []) if _Headers in dep],
    ))]

_headers_aspect = aspect(implementation = _headers_aspect_impl, attr_aspects = ["deps"])

def _included_as(file):
    """absl/status/status.h of ../com_google_absl/absl/status/status.h, lathe/abi/value.h of abi/value.h."""
    path = file.short_path
    if path.startswith("abi/"):
        return "lathe/" + path
    return path.split("/", 2)[2] if path.startswith("../") else path

def _archive_impl(ctx):
    sources = depset(transitive = [dep[_Sources].files for dep in ctx.attr.deps]).to_list()
    headers = depset(transitive = [dep[_Headers].files for dep in ctx.attr.headers]).to_list()
    lines = ["%s\t%s" % (file.path, _included_as(file)) for file in sources]
    lines += ["%s\tinclude/%s" % (file.path, _included_as(file)) for file in headers]
    for target, path in ctx.attr.files.items():
        lines += [
            "%s\t%s" % (file.path, path + file.basename if path.endswith("/") else path)
            for file in target.files.to_list()
        ]
    list = ctx.actions.declare_file(ctx.label.name + ".list")
    ctx.actions.write(list, "\n".join(lines) + "\n")
    ctx.actions.run_shell(
        inputs = sources + headers + ctx.files.files + [list],
        outputs = [ctx.outputs.archive],
        # Sorted, with the same time and owner whoever builds it.
        command = """
            set -eu
            folder=$(mktemp -d)
            while IFS="$(printf '\\t')" read -r from to; do
              mkdir -p "$folder/{prefix}/$(dirname "$to")"
              cp -L "$from" "$folder/{prefix}/$to"
              case "$to" in *.h | *.inc | *.def) program=no ;; *) program=yes ;; esac
              if test -x "$from" && test $program = yes; then mode=755; else mode=644; fi
              chmod $mode "$folder/{prefix}/$to"
            done < {list}
            tar -C "$folder" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - {prefix} | gzip -6n > {out}
            rm -rf "$folder"
        """.format(prefix = ctx.attr.prefix, list = list.path, out = ctx.outputs.archive.path),
        mnemonic = "Archive",
    )

archive = rule(
    implementation = _archive_impl,
    doc = "NAME.tar.gz: the sources of `deps` and of all that they depend on in this tree, and `files`.",
    attrs = {
        "deps": attr.label_list(aspects = [_sources_aspect], doc = "libraries"),
        "files": attr.label_keyed_string_dict(allow_files = True, doc = "further files: where each goes, or, with `/` at the end, into which folder"),
        "headers": attr.label_list(aspects = [_headers_aspect], doc = "libraries whose headers, with those of all that they depend on, go into include/"),
        "prefix": attr.string(mandatory = True, doc = "the folder that everything lies in"),
    },
    outputs = {"archive": "%{name}.tar.gz"},
)
