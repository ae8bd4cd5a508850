"""The texts of all licences of what a release and the wheel contain."""

# {label: name}. docs/licences.md says what is where.
LICENCES = {
    "//:LICENSE": "LICENSE",
    "//docs:licences.md": "README.md",
    "@com_google_absl//:LICENSE": "abseil-LICENSE",
    "@libjpeg_turbo//:LICENSE.md": "libjpeg-turbo-LICENSE",
    "@libpng//:LICENSE": "libpng-LICENSE",
    "@mbedtls//:LICENSE": "mbedtls-LICENSE",
    "@licences//:llvm": "llvm-LICENSE",
    "@licences//:zlib": "zlib-LICENSE",
    "@licences//:zstd": "zstd-LICENSE",
    "@licences//:ncurses": "ncurses-LICENSE",
    "@licences//:opencl_headers": "opencl-headers-LICENSE",
    "@licences//:gcc": "gcc-LICENSE",
    "@licences//:glibc": "glibc-LICENSE",
}

def with_licences(files, folder):
    """`files`, a dict of {label: place}, and the licences in a folder."""
    return dict(files.items() + [(label, folder + name) for label, name in LICENCES.items()])
