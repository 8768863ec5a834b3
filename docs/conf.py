"""How the documentation becomes a site: Sphinx with MyST (the pages are plain Markdown) and the theme Furo.

A broken link is an error, and the pages ask no other host for anything: the theme uses the system's fonts.
"""

from groundswell import __version__

project = "Groundswell"
author = "the Groundswell contributors"
release = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = "Groundswell"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
