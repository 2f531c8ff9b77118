"""How Sphinx builds these pages: offline, every warning an error (`make docs`)."""

from typeover import __version__

project = "Typeover"
author = "The Typeover developers"
copyright = author  # noqa: A001 (Sphinx's name)
version = release = __version__

extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"Typeover {version}"
html_show_sphinx = False
