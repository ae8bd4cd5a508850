"""The site's parts: what they refuse, and what they make of docstrings and pages."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_site  # noqa: E402
import make_site  # noqa: E402
import reference  # noqa: E402
import site_text  # noqa: E402


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A function that makes a site of pages {path: text}, and returns Sphinx's warnings."""
    def made(pages):
        monkeypatch.chdir(tmp_path)
        for page, text in pages.items():
            pathlib.Path(page).parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(page).write_text(text)
        source = tmp_path / "source"
        source.mkdir()
        make_site.stage(source, sorted(pages))
        (source / "reference").mkdir()
        (source / "reference" / "index.rst").write_text("Reference\n=========\n")
        return make_site.build(source, tmp_path / "out", tmp_path / "scratch")
    return made


# Every list of pages must be there.
FIRST = {"README.md": "# Lathe\n\nSee `docs/one.md`.\n", "docs/primitives/README.md": "# Primitives\n",
         "docs/migrating/README.md": "# Names\n", "docs/one.md": "# One page\n\n## A heading\n"}


def test_a_site(build, tmp_path):
    assert build({**FIRST, "docs/two.md": "# Two\n\n[one](one.md#a-heading)\n"}) == ""
    front = (tmp_path / "out" / "index.html").read_text()
    assert 'href="docs/one.html"><code' in front  # the path in backticks
    assert '<a href="docs/two.html">Two</a>' in front  # the table of contents
    assert "Search.setIndex" in (tmp_path / "out" / "searchindex.js").read_text()
    assert check_site.broken_links(tmp_path / "out") == []
    (tmp_path / "out" / "docs" / "one.html").write_text("<p>no heading</p>")
    (problem,) = check_site.broken_links(tmp_path / "out")
    assert problem.startswith("docs/two.html:") and "one.html#a-heading leads nowhere" in problem


@pytest.mark.parametrize("text, target", [
    ("[x](no_such.md)", "no_such.md"), ("[x](one.md#no-such)", "no-such"), ("`docs/no_such.md`", "docs/no_such.md"),
])
def test_broken_links_name_page_line_and_target(build, text, target):
    warnings = build({**FIRST, "docs/two.md": f"# Two\n\n{text}\n"})
    assert warnings.startswith("docs/two.md:3: WARNING") and target in warnings


def test_docstrings_are_plain_text():
    assert site_text.plain("`a_` of |x| and *args: `b`s") == "``a_`` of \\|x\\| and \\*args: ``b``\\ s"
    example = "    >>> f(*a)\n    |1|\n"
    assert site_text.plain(example) == example


def test_stubs_say_what_is_public(tmp_path):
    stub = tmp_path / "a.pyi"
    stub.write_text("import os\nfrom b import c as c\nfrom b import d\nx: int\n_y: int\ndef f() -> None: ...\nclass G: ...\n")
    assert reference.names_of(stub) == ["G", "c", "f", "x"]


def test_a_name_is_described_under_its_own_name_where_it_belongs():
    class Graph:
        __module__ = "lathe.contrib.executor"

    places = [("lathe.a", "Graph"), ("lathe.contrib.executor", "Alias"), ("lathe.contrib.executor", "Graph"),
              ("lathe.contrib", "Graph")]
    ordered = sorted(places, key=lambda place: reference._rank(*place, Graph))
    assert ordered == [places[3], places[2], places[0], places[1]]


if __name__ == "__main__":
    arguments = ["-q", "-p", "no:cacheprovider", "-o", "addopts=", __file__]
    if os.environ.get("XML_OUTPUT_FILE"):
        arguments += ["--junitxml", os.environ["XML_OUTPUT_FILE"]]
    sys.exit(pytest.main(arguments))
