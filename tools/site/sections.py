"""The table of contents of the site."""

import fnmatch
import functools

# A page stands where it is named first. The last row takes all that is left.
SECTIONS = [
    ("Guides", ["docs/guides/*", "docs/release"]),
    ("Schedules", ["docs/primitives/README"]),
    ("Python", ["reference/index"]),
    ("From TVM", ["docs/migrating", "docs/migrating/README"]),
    ("Models of others", ["docs/onnx", "docs/pytorch", "docs/tensorflow", "docs/tflite"]),
    ("Working on Lathe", ["docs/layout", "docs/adding_*", "docs/dependencies"]),
    ("Design", ["docs/design/*"]),
    ("What holds", ["docs/*"]),
]
# Pages that list the others of their folder.
LISTS = ["docs/primitives/README", "docs/migrating/README"]


@functools.lru_cache
def of(names):
    """Of a frozen set of pages: returns [(caption, pages)] of the front page, and {page that is a list: its pages}."""
    lists = {one: sorted(name for name in names if name != one and name.startswith(one.removesuffix("README")))
             for one in LISTS}
    placed = {name for pages in lists.values() for name in pages}
    front = []
    for caption, patterns in SECTIONS:
        pages = []
        for pattern in patterns:
            found = sorted(name for name in names if fnmatch.fnmatchcase(name, pattern)
                           and name.count("/") == pattern.count("/") and name not in placed)
            placed.update(found)
            pages += found
        front.append((caption, pages))
    return front, lists
