"""Groundswell: a living benchmark for image generation, image editing and visual chat.

The abilities of the command line for programs and notebooks; docs/library.md has examples. Nothing is imported before a
name is used, and the types of the names stand in `__init__.pyi`.
"""

from __future__ import annotations

__version__ = "0.1.0"

_HOMES = {
    "Agreement": "notebook.results",
    "Dimension": "records",
    "GroundswellError": "errors",
    "Measurement": "records",
    "NotApplicable": "records",
    "OpenWorkspace": "notebook.workspaces",
    "Ranking": "notebook.results",
    "Rating": "records",
    "Scores": "notebook.results",
    "Table": "notebook.frames",
    "Unranked": "records",
    "UserError": "errors",
    "agree": "notebook.comparing",
    "measure_pair": "notebook.measuring",
    "open_workspace": "notebook.workspaces",
    "rank": "notebook.comparing",
    "read_comparisons": "notebook.comparing",
    "read_reply": "notebook.scoring",
    "score_cpi": "notebook.scoring",
    "score_echo": "notebook.scoring",
    "score_llava": "notebook.scoring",
    "write_comparisons": "notebook.comparing",
}
"""Public name -> module of this package. `measure_pair` is not `measure`, because a room has that name."""

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604  the names are texts


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value  # the next access finds it without coming here
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
