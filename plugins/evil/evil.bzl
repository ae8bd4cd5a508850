"""Plugins that misbehave, one way each."""

load("//plugins/sdk:plugin.bzl", "embed_manifest")

_MANIFEST = """{
  "lathe": 1, "name": "evil_%s", "version": "6.6.6", "abi": %s,
  "devices": [{"kind": "evil_%s"}], "modules": [{"kind": "evil_%s"}],
  "targets": [{"kind": "evil_%s", "stage": "flat", "ir": [1, 1], "outputs": ["module", "source"]}]
}"""

def evil_plugin(case, abi = "[1, 1]", kind = None, manifest = None, linkopts = []):
    """`evil_<case>.so`: evil.cc compiled for one case.

    Args:
      case: EVIL_<CASE> is defined.
      abi: range in the manifest.
      kind: suffix of the kinds that it lists; the case unless given.
      manifest: the whole manifest's text instead.
      linkopts: further linker flags.
    """
    kind = kind or case
    text = manifest or _MANIFEST % (case, abi, kind, kind, kind)
    native.genrule(
        name = case + "_json",
        testonly = True,
        outs = [case + ".json"],
        cmd = "cat > $@ <<'END_OF_MANIFEST'\n%s\nEND_OF_MANIFEST\n" % text.replace("$", "$$"),
    )
    embed_manifest(
        name = case + "_manifest",
        testonly = True,
        manifest = case + ".json",
    )
    native.cc_binary(
        name = "evil_%s.so" % case,
        testonly = True,
        srcs = [
            "evil.cc",
            ":%s_manifest" % case,
        ],
        copts = [
            "-fvisibility=hidden",
            "-DEVIL_" + case.upper(),
        ],
        linkopts = linkopts,
        linkshared = True,
        linkstatic = True,
        deps = [
            "//abi",
            "//plugins/sdk:manifest",
        ],
    )
