"""Makes a jar with the same bytes wherever it is made: entries sorted, one date, nothing compressed
(compressors differ).

usage: make_jar.py OUT [--classes FOLDER] [--merge JAR] [--file PATH NAME] [--manifest KEY VALUE] ...
"""

import argparse
import pathlib
import sys
import zipfile

DATE = (1980, 1, 1, 0, 0, 0)
MANIFEST = "META-INF/MANIFEST.MF"


def entries_of(arguments):
    """{name in the jar: bytes}. A name that comes twice is an error."""
    entries = {}

    def add(name, data, place):
        if name in entries:
            sys.exit(f"make_jar.py: {name} comes twice, the second time from {place}")
        entries[name] = data

    for folder in arguments.classes:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.is_file():
                add(path.relative_to(folder).as_posix(), path.read_bytes(), folder)
    for jar in arguments.merge:
        with zipfile.ZipFile(jar) as other:
            for name in other.namelist():
                if name != MANIFEST:
                    add(name, other.read(name), jar)
    for path, name in arguments.file:
        add(name, pathlib.Path(path).read_bytes(), path)
    return entries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--classes", action="append", default=[])
    parser.add_argument("--merge", action="append", default=[])
    parser.add_argument("--file", action="append", nargs=2, default=[])
    parser.add_argument("--manifest", action="append", nargs=2, default=[])
    arguments = parser.parse_args()
    entries = entries_of(arguments)
    lines = [("Manifest-Version", "1.0"), *arguments.manifest]
    text = "".join(f"{key}: {value}\r\n" for key, value in lines) + "\r\n"
    with zipfile.ZipFile(arguments.out, "w", zipfile.ZIP_STORED) as jar:
        for name, data in [(MANIFEST, text.encode()), *sorted(entries.items())]:
            info = zipfile.ZipInfo(name, DATE)
            info.create_system = 3
            info.external_attr = 0o644 << 16
            jar.writestr(info, data)


if __name__ == "__main__":
    main()
