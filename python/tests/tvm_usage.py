"""How many of the names that programs for TVM 0.9 write exist in lathe.

usage: tvm_usage.py FOLDER [--missing N] [--modules]    FOLDER has names.tsv and usage.tsv

Prints the shares of usage.tsv's occurrences and names, and of names.tsv's names, that resolve when
`tvm.` is read as `lathe.`; --missing lists the most used names that do not, --modules the shares of
each module.
"""

import argparse
import collections
import importlib
import pathlib
import re

import lathe

# TVMScript and its schedules, MetaSchedule, and microTVM with the boards' kernels that only it serves: no part of Lathe.
LEFT_OUT = re.compile(
    r"tvm\.(script|meta_schedule|micro|tir\.(Schedule|schedule|ScheduleError|stmt\.Block\w*|Block\w*)"
    r"|testing\.requires_(micro|cmsisnn|corstone300)|relay\.op\.contrib\.cmsisnn|target\.target\.micro)(\.|$)")


def read(path):
    """The rows of a table, without its head."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def resolve(name):
    """The object that `tvm.a.b` is in lathe; None if there is none.

    `a` may be a function and a module, as in TVM: `topi.nn.conv2d`, and `from topi.nn.conv2d import conv2d_nchw`.
    """
    item, path = lathe, "lathe"
    for part in name.split(".")[1:]:
        outer, path = path, path + "." + part
        found = getattr(item, part, None)
        if found is None:
            found = _module(path) if hasattr(item, "__path__") else getattr(_module(outer), part, None)
        if found is None:
            return None
        item = found
    return item


def _module(path):
    try:
        return importlib.import_module(path)
    except ImportError:
        return None


def module_of(name):
    """The first two parts of a name: "te", "relay.nn"."""
    parts = name.split(".")[1:-1]
    return ".".join(parts[:2]) or "tvm"


class Shares:
    """Counts names and occurrences, and those that resolve."""

    def __init__(self):
        self.names = self.found = self.uses = self.found_uses = 0
        self.missing = []

    def add(self, name, uses, there):
        self.names += 1
        self.uses += uses
        if there:
            self.found += 1
            self.found_uses += uses
        else:
            self.missing.append((uses, name))

    def __str__(self):
        return (f"{self.found_uses / max(self.uses, 1):6.1%} of {self.uses} occurrences, "
                f"{self.found / max(self.names, 1):6.1%} of {self.names} names")


def measured(rows, group=lambda name: ""):
    """{group: Shares} of (name, occurrences) rows, without the names that are left out."""
    shares = collections.defaultdict(Shares)
    for name, uses in rows:
        if not LEFT_OUT.match(name):
            shares[group(name)].add(name, uses, resolve(name) is not None)
    return shares


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--missing", type=int, default=0)
    parser.add_argument("--modules", action="store_true")
    args = parser.parse_args()
    usage = [(name, int(uses)) for name, uses, _ in read(args.folder / "usage.tsv")]
    names = [(row[0], 1) for row in read(args.folder / "names.tsv")]
    print("usage.tsv:", measured(usage)[""])
    print("usage.tsv without relay:", measured([r for r in usage if not r[0].startswith("tvm.relay")])[""])
    public = measured(names)[""]
    print(f"names.tsv: {public.found / public.names:6.1%} of {public.names} names")
    if args.modules:
        for module, shares in sorted(measured(usage, module_of).items(), key=lambda item: -item[1].uses):
            print(f"  {module:30} {shares}")
    for uses, name in sorted(measured(usage)[""].missing, reverse=True)[:args.missing]:
        print(f"{uses:6} {name}")


if __name__ == "__main__":
    main()
