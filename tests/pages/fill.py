#!/usr/bin/env python3
"""Fills a C++ source with the examples of pages: usage: fill.py SOURCE ROOT

A line `@PAGE N@` of the source becomes the N-th block of C++ of ROOT/PAGE, without `#pragma once`. Writes
the result to standard output, with lines numbered as in the page.
"""

import pathlib
import re
import sys

FENCE = re.compile(r"^(?P<indent> *)```cpp\n(?P<code>.*?)^ *```$", re.M | re.S)


def main():
    source, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for number, line in enumerate(source.read_text().splitlines(), 1):
        match = re.fullmatch(r" *@(\S+) (\d+)@", line)
        if not match:
            print(line)
            continue
        text = (root / match[1]).read_text()
        found = list(FENCE.finditer(text))
        if len(found) < int(match[2]):
            sys.exit(f"{source}: {match[1]} has {len(found)} blocks of C++, and number {match[2]} is named")
        block = found[int(match[2]) - 1]
        code = re.sub(f"^{block['indent']}", "", block["code"], flags=re.M).replace("#pragma once", "")
        print(f'#line {text[:block.start()].count(chr(10)) + 2} "{match[1]}"\n{code}#line {number + 1} "{source}"')


if __name__ == "__main__":
    main()
