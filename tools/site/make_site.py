"""Makes the site of all pages under docs/ and of the Python package's docstrings, by Sphinx.

usage: make_site.py OUT --import FOLDER:... PAGE...

OUT is a folder that will have the site; the package `lathe` and Sphinx are imported from the FOLDERs; PAGE is
README.md, which becomes the front page, or a page or picture under docs/. Sphinx's warnings are errors: a broken
link is named with its page and line. Then every link of the HTML is followed.
"""

import io
import os
import pathlib
import re
import shutil
import sys
import tempfile

import sections

HERE = pathlib.Path(__file__).resolve().parent
PROCESSES = 2  # as an action of Bazel may take


def toctree(caption, pages):
    return "\n".join(["", "```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []),
                      "", *(f"/{page}" for page in pages), "```", ""])


def stage(folder, pages):
    """Puts the pages as Sphinx wants them into a folder. Links keep their meaning: the places are the same."""
    for picture in [page for page in pages if page.endswith(".svg")]:
        (folder / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, folder / picture)
    pages = [page for page in pages if page.endswith(".md")]
    names = {page: "index" if page == "README.md" else page.removesuffix(".md") for page in pages}
    front, lists = sections.of(frozenset([*names.values(), "reference/index"]))
    added = {page: toctree("", pages) for page, pages in lists.items()}
    added["index"] = "".join(toctree(caption, pages) for caption, pages in front)
    for page, name in names.items():
        target = folder / f"{name}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(pathlib.Path(page).read_text() + added.get(name, ""))
    shutil.copytree(HERE / "_static", folder / "_static")


def build(source, out, scratch):
    """Runs Sphinx. Returns its warnings, each with the page or the docstring it is about."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = io.StringIO()
    # What Sphinx adds to docutils ends with it.
    with patch_docutils(HERE), docutils_namespace():
        Sphinx(source, HERE, out, scratch, "html", status=None, warning=warnings, parallel=PROCESSES).build()
    lines = warnings.getvalue()
    # Places as people know them: not those of the copies.
    for folder in (f"{source}/", *(f"{folder}/" for folder in sys.path if folder)):
        lines = lines.replace(folder, "")
    return re.sub(r"\x1b\[[\d;]*m", "", lines)


def main():
    out, pages = pathlib.Path(sys.argv[1]), sys.argv[4:]
    # Sphinx changes its folder.
    sys.path[:0] = [str(HERE), *(os.path.abspath(folder) for folder in sys.argv[3].split(":"))]
    import check_site
    import lathe
    import reference

    with tempfile.TemporaryDirectory(prefix="lathe-site-") as scratch:
        source = pathlib.Path(scratch) / "source"
        source.mkdir()
        stage(source, pages)
        reference.write(source / "reference", lathe)
        warnings = build(source, out, pathlib.Path(scratch) / "doctrees")
    if warnings:
        sys.exit(f"{warnings}make_site.py: the site has mistakes, above: Sphinx's warnings are errors here")
    (out / ".buildinfo").unlink(missing_ok=True)
    return check_site.main([str(out)])


if __name__ == "__main__":
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    sys.exit(main())
