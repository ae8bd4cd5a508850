"""Sphinx's configuration of the site. make_site.py writes the sources and runs Sphinx."""

import site_text

project = "Lathe"
author = "the authors of Lathe"
root_doc = "index"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Pages. Every heading is an anchor, by the rule of Markdown's hosts: "Random graphs" is #random-graphs.
myst_heading_anchors = 6
# Headings may skip a level. Pygments knows Java's `module` only as a keyword.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
# The IR's text has no lexer; a fence without a language is shown as it is.
highlight_language = "text"
pygments_style = "friendly"

# Docstrings: plain text, with `code` in single backticks (site_text.py) and Google's sections.
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
# Defaults as they are written, not as their values print themselves.
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
# `params_style` makes no links of their names.
napoleon_custom_sections = [("Attributes", "params_style")]
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "alabaster"
html_title = "Lathe"
html_theme_options = {
    "description": "a tensor compiler",
    "fixed_sidebar": True,
    "page_width": "1200px",
    "sidebar_width": "260px",
    "show_powered_by": False,
}
templates_path = ["_templates"]
html_sidebars = {"**": ["about.html", "searchfield.html", "sections.html"]}
html_static_path = ["_static"]
html_css_files = ["site.css"]
# No page shows its source, its date or a copyright's year: the same sources give the same bytes.
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_last_updated_fmt = None
smartquotes = False


def setup(app):
    return site_text.setup(app)
