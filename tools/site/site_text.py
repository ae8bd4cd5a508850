"""What Sphinx is told beside its configuration: how this project's pages and docstrings are read."""

import re

from docutils import nodes
from sphinx.util import logging

import sections

LOG = logging.getLogger(__name__)


def link_pages(app, document, name):
    """`docs/layout.md` as code, in a page or a docstring, is a link to that page."""
    for code in list(document.findall(nodes.literal)):
        match = re.fullmatch(r"docs/([\w./-]+)\.md", code.astext())
        if not match or isinstance(code.parent, nodes.reference):
            continue
        page = f"docs/{match.group(1)}"
        if page not in app.env.found_docs:
            LOG.warning("there is no page `%s`", code.astext(), location=code)
            continue
        link = nodes.reference(refuri=app.builder.get_relative_uri(name, page), internal=True)
        code.replace_self(link)
        link += code


# In a docstring: an example (kept as it is), code, or a character that reStructuredText would read as markup.
PARTS = re.compile(r"(?P<example>^[ ]*>>> .*?(?:\n[ ]*(?=\n)|\Z))|(?P<code>(`+)(?P<text>.+?)\3)(?P<joined>\w?)"
                   r"|(?P<mark>[*|\\]|(?<=\w)_(?!\w))", re.M | re.S)


def plain(text):
    """A docstring in plain text, with code in backticks, as reStructuredText."""
    def changed(match):
        if match["example"] is not None:
            return match[0]
        if match["code"] is not None:
            code = " ".join(match["text"].split())
            return f"``{code}``" + (f"\\ {match['joined']}" if match["joined"] else "")
        return "\\" + match["mark"]

    return PARTS.sub(changed, text)


def read_docstring(app, what, name, item, options, lines):
    lines[:] = plain("\n".join(lines)).split("\n")


def table_of_contents(app, page, template, context, document):
    """Gives sections.html its data: [(caption, [(page, title)])]. Sphinx's own tree takes a third of a second for each page."""
    titles = app.env.titles
    front, _ = sections.of(frozenset(titles))
    context["sections"] = [(caption, [(name, titles[name].astext()) for name in pages]) for caption, pages in front]


def setup(app):
    app.connect("html-page-context", table_of_contents)
    app.connect("doctree-resolved", link_pages)
    # Before napoleon (500), which makes fields of the sections.
    app.connect("autodoc-process-docstring", read_docstring, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
