"""Writes a wheel. The same files always give the same bytes.

usage: make_wheel.py OUT.whl --version V --readme FILE [--extras KEY=REQUIREMENT...]
       [--entry-points GROUP:NAME=OBJECT...] --files DEST=SOURCE...

Needs only the standard library. The tags come from OUT's name.
"""

import argparse
import base64
import hashlib
import pathlib
import zipfile

EPOCH = (2020, 1, 1, 0, 0, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--version", required=True)
    parser.add_argument("--readme", required=True)
    parser.add_argument("--extras", nargs="*", default=[])
    parser.add_argument("--entry-points", nargs="*", default=[])
    parser.add_argument("--files", nargs="+", required=True)
    args = parser.parse_args()

    out = pathlib.Path(args.out)
    name, version, python, abi, platform = out.name[:-len(".whl")].split("-")
    if version != args.version:
        raise SystemExit(f"{out.name} is not of version {args.version}")
    info = f"{name}-{version}.dist-info"
    metadata = [
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        "Summary: A tensor compiler: what to compute, how, compiled and run",
        "Requires-Python: >=3.10",
        "Description-Content-Type: text/markdown",
    ]
    destinations = sorted(pair.partition("=")[0] for pair in args.files)
    metadata += [f"License-File: {path.rpartition('/')[2]}" for path in destinations if path.startswith(f"{info}/licenses/")]
    extras = [extra.partition("=") for extra in args.extras]  # "numpy=numpy>=1.23"
    metadata += [f"Provides-Extra: {key}" for key in dict.fromkeys(key for key, _, _ in extras)]
    metadata += [f'Requires-Dist: {requirement}; extra == "{key}"' for key, _, requirement in extras]
    contents = {
        f"{info}/METADATA":
            ("\n".join(metadata) + "\n\n" + pathlib.Path(args.readme).read_text()).encode(),
        f"{info}/WHEEL": ("Wheel-Version: 1.0\nGenerator: lathe\nRoot-Is-Purelib: false\n"
                          f"Tag: {python}-{abi}-{platform}\n").encode(),
    }
    if args.entry_points:
        contents[f"{info}/entry_points.txt"] = entry_points(args.entry_points).encode()
    for pair in args.files:
        destination, _, source = pair.partition("=")
        contents[destination] = pathlib.Path(source).read_bytes()

    record = []
    for path, data in sorted(contents.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(data)}")
    record.append(f"{info}/RECORD,,")
    contents[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()

    # Metadata goes last, as the wheel specification recommends.
    order = sorted(contents, key=lambda path: (path.startswith(info), path))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path in order:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            # Executable: libraries, the command line and its script, the programs beside the plugins.
            runs = path.endswith(".so") or path.startswith(("lathe/plugins/", "lathe/bin/")) or ".data/scripts/" in path
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            wheel.writestr(entry, contents[path])


def entry_points(given):
    """The text of entry_points.txt: where other packages find functions of this one."""
    groups = {}
    for one in given:
        group, _, rest = one.partition(":")
        groups.setdefault(group, []).append(rest.replace("=", " = ", 1))
    return "\n".join(f"[{group}]\n" + "".join(f"{line}\n" for line in sorted(lines))
                     for group, lines in sorted(groups.items()))


if __name__ == "__main__":
    main()
